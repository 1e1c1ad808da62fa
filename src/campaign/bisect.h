// SPDX-License-Identifier: Apache-2.0
// Finds the first version of a compiler that is slower, fails, is inaccurate, is faster, or is worse by another
// metric.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "campaign/bisect_folder.h"
#include "campaign/installation.h"
#include "campaign/observer.h"
#include "campaign/refusal.h"
#include "campaign/same_contents.h"
#include "metrics/bisection_step.h"
#include "plan/plan.h"
#include "toolchain/catalog.h"

namespace ngb::campaign {

// What is said of the pair of cells that decides a step.
struct PairWords {
  std::string cell{};  // "resnet18, batch 1, on local"
  std::string why{};   // the reason of its outcome; "" if the ratio says everything
};
using WordsOf = std::function<PairWords(const metrics::Comparison&, const metrics::ComparedPair&)>;

struct BisectionOrder {
  plan::Plan plan{};                             // of the study
  std::string compiler{};                        // as the user names it: a label of the study, or a compiler
  toolchain::CompilerDescription description{};  // of that compiler
  std::string from{};                            // the older version, with which others are compared
  std::string to{};                              // the newer one
  metrics::BisectionRules rules{};
  std::filesystem::path folder{};  // what was measured there for the same question is not measured again
  WordsOf words_of{};
};

// Tries versions between the two ends until the first bad one is found, or none can be. Refuses if an end is neither
// installed nor on pip's index, cannot be judged, or if the folder has another bisection. A refusal loses nothing: the
// same order continues.
Answer<metrics::Bisected> bisect(const Installation& installation, const BisectionOrder& order, Observer& observer);

// Takes the steps of a bisection: installs a version, measures it beside the baseline, and judges it.
struct BisectStep {
  metrics::TriedVersion tried{};
  bool has_failed_baseline = false;   // the baseline has no speed in any cell that counts
  std::set<std::string> bad_cells{};  // as metrics::BisectionStep::bad_cells
  std::size_t cells = 0;              // of one version; 0 if it was not measured
};

class BisectSteps {
 public:
  // `compiler` describes the compiler that is searched, `plan` is that of the study. The references must outlive this
  // object.
  BisectSteps(const Installation& installation, BisectFolder& folder, toolchain::CompilerDescription compiler,
              const plan::Plan& plan, metrics::BisectionRules rules, WordsOf words_of, Observer& observer);

  // Makes only these cells count from now on.
  void count_only(std::set<std::string> cells) { rules_.cells = std::move(cells); }

  // Tries a version: installs it and the baseline if they are missing, measures both in the same rounds, and judges. If
  // that is undecided, it measures both once more, in up to twice as many rounds. What an earlier command measured is
  // only judged. A step that was measured with another model, or another toolchain of the same name, than those before
  // is refused. A version that cannot be installed or does not load is unusable; unless it is an end of the search,
  // that is remembered. Every other problem is a refusal, also that an index could not be reached.
  Answer<BisectStep> take(const std::string& version);

 private:
  // Returns why the version cannot be used; "" if it is installed.
  Answer<std::string> make_installed(const std::string& version);
  Answer<Done> measure(const std::string& version, bool again);
  Status check_contents(const std::filesystem::path& results);
  Answer<BisectStep> judge(const std::string& version, bool again) const;
  // Returns the metrics by which steps are judged; none: by the speed.
  [[nodiscard]] std::vector<metrics::Judged> judged_by() const;
  [[nodiscard]] const std::string& baseline() const { return folder_.versions().front(); }

  const Installation& installation_;
  BisectFolder& folder_;
  toolchain::CompilerDescription compiler_;
  std::string label_;
  std::vector<std::string> devices_;
  Contents contents_;  // what the steps so far were measured with
  metrics::BisectionRules rules_;
  WordsOf words_of_;
  Observer& observer_;
};

}  // namespace ngb::campaign
