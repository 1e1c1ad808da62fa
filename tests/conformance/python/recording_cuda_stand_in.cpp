// SPDX-License-Identifier: Apache-2.0
// Not CUDA: a stand-in for the driver's library, for tests on machines without a GPU. "The GPU's memory" is ordinary
// memory; what is put on a stream is done when the stream is synchronised, and not before, so that a result that is
// read too early is wrong. Every call is written down, with names for what it made: d1 (device), h1 (host), s1, g1.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

using Steps = std::vector<std::function<void()>>;

struct StandIn {
  std::string log{};
  std::map<std::uint64_t, std::string> names{};
  std::map<char, int> counts{};
  std::map<std::string, int> failures{};  // function -> status that it gives from now on
  Steps queue{};
  Steps* captured = nullptr;
};

StandIn& stand_in() {
  static StandIn only;
  return only;
}

std::uint64_t number(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }
std::string name(std::uint64_t address) {
  const auto found = stand_in().names.find(address);
  return found == stand_in().names.end() ? "?" : found->second;
}
std::string name(const void* pointer) { return name(number(pointer)); }

std::string give_name(char kind, std::uint64_t address) {
  return stand_in().names[address] = kind + std::to_string(++stand_in().counts[kind]);
}

// Writes the call down; its status.
int record(const std::string& function, const std::string& arguments) {
  stand_in().log += function + (arguments.empty() ? "" : " " + arguments) + "\n";
  const auto found = stand_in().failures.find(function);
  return found == stand_in().failures.end() ? 0 : found->second;
}

// With its size where that is more than that of a mere handle.
int allocate(const char* function, char kind, void** made, std::size_t bytes) {
  const auto failure = stand_in().failures.find(function);
  if (failure != stand_in().failures.end()) return record(function, std::to_string(bytes));
  *made = std::malloc(bytes);
  return record(function, give_name(kind, number(*made)) + (bytes > 1 ? " " + std::to_string(bytes) : ""));
}

int release(const char* function, void* pointer) {
  const int status = record(function, name(pointer));
  if (stand_in().names.erase(number(pointer)) == 1) std::free(pointer);
  return status;
}

void enqueue(std::function<void()> step) {
  Steps& where = stand_in().captured != nullptr ? *stand_in().captured : stand_in().queue;
  where.push_back(std::move(step));
}

int copy(const char* function, void* to, const void* from, std::size_t bytes, const void* stream) {
  enqueue([=] { std::memcpy(to, from, bytes); });
  return record(function, name(to) + " " + name(from) + " " + std::to_string(bytes) + " " + name(stream));
}

void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }

}  // namespace

#define STAND_IN extern "C" __attribute__((visibility("default")))

STAND_IN const char* recording_stand_in_log() { return stand_in().log.c_str(); }
STAND_IN void recording_stand_in_note(const char* text) { stand_in().log += std::string(text) + "\n"; }
STAND_IN const char* recording_stand_in_name(std::uint64_t address) {
  static std::string kept;
  return (kept = name(address)).c_str();
}
STAND_IN void recording_stand_in_enqueue(void (*step)(int), int which) {
  enqueue([=] { step(which); });
}
STAND_IN void recording_stand_in_fail(const char* function, int status) { stand_in().failures[function] = status; }
STAND_IN void recording_stand_in_forget() { stand_in() = StandIn{}; }

STAND_IN int cuInit(unsigned) { return record("cuInit", ""); }
STAND_IN int cuDriverGetVersion(int* version) {
  *version = 12060;
  return 0;
}
STAND_IN int cuDeviceGetCount(int* count) {
  *count = 1;
  const int status = record("cuDeviceGetCount", "");
  if (status != -1) return status;
  *count = 0;  // what a driver without a GPU says
  return 0;
}
STAND_IN int cuDeviceGet(int* device, int) {
  *device = 0;
  return 0;
}
STAND_IN int cuDeviceGetPCIBusId(char* text, int bytes, int) {
  std::strncpy(text, "0000:65:00.0", static_cast<std::size_t>(bytes));
  return 0;
}
STAND_IN int cuDeviceGetName(char* text, int bytes, int) {
  std::strncpy(text, "Recording Stand-In", static_cast<std::size_t>(bytes));
  return 0;
}
STAND_IN int cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 75 ? 8 : 7;
  return 0;
}
STAND_IN int cuDevicePrimaryCtxSetFlags_v2(int, unsigned flags) {
  return record("cuDevicePrimaryCtxSetFlags_v2", std::to_string(flags));
}
STAND_IN int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = &stand_in();
  return record("cuDevicePrimaryCtxRetain", "");
}
STAND_IN int cuDevicePrimaryCtxRelease_v2(int) { return record("cuDevicePrimaryCtxRelease_v2", ""); }
STAND_IN int cuCtxSetCurrent(void*) { return record("cuCtxSetCurrent", ""); }
STAND_IN int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  void* made = nullptr;
  const int status = allocate("cuMemAlloc_v2", 'd', &made, bytes);
  *address = number(made);
  return status;
}
STAND_IN int cuMemFree_v2(std::uint64_t address) { return release("cuMemFree_v2", pointer(address)); }
STAND_IN int cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
  return allocate("cuMemHostAlloc", 'h', address, bytes);
}
STAND_IN int cuMemFreeHost(void* address) { return release("cuMemFreeHost", address); }
STAND_IN int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void* stream) {
  return copy("cuMemcpyHtoDAsync_v2", pointer(to), from, bytes, stream);
}
STAND_IN int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void* stream) {
  return copy("cuMemcpyDtoHAsync_v2", to, pointer(from), bytes, stream);
}
STAND_IN int cuCtxSynchronize() { return record("cuCtxSynchronize", ""); }
STAND_IN int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
  std::memcpy(pointer(to), from, bytes);
  return record("cuMemcpyHtoD_v2", std::to_string(bytes));
}
STAND_IN int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
  std::memcpy(to, pointer(from), bytes);
  return record("cuMemcpyDtoH_v2", std::to_string(bytes));
}
STAND_IN int cuStreamCreate(void** stream, unsigned) { return allocate("cuStreamCreate", 's', stream, 1); }
STAND_IN int cuStreamSynchronize(void* stream) {
  const int status = record("cuStreamSynchronize", name(stream));
  for (const auto& step : stand_in().queue) step();
  stand_in().queue.clear();
  return status;
}
STAND_IN int cuStreamDestroy_v2(void* stream) { return release("cuStreamDestroy_v2", stream); }
STAND_IN int cuStreamBeginCapture_v2(void* stream, int) {
  stand_in().captured = new Steps();
  return record("cuStreamBeginCapture_v2", name(stream));
}
STAND_IN int cuStreamEndCapture(void* stream, void** graph) {
  *graph = stand_in().captured;
  stand_in().captured = nullptr;
  return record("cuStreamEndCapture", name(stream));
}
STAND_IN int cuGraphInstantiateWithFlags(void** made, void* graph, unsigned long long) {
  *made = new Steps(*static_cast<Steps*>(graph));
  return record("cuGraphInstantiateWithFlags", give_name('g', number(*made)));
}
STAND_IN int cuGraphDestroy(void* graph) {
  delete static_cast<Steps*>(graph);
  return record("cuGraphDestroy", "");
}
STAND_IN int cuGraphLaunch(void* graph, void* stream) {
  for (const auto& step : *static_cast<Steps*>(graph)) stand_in().queue.push_back(step);
  return record("cuGraphLaunch", name(graph) + " " + name(stream));
}
STAND_IN int cuGraphExecDestroy(void* graph) {
  const int status = record("cuGraphExecDestroy", name(graph));
  stand_in().names.erase(number(graph));
  delete static_cast<Steps*>(graph);
  return status;
}
STAND_IN int cuEventCreate(void** event, unsigned) { return allocate("cuEventCreate", 'e', event, 1); }
STAND_IN int cuEventRecord(void* event, void* stream) {
  return record("cuEventRecord", name(event) + " " + name(stream));
}
STAND_IN int cuEventElapsedTime(float* milliseconds, void* start, void* stop) {
  *milliseconds = 0.25F;
  return record("cuEventElapsedTime", name(start) + " " + name(stop));
}
STAND_IN int cuEventDestroy_v2(void* event) { return release("cuEventDestroy_v2", event); }
STAND_IN int cuGetErrorString(int status, const char** text) {
  *text = status == 2 ? "out of memory" : status == 100 ? "no CUDA-capable device is detected" : "the stand-in says so";
  return 0;
}
