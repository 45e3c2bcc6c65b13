#include "ccgraph/equality/same_step.h"

#include "layer_fold.h"
#include "locate.h"
#include "trial.h"

#include "ccgraph/ir/diagnostic.h"

#include <cmath>
#include <map>

namespace ccgraph::equality {
namespace {

/// Further trials, where a trial met numbers without an inverse and so proves no difference.
constexpr unsigned mostExtraTrials = 4;

std::string problemText(const Trial &trial) {
  const Problem &problem = *trial.problem;
  if (!problem.node)
    return problem.text;
  Diagnostic diagnostic = diagnose(*problem.node, "same.undecided", problem.text);
  std::string place = trial.ofSingle ? "the single step" : "rank " + std::to_string(problem.rank);
  if (trial.ofReference)
    place += " of the reference";
  std::string text = place + ": " + diagnostic.where + ": " + diagnostic.message;
  for (const std::string &note : diagnostic.notes)
    text += "; " + note;
  return text;
}

/// Numbers of repeated layers that are evaluated in turn.
constexpr int64_t fewKept = 2, moreKept = 3;

class Comparer {
public:
  explicit Comparer(const StepComparison &comparison) : comparison_(comparison) {}

  llvm::Expected<StepAnswer> run() {
    if (!comparison_.reference)
      if (llvm::Error error = checkPlacements(comparison_))
        return error;
    for (int64_t kept : {fewKept, moreKept})
      if (std::optional<FoldedSteps> folded = foldedLayers(kept))
        folded_.push_back(std::move(*folded));
    if (folded_.size() == 2)
      answer_.assumed = folded_.front().notes;
    unsigned most = std::max<unsigned>(comparison_.trials, folded_.size() == 2 ? 2 : 1);
    for (unsigned i = 0; i != most; ++i) {
      const StepComparison &steps = folded_.size() == 2 ? folded_[i % 2].comparison : comparison_;
      Trial trial(comparison_.seed + i);
      trial.keepsValues = false;
      if (llvm::Error error = runTrial(steps, trial))
        return error;
      if (trial.problem) {
        answer_.assumed.push_back(problemText(trial));
        return std::move(answer_);
      }
      take(trial);
      if (trial.differs() && answer_.where.empty())
        if (llvm::Error error = locateDifference(steps, comparison_.seed + i))
          return error;
      if (trial.differs() && trial.evaluator.field().numGaps() != 0 && most < comparison_.trials + mostExtraTrials)
        ++most;
    }
    decide();
    return std::move(answer_);
  }

private:
  struct Finding {
    WrongOutput output;
    /// in how many trials it differs, and in how many of these without a number that has no inverse
    unsigned times = 0, proofs = 0;
  };

  [[nodiscard]] std::optional<FoldedSteps> foldedLayers(int64_t kept) const {
    return comparison_.reference ? std::nullopt : foldLayers(comparison_, kept);
  }

  void take(Trial &trial) {
    const bool isProof = trial.evaluator.field().numGaps() == 0;
    draws_ |= trial.drawsRandom();
    for (const std::optional<WrongOutput> &wrong : trial.wrong)
      if (wrong) {
        Finding &finding = findings_.try_emplace(wrong->of, Finding{*wrong, 0, 0}).first->second;
        ++finding.times;
        finding.proofs += isProof;
      }
  }

  /// Runs a trial that differs once more, and keeps its values.
  llvm::Error locateDifference(const StepComparison &steps, uint64_t seed) {
    Trial trial(seed);
    if (llvm::Error error = runTrial(steps, trial))
      return error;
    if (!trial.problem)
      answer_.where = locate(steps, trial);
    return llvm::Error::success();
  }

  /// A difference counts if one trial proves it, or if two trials find it. An output of a layer that was not evaluated
  /// differs if that of a layer beside it does.
  void decide() {
    std::map<std::string, WrongOutput> wrong;
    for (const auto &[of, finding] : findings_)
      if (finding.proofs != 0 || finding.times > 1)
        wrong.emplace(of, finding.output);
    if (folded_.size() == 2)
      for (const FoldedSteps::Dropped &dropped : folded_.front().dropped)
        for (const std::string &like : dropped.like)
          if (auto known = wrong.find(like); known != wrong.end()) {
            WrongOutput output = known->second;
            output.of = dropped.of;
            wrong.emplace(dropped.of, output);
          }
    for (const TensorPlacement &placement : comparison_.placements.outputs)
      if (auto known = wrong.find(placement.of); known != wrong.end()) {
        answer_.wrong.push_back(known->second);
        wrong.erase(known);
      }
    if (answer_.wrong.empty())
      answer_.where.clear();
    answer_.equal = answer_.wrong.empty();
    if (draws_) {
      answer_.assumed.emplace_back("random operators draw equal numbers on both sides, in the order of their calls");
      if (!answer_.wrong.empty())
        answer_.equal = std::nullopt;
    }
    answer_.errorProbability = answer_.equal.value_or(false) ? missProbability() : 0;
  }

  /// A difference survives a node unless the values are a zero of a polynomial of degree 2 at most (a product); so it
  /// is lost on its way with a probability of at most 2 * nodes / p in one trial.
  [[nodiscard]] double missProbability() const {
    double nodes = static_cast<double>(comparison_.ranks.front().graph->size());
    double once = std::min(1.0, 2 * nodes / static_cast<double>(prime));
    return std::pow(once, comparison_.trials);
  }

  const StepComparison &comparison_;
  StepAnswer answer_;
  /// without some repeated layers; empty, or one for each number of layers
  std::vector<FoldedSteps> folded_;
  /// by what the output is
  std::map<std::string, Finding> findings_;
  bool draws_ = false;
};

} // namespace

llvm::Expected<StepAnswer> compareSteps(const StepComparison &comparison) { return Comparer(comparison).run(); }

} // namespace ccgraph::equality
