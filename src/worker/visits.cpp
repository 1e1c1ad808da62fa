// SPDX-License-Identifier: Apache-2.0
#include "worker/visits.h"

#include <algorithm>
#include <utility>

#include "base/random.h"
#include "samples/process_numbers.h"
#include "worker/in_flight.h"
#include "worker/memory_marks.h"
#include "worker/plugin_session.h"

namespace ngb::worker {

Result<std::unique_ptr<Visits>> Visits::make(std::vector<ShapeToVisit> shapes, std::uint64_t order_seed,
                                             ngb_status* status) {
  std::unique_ptr<Visits> made(new Visits());
  made->order_seed_ = order_seed;
  for (ShapeToVisit& each : shapes) {
    const std::size_t place = made->order_.size();
    made->order_.insert(made->order_.end(), each.visits, made->shapes_.size());
    made->shapes_.push_back({.given = std::move(each), .first_place = place});
  }
  made->kept_.resize(made->shapes_.size());
  for (Shape& shape : made->shapes_) {
    const auto has_session = [&](const Shape& other) {
      return other.given.target.session == shape.given.target.session;
    };
    shape.is_bound_each_time = std::count_if(made->shapes_.begin(), made->shapes_.end(), has_session) > 1;
    *status = shape.is_bound_each_time ? NGB_OK : made->bind(shape);
    if (*status != NGB_OK) return fail("cannot be given its inputs", shape.given.name);
  }
  return made;
}

bool Visits::is_first(std::size_t step) const {
  return std::any_of(shapes_.begin(), shapes_.end(), [&](const Shape& shape) { return shape.first_place == step; });
}

ngb_status Visits::bind(Shape& shape) {
  const std::span<const ngb_tensor> inputs = shape.given.inputs.tensors();
  const Target& target = shape.given.target;
  const ngb_status status =
      target.compiler->bind(target.session, inputs.data(), static_cast<std::uint32_t>(inputs.size()), target.error);
  if (status != NGB_OK) tell_first(target);
  return status;
}

// A failure is looked for in the first session.
void Visits::tell_first(const Target& target) {
  ngb_error* const first = shapes_.front().given.target.error;
  if (first != target.error) *first = *target.error;
}

ngb_status Visits::visit(Shape& shape, std::int64_t* begin_ns, std::int64_t* wall_ns) {
  const Known<double> before = shape.was_visited ? Known<double>() : own_memory().resident;
  const Target& target = shape.given.target;
  *begin_ns = now_ns();
  ngb_status status = shape.is_bound_each_time ? bind(shape) : NGB_OK;
  if (status == NGB_OK) status = target.compiler->run(target.session, target.error);
  *wall_ns = now_ns() - *begin_ns;
  if (status != NGB_OK) tell_first(target);
  if (std::exchange(shape.was_visited, true)) return status;
  const Known<double> after = own_memory().resident;
  shape.memory_gain = before.value && after.value ? Known<double>::of(*after.value - *before.value)
                                                  : Known<double>::unknown(before.value ? after.reason : before.reason);
  return status;
}

std::size_t Visits::repeat(const Times& times, std::span<std::int64_t> latencies_ns, samples::RunCount& done,
                           ngb_status* status) {
  const std::size_t kept_of_pass = latency_count(steps());
  *status = NGB_OK;
  for (std::size_t pass = 0; pass < times.walls_ns.size(); ++pass) {
    SplitMix64 random(splitmix64(order_seed_, passes_++));
    std::vector<std::size_t> order = order_;
    shuffle(order, random);
    std::vector<std::size_t> visited(shapes_.size(), 0);
    times.walls_ns[pass] = 0;
    for (std::size_t i = 0; i < order.size() && *status == NGB_OK; ++i) {
      Shape& shape = shapes_[order[i]];
      std::int64_t begin_ns = 0;
      std::int64_t wall_ns = 0;
      *status = visit(shape, &begin_ns, &wall_ns);
      if (i == 0) times.begins_ns[pass] = begin_ns;
      times.walls_ns[pass] += wall_ns;
      const std::size_t place = pass * kept_of_pass + shape.first_place + visited[order[i]]++;
      if (place < latencies_ns.size()) latencies_ns[place] = wall_ns;
      if (keeps_ && visited[order[i]] == 1 && *status == NGB_OK) *status = keep(order[i]);
    }
    if (*status != NGB_OK) return pass;
    keeps_ = false;
    done.repetitions.fetch_add(1, std::memory_order_relaxed);
    done.inferences.fetch_add(steps(), std::memory_order_relaxed);
  }
  return times.walls_ns.size();
}

ngb_status Visits::keep(std::size_t shape) {
  const Target& target = shapes_[shape].given.target;
  std::uint32_t count = 0;
  ngb_status status = target.compiler->read(target.session, UINT32_MAX, nullptr, &count, target.error);
  kept_[shape].clear();
  for (std::uint32_t i = 0; i < count && status == NGB_OK; ++i) {
    ngb_tensor tensor{};
    status = target.compiler->read(target.session, i, &tensor, &count, target.error);
    if (status != NGB_OK) break;
    kept_[shape].push_back({{plugin_text(tensor.name) + " " + shapes_[shape].given.name,
                             static_cast<DataType>(tensor.dtype),
                             {tensor.shape, tensor.shape + tensor.rank}},
                            std::string(static_cast<const char*>(tensor.data), tensor.size_bytes)});
  }
  if (status != NGB_OK) tell_first(target);
  return status;
}

std::vector<OutputView> Visits::outputs() const {
  std::vector<OutputView> views;
  for (const std::vector<Kept>& of_shape : kept_) {
    for (const Kept& kept : of_shape) views.push_back({kept.signature, kept.bytes.data()});
  }
  return views;
}

void Visits::add_to(samples::ProcessResult& result) const {
  for (const Shape& shape : shapes_) {
    const auto visits = Known<double>::of(static_cast<double>(shape.given.visits));
    result.readings.push_back({shape.given.name, "1", samples::kShape, visits});
    result.readings.push_back({shape.given.name, "byte", samples::kShape, shape.memory_gain});
  }
}

}  // namespace ngb::worker
