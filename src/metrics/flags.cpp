// SPDX-License-Identifier: Apache-2.0
// Defines the table of flags; their rules are in flag_rules.cpp.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "metrics/flag_rules.h"
#include "metrics/metric.h"

namespace ngb::metrics {
namespace {

// name, mark, threshold, meaning, raised_by, shows_value, forbids_factors
constexpr std::array kFlags{
    Flag{"not_steady", 's', "a process found no steady part within the bound",
         "the speed was still changing when its repetitions were timed", flag_rules::not_steady, false, true},
    Flag{"speed_changes", 'c', "in a longer look, speed / median > 10 % from 1, and outside of all counted repetitions",
         "the speed was still changing when the repetitions ended: raise `repetitions`, or `min_repetition_ms`, until "
         "they last as long as the use that you measure for",
         flag_rules::speed_changes, true, true},
    Flag{"few_repetitions", ' ', "fewer than 6 repetitions of a process count, and no longer look followed",
         "a slow start that lasts longer than they do is not seen: raise `repetitions`, or set `longer_look_s`",
         flag_rules::few_repetitions, true},
    Flag{"subnormal", 'z', "in a longer look, time / time with subnormal numbers taken as 0 > 1.25",
         "weights or activations are nearer to 0 than 1.2e-38, with which this processor computes slowly; other inputs "
         "or trained weights may have none: set `settings` of the compiler (onnxruntime: session.set_denormal_as_zero: "
         "1, "
         "openvino: CPU_DENORMALS_OPTIMIZATION: true), or the identity's option flush_denormal",
         flag_rules::subnormal, true},
    Flag{"spread", ' ', "IQR / median > 10 %", "repetitions differ much: check the machine for other load",
         flag_rules::wide_spread},
    Flag{"unstable", 'u', "IQR / median > 25 %", "do not rely on this number: measure again on a quiet machine",
         flag_rules::unstable, false, true},
    Flag{"uneven", ' ', "mean of rates / samples/s > 1.01",
         "some repetitions are much slower than most: the speed by time has them in full, the mean of the repetitions' "
         "rates, which the paper gives, hardly",
         flag_rules::uneven, true},
    Flag{"waited", 'q', "other programs kept a process from its processors in > 5 % of its timed phase",
         "`disturbance: max_wait_percent` of the study let it count: the speed is that of a busy machine, and a ratio "
         "favours the side with shorter inferences: measure again on a quiet machine, with the usual limit",
         flag_rules::waited, true, true},
    Flag{"turns_again", ' ', "more than 5 % of the turns ran again",
         "something kept the process from its processors in those turns: other programs, which do so to all compilers "
         "alike, or, in a compiler with a larger share than others, perhaps its own threads",
         flag_rules::turns_again, true},
    Flag{"steal", ' ', "steal > 1 % in a timed phase", "the host gave processor time to other virtual machines",
         flag_rules::steal},
    Flag{"pressure", ' ', "PSI some (CPU) > 5 % in a timed phase",
         "programs had to wait for a processor; not raised under a load, which makes them wait", flag_rules::pressure},
    Flag{"page_faults", ' ', "more than 10,000 page faults/s in a timed phase",
         "the C library's allocator returns memory to the kernel and requests it again in every inference, which costs "
         "some percent and differs between processes: measure with `allocator: steady`",
         flag_rules::page_faults},
    Flag{"throttled", 't', "clock < 75 % of its highest in these results",
         "the processor was slowed down by heat or a power limit", flag_rules::throttled},
    Flag{"gpu_throttled", 'g', "GPU clock < 75 % of its highest at the end of a timed phase",
         "the GPU was slowed down by heat or a power limit, or had not sped up yet: measure longer "
         "(`min_repetition_ms`)",
         flag_rules::gpu_throttled},
    Flag{"extra_threads", 'x', "more threads used processor time than the study allows",
         "the compiler used more threads than the others, so conditions were not equal", flag_rules::extra_threads},
    Flag{"mixed_build", 'b', "completed processes of another build are set aside",
         "the cell was also measured with another toolchain, worker, plugin or model file; those processes are stored "
         "but count in no metric",
         flag_rules::mixed_build},
    Flag{"mixed_environment", 'e', "completed processes of another environment are set aside",
         "something about the machine changed between the processes of this cell; those that count are of one "
         "environment",
         flag_rules::mixed_environment},
    Flag{"unlike_baseline", 'l', "the baseline was measured in another environment",
         "the speed-up also compares two states of the machine; its two sides share no rounds: measure both again",
         flag_rules::unlike_baseline},
    Flag{"unchecked", '?', "outputs not compared with a reference",
         "the outputs may be wrong; unless the study asks for no check, the speed is in no verdict",
         flag_rules::unchecked},
    Flag{"other_reference", 'r', "the study's reference did not judge, or its outputs are doubtful",
         "the outputs were compared with those of the compiler that is named below", flag_rules::other_reference},
    Flag{"weak_check", 'w',
         "the reference of at least 90 % of what was compared is at most the absolute tolerance, or one value "
         "throughout",
         "a compiler that returns zeros, or one class for all, would pass: give the model real inputs (`inputs`) or "
         "trained weights, or set `tolerances`",
         flag_rules::weak_check},
    Flag{
        "not_finite", 'n', "at most half of the compared outputs are finite numbers, or an input has no finite score",
        "what is not finite is not compared, so the check proves little, and an input without a finite score leaves no "
        "agreement and no accuracy: check the model's inputs",
        flag_rules::not_finite},
    Flag{"emulated", 'm', "the compiler's fact `emulated` names operators",
         "the compiler does not have them: they were computed for their value alone, so the cell judges outputs, and "
         "its "
         "speed is no baseline and in no verdict",
         flag_rules::emulated},
    Flag{"made_up", 'a', "the compiler's fact `made_up_ns` says how long an inference takes",
         "its times are made up for a test of ngb: nothing was measured", flag_rules::made_up},
    Flag{"outputs_change", 'o', "outputs after the timed phase differ from those of the first inference",
         "the model keeps state between inferences or is random, so its speed is in no verdict",
         flag_rules::outputs_change},
    Flag{
        "growing_memory", ' ',
        "memory grew from each quarter of a timed phase to the next, or of a short one from the first inference to the "
        "warm-up and to the timed phase, by 5 % and 16 MiB altogether; where `memory_growth_bytes_per_inference` has "
        "an "
        "interval, that is above 0 and the growth 100 bytes and more",
        "the compiler or the model keeps something of every inference (the number is its bytes): a longer run may be "
        "slower, or run out of memory",
        flag_rules::growing_memory, true},
    Flag{"shared_compilation", ' ', "processes loaded what another process had compiled",
         "the study's key `compile` asks for it: `compile_s` has fewer values than there are processes, and intervals "
         "do "
         "not contain the differences between compilations",
         flag_rules::shared_compilation},
    Flag{"incomplete", 'i', "fewer completed processes than planned", "the others failed or are not measured yet",
         flag_rules::incomplete},
    Flag{"disturbed", ' ', "an attempt was disturbed by other work",
         "other programs, the host or a quota kept a process from its processors; that attempt is stored but counts in "
         "no metric",
         flag_rules::disturbed},
    Flag{"retried", ' ', "an attempt failed",
         "a process failed at least once, whether or not a later attempt completed", flag_rules::retried},
};

}  // namespace

std::span<const Flag> flag_table() { return kFlags; }

std::optional<RaisedFlag> raised_flag(const store::DerivedValue& value) {
  constexpr std::string_view kPrefix = "flag_";
  const std::string_view metric = value.metric.str();
  if (!metric.starts_with(kPrefix)) return std::nullopt;
  const auto* const flag = std::ranges::find(kFlags, metric.substr(kPrefix.size()), &Flag::name);
  return flag == kFlags.end() ? std::nullopt : std::optional(RaisedFlag{flag, value.value.value_or(0)});
}

std::string flag_against_factors(const Evidence& evidence) {
  for (const Flag& flag : kFlags) {
    if (flag.forbids_factors && flag.raised_by(evidence)) return flag.name;
  }
  return {};
}

}  // namespace ngb::metrics
