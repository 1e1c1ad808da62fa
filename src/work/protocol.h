// SPDX-License-Identifier: Apache-2.0
// Defines how each process of a study measures and what it may use. The keys of the study file, their JSON Schema and
// docs/study.md (config/keys), the protocol that a results file records, and the form on the wire derive from these
// rows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "base/record.h"
#include "base/result.h"

namespace ngb::work {

// Says which processes of a cell compile, and which load what another one has compiled.

// each: every process compiles. once: the first process that completes keeps its artifact, and the others load it.
// automatic: the same if compiling took that process longer than measuring, else as each.
enum class Compilation { each, once, automatic };

inline constexpr std::array<std::string_view, 3> kCompilations{"each", "once", "auto"};  // names, in the enum's order

std::string_view name(Compilation compilation);
Result<Compilation> parse_compilation(std::string_view name);

// Describes a record's field that the author of a study sets: its key, unit and range. The field's value is the
// key's value times `multiply`, divided by `divide`: for a key in ms and a field in ns, multiply is 1e6.
struct StudyKey {
  const char* name;
  const char* meaning;
  double minimum = 0;  // minimum and maximum are in the key's unit
  double maximum = 0;
  double multiply = 1;
  double divide = 1;
  const char* default_text = "";  // shown in docs if the default is null or a word
  // Results from before this key do not have it. At its default it is left out of the protocol and of hashes, so that
  // those results stay comparable and their studies the same.
  bool is_left_out_at_default = false;
};

template <class Record, class Value>
struct StudyField : Field<Record, Value> {
  StudyKey key;
};

template <class Record, class Value>
constexpr StudyField<Record, Value> study_field(const char* name, Value Record::* member, const StudyKey& key) {
  return {{name, member}, key};
}

inline constexpr double kMostExact = 9007199254740991;  // 2^53 - 1: an integer that every JSON reader keeps

// Stops a process by precision instead of after a fixed count.
struct StopWhen {
  double half_width_ratio = 0.01;  // half width of the median's 95 % interval, relative to the median
  int min_repetitions = 10;
  int max_repetitions = 1000;
  std::int64_t max_ns = 60'000'000'000;

  static constexpr auto fields(auto visit) {
    return visit(
        study_field("half_width_ratio", &StopWhen::half_width_ratio,
                    {.name = "half_width_percent",
                     .meaning = "Stop when the 95 % interval of the median is at most this wide to either side, in "
                                "percent of the median",
                     .minimum = 0.01,
                     .maximum = 100,
                     .divide = 100}),
        study_field("min_repetitions", &StopWhen::min_repetitions,
                    {"min_repetitions", "Never stop before this many repetitions", 1, 1'000'000}),
        study_field("max_repetitions", &StopWhen::max_repetitions,
                    {"max_repetitions", "Always stop at this many repetitions", 1, 1'000'000}),
        study_field("max_ns", &StopWhen::max_ns, {"max_s", "Always stop after this many seconds", 0.001, 1e6, 1e9}));
  }
};

// What is known when no more rounds are needed: how each compiler compares with the baseline, and for `decided` also
// how the fastest compares with each other one.
enum class Until { decided, decided_against_baseline };
std::string_view name(Until until);  // "decided", "decided_against_baseline"
Result<Until> parse_until(std::string_view name);

enum class Over { compilers, models };  // what is told apart: those of each model, or models with their best one
std::string_view name(Over over);       // "compilers", "models"
Result<Over> parse_over(std::string_view name);

// Ends the rounds of a group when what is asked of it is decided, instead of after a fixed count. A round is one
// process of each compiler of the group; one that no open question needs is left out. agent/rounds.h has the rule.
struct Rounds {
  int min = 3;
  int max = 15;
  Until until = Until::decided;
  Over over = Over::compilers;
  double margin_ratio = 0.03;

  static constexpr auto fields(auto visit) {
    return visit(
        study_field("min", &Rounds::min, {"min", "Never decide before this many rounds; 1 with `over: models`", 1, 30}),
        study_field("max", &Rounds::max, {"max", "Always end after this many rounds", 3, 30}),
        study_field("until", &Rounds::until,
                    {"until",
                     "What ends the rounds. decided: each compiler is told apart from the baseline, or shown to be the "
                     "same, and the fastest from each other one; decided_against_baseline: only the former"}),
        study_field("over", &Rounds::over,
                    {.name = "over",
                     .meaning = "What is told apart: compilers of a model; or models by `goal`, each with its best one",
                     .is_left_out_at_default = true}),
        study_field("margin_ratio", &Rounds::margin_ratio,
                    {.name = "margin_percent",
                     .meaning = "Two speeds are the same if the interval of their ratio is within 1 ± this",
                     .minimum = 0.1,
                     .maximum = 100,
                     .divide = 100}));
  }
};

// Requests that arrive at random while a process is timed, whether or not earlier ones are answered (an open loop, as
// in the server scenario of MLPerf's LoadGen). Each is of one sample; an inference answers as many as the batch holds.
struct Arrivals {
  double requests_per_s = 1;
  int requests = 1000;

  static constexpr auto fields(auto visit) {
    return visit(study_field("requests_per_s", &Arrivals::requests_per_s,
                             {"requests_per_s", "How many arrive each second, on average", 0.001, 1e6}),
                 study_field("requests", &Arrivals::requests,
                             {"requests", "How many arrive in each process; what is left of the last batch is not sent",
                              1, 1'000'000}));
  }
};

// How far outputs may differ from the reference. What is not set follows from the arithmetic of the model's file
// (worker/check.h).
struct Tolerances {
  std::optional<double> absolute{};
  std::optional<double> relative{};

  static constexpr auto fields(auto visit) {
    return visit(
        study_field("absolute", &Tolerances::absolute,
                    {.name = "absolute",
                     .meaning = "Part that does not depend on the reference: |a - b| <= absolute + relative * |b| "
                                "for every output value a and its reference b",
                     .maximum = 1e6,
                     .default_text = "0.0001; in a file of f16, bf16 or int8 1 %, 5 % or 5 % of the output's largest"}),
        study_field("relative", &Tolerances::relative,
                    {.name = "relative",
                     .meaning = "Part that grows with the reference",
                     .maximum = 1e6,
                     .default_text = "0.001; in a file of f16, bf16 or int8 0.01, 0.05 or 0.05"}));
  }
};

// Two measurements are comparable if their protocols are equal. docs/measurement.md explains the defaults.
struct Protocol {
  int processes = 5;
  std::optional<Rounds> rounds{};
  std::string metric{};  // by which rounds end and the answer is given, as `--metric` reads it; "": the speed
  std::optional<int> repetitions = 20;             // steady ones, per process; nothing: by how long one takes
  std::optional<int> warm_up{};                    // repetitions; nothing: determined from the data
  std::int64_t min_repetition_ns = 1'000'000;      // shorter inferences are grouped, k to a repetition
  std::int64_t max_transient_ns = 30'000'000'000;  // the search for a steady part ends after this
  std::optional<StopWhen> stop_when{};
  std::optional<Arrivals> arrivals{};
  int turns = 1;         // in which a process runs its timed repetitions; 1: processes run one after the other
  bool profile = false;  // a process tells where its time goes, kernel by kernel, and has no speed
  std::optional<int> longer_look_s{};  // in which one process is watched; 0: off; nothing: by what that costs
  bool leak = false;                   // each process goes on, and its memory is read meanwhile
  std::optional<int> sessions{};       // that each process makes and destroys beside the measured one; nothing: none
  Compilation compile = Compilation::each;
  Tolerances tolerances{};
  int agreement_inputs = 64;              // over which a variant is compared with its exact model
  std::optional<double> min_agreement{};  // a variant that agrees less has failed; nothing: none has
  std::uint64_t seed = 1;                 // of weights, inputs and the order of processes

  static constexpr auto fields(auto visit) {
    return visit(
        study_field("processes", &Protocol::processes, {"processes", "Fresh worker processes for each cell", 1, 1000}),
        study_field("rounds", &Protocol::rounds,
                    {.name = "rounds",
                     .meaning = "End the rounds of a model and batch size when they have decided which compiler is "
                                "faster, instead of after a fixed count; `processes` is then ignored",
                     .default_text = "off",
                     .is_left_out_at_default = true}),
        study_field("metric", &Protocol::metric,
                    {.name = "metric",
                     .meaning = "The metric by which `rounds` end and the answer says what is best, with its margin "
                                "after a colon: timed_peak_bytes:5%",
                     .default_text = "the speed",
                     .is_left_out_at_default = true}),
        study_field("repetitions", &Protocol::repetitions,
                    {"repetitions",
                     "Timed repetitions in each process, warm-up not counted; auto: by how long one takes (20 below 50 "
                     "ms, 10 to 200 ms, 5 to 2 s, 3 to 20 s, then 1), and a ratio uses as many of either side as the "
                     "side with fewer has",
                     1, 1'000'000}),
        study_field("warm_up", &Protocol::warm_up,
                    {"warm_up", "Repetitions that do not count; auto: determined from the data", 0, 1'000'000}),
        study_field("min_repetition_ns", &Protocol::min_repetition_ns,
                    {"min_repetition_ms",
                     "Shorter inferences are grouped until a repetition takes this many milliseconds; 0: never", 0,
                     60'000, 1e6}),
        study_field("max_transient_ns", &Protocol::max_transient_ns,
                    {"max_transient_s", "Seconds after which the search for a steady part ends", 0, 86'400, 1e9}),
        study_field("stop_when", &Protocol::stop_when,
                    {.name = "stop_when",
                     .meaning = "Stop by precision instead of at a fixed count; `repetitions` is then ignored",
                     .default_text = "off"}),
        study_field(
            "arrivals", &Protocol::arrivals,
            {.name = "arrivals",
             .meaning = "Time each process under requests that arrive at random, instead of one inference after "
                        "the other; a latency then lasts from the arrival of a request, and `repetitions` is "
                        "ignored",
             .default_text = "off",
             .is_left_out_at_default = true}),
        study_field(
            "turns", &Protocol::turns,
            {.name = "turns",
             .meaning =
                 "Turns in which each process runs its timed repetitions, while the others of its round stand still: a "
                 "machine whose speed changes does so for all of them. 1: one process after the other",
             .minimum = 1,
             .maximum = 1'000'000,
             .default_text = "20; 1 with `protocol: paper`, `arrivals`, `loads` or `instances`",
             .is_left_out_at_default = true}),
        study_field("profile", &Protocol::profile,
                    {.name = "profile",
                     .meaning = "Each process tells where the time of an inference goes, kernel by kernel, and has no "
                                "speed: in each turn, plain repetitions are followed by as many profiled ones. `ngb "
                                "explain` makes such studies",
                     .is_left_out_at_default = true}),
        study_field(
            "longer_look_s", &Protocol::longer_look_s,
            {.name = "longer_look_s",
             .meaning = "Seconds from the first timed repetition on in which the first process of a cell goes on. "
                        "What it runs after its timed repetitions does not count; a flag tells if its speed has "
                        "changed. auto: 3, but no more of them than 5 % of what the cell takes; 0: it does not "
                        "go on. None does with arrivals, instances or a load",
             .minimum = 0,
             .maximum = 600,
             .is_left_out_at_default = true}),
        study_field(
            "leak", &Protocol::leak,
            {.name = "leak",
             .meaning = "Watch each process for memory that it keeps (memory_growth_bytes_per_inference): after its "
                        "timed repetitions it goes on for 1,000 inferences and 100 repetitions, or for 30 s if these "
                        "take longer, and its memory is read from its first inference on. None goes on with arrivals, "
                        "instances or a load",
             .is_left_out_at_default = true}),
        study_field("sessions", &Protocol::sessions,
                    {.name = "sessions",
                     .meaning = "Sessions that each process makes and destroys after its timed repetitions, beside the "
                                "measured one, or as many as begin within a minute: session_s and "
                                "session_memory_bytes tell what each takes and leaves behind ([starts](starts.md)). "
                                "None does with arrivals, instances or a load",
                     .minimum = 1,
                     .maximum = 1'000,
                     .default_text = "none",
                     .is_left_out_at_default = true}),
        study_field(
            "compile", &Protocol::compile,
            {.name = "compile",
             .meaning =
                 "Which processes of a cell compile. each: all. once: the first, whose file the others load, if the "
                 "compiler makes one. auto: once where compiling takes longer than measuring, else each",
             .is_left_out_at_default = true}),
        study_field(
            "tolerances", &Protocol::tolerances,
            {"tolerances", "How far outputs may differ from the reference's; a cell that differs more has no speed"}),
        study_field(
            "agreement_inputs", &Protocol::agreement_inputs,
            {.name = "agreement_inputs",
             .meaning =
                 "Inputs over which the outputs of a variant (`variant_of`) are compared with those of its exact "
                 "model: seeded ones, or as many as the exact model's `inputs` files hold",
             .minimum = 64,
             .maximum = 100'000,
             .is_left_out_at_default = true}),
        study_field("min_agreement", &Protocol::min_agreement,
                    {.name = "min_agreement",
                     .meaning = "A variant that agrees less with its exact model has failed: by the share of inputs "
                                "with the same decisions, or by the mean cosine similarity of outputs without classes",
                     .maximum = 1,
                     .default_text = "none: a variant does not fail",
                     .is_left_out_at_default = true}),
        study_field("seed", &Protocol::seed,
                    {"seed", "Seed of weights, inputs and the order of processes", 0, kMostExact}));
  }
};

// Returns how many processes are planned for each cell: all of them, or the most that `rounds` allows.
int planned_processes(const Protocol& protocol);
// Returns how many of them are likely needed: all, or as many as the first look of `rounds` needs.
int expected_processes(const Protocol& protocol);
// Returns the largest and the smallest number of steady repetitions that a process of this protocol has.
int most_repetitions(const Protocol& protocol);
int least_repetitions(const Protocol& protocol);
// Returns the number of steady repetitions for `repetitions: auto`.
int repetitions_by_time(std::int64_t repetition_ns);

struct Timeouts {
  std::int64_t compile_ns = 3'600'000'000'000;
  std::int64_t run_ns = 600'000'000'000;

  static constexpr auto fields(auto visit) {
    return visit(
        study_field("compile_ns", &Timeouts::compile_ns,
                    {"compile_s", "Seconds from a process's start to the end of its output check", 0.001, 1e7, 1e9}),
        study_field("run_ns", &Timeouts::run_ns,
                    {"run_s", "Seconds for warm-up and timed repetitions together", 0.001, 1e7, 1e9}));
  }
};

// Says when other work on the machine makes a process worthless. The share is a judgement from one machine;
// docs/measurement.md names the measurements behind it. A process that is disturbed in its last attempt is given up;
// the other processes of its cell are measured.
struct Disturbance {
  double max_wait_ratio = 0.05;           // of the timed phase; 1: no process is disturbed
  int attempts = 3;                       // per process
  std::int64_t wait_ns = 10'000'000'000;  // at most, for a quiet machine before a repeated attempt

  static constexpr auto fields(auto visit) {
    return visit(
        study_field("max_wait_ratio", &Disturbance::max_wait_ratio,
                    {.name = "max_wait_percent",
                     .meaning = "A process that waited for a processor in more than this share of its timed phase is "
                                "disturbed: it is stored, does not count, and is measured again; 100: none is",
                     .minimum = 0.1,
                     .maximum = 100,
                     .divide = 100}),
        study_field("attempts", &Disturbance::attempts,
                    {"attempts", "Attempts for each process while they are disturbed", 1, 100}),
        study_field(
            "wait_ns", &Disturbance::wait_ns,
            {"wait_s", "Seconds to wait at most until other programs leave the processors, before each further attempt",
             0, 3600, 1e9}));
  }
};

// Limits what a process may use and how often it is tried.
struct Limits {
  Timeouts timeouts{};
  std::optional<std::uint64_t>
      memory_bytes{};  // of a process with all its children; nothing: 90 % of the device's memory
  int attempts = 2;    // per process, for failures worth retrying
  Disturbance disturbance{};

  static constexpr auto fields(auto visit) {
    return visit(
        study_field("timeouts", &Limits::timeouts, {"timeouts", "When a process is given up"}),
        study_field("memory_bytes", &Limits::memory_bytes,
                    {.name = "memory_limit",
                     .meaning = "Memory of a process with all its children, in bytes or as text: 4 GB, 512 MiB",
                     .minimum = 1e6,
                     .maximum = 1e15,
                     .default_text = "90 % of the device's"}),
        study_field(
            "attempts", &Limits::attempts,
            {"attempts", "Attempts for each process, if a failure may not repeat (crash, timeout, memory)", 1, 100}),
        study_field("disturbance", &Limits::disturbance,
                    {"disturbance", "When other programs make a process worthless, and how often it is tried then"}));
  }
};

// What a run may use of a device. The rows are also keys of the device's `limits` in a study file.
struct DeviceLimits {
  std::optional<std::uint64_t> memory_bytes{};     // of a process; the study's limit applies as well
  std::optional<std::uint64_t> free_disk_bytes{};  // stay free on the disk of the device's folder
  std::optional<std::int64_t> time_ns{};           // after the agent got the job; later no process begins
  bool operator==(const DeviceLimits&) const = default;

  static constexpr auto fields(auto visit) {
    return visit(
        study_field("memory_bytes", &DeviceLimits::memory_bytes,
                    {.name = "memory",
                     .meaning = "Memory of a process, if the study does not set a lower limit",
                     .minimum = 1,
                     .maximum = kMostExact,
                     .default_text = "90 % of the device's"}),
        study_field("free_disk_bytes", &DeviceLimits::free_disk_bytes,
                    {.name = "free_disk",
                     .meaning = "Disk space that stays free; below it nothing is delivered or measured",
                     .maximum = kMostExact,
                     .default_text = "64 MiB"}),
        study_field("time_ns", &DeviceLimits::time_ns,
                    {.name = "time_s",
                     .meaning = "Seconds after which no further process begins; the same command continues later",
                     .minimum = 1,
                     .maximum = 1e9,
                     .multiply = 1e9,
                     .default_text = "none"}));
  }
};

}  // namespace ngb::work
