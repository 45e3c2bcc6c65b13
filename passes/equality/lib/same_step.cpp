#include "ccgraph/equality/same_step.h"

#include "locate.h"
#include "trial.h"

#include "ccgraph/ir/diagnostic.h"

#include <cmath>

namespace ccgraph::equality {
namespace {

/// Further trials, where a trial met numbers without an inverse and so proves no difference.
constexpr unsigned mostExtraTrials = 4;

std::string problemText(const Problem &problem, bool ofSingle) {
  if (!problem.node)
    return problem.text;
  Diagnostic diagnostic = diagnose(*problem.node, "same.undecided", problem.text);
  std::string place = ofSingle ? "the single step" : "rank " + std::to_string(problem.rank);
  std::string text = place + ": " + diagnostic.where + ": " + diagnostic.message;
  for (const std::string &note : diagnostic.notes)
    text += "; " + note;
  return text;
}

class Comparer {
public:
  explicit Comparer(const StepComparison &comparison) : comparison_(comparison) {}

  llvm::Expected<StepAnswer> run() {
    if (llvm::Error error = checkPlacements(comparison_))
      return error;
    times_.assign(comparison_.placements.outputs.size(), 0);
    proofs_.assign(times_.size(), 0);
    unsigned most = comparison_.trials;
    for (unsigned i = 0; i != most; ++i) {
      Trial trial(comparison_.seed + i);
      if (llvm::Error error = runTrial(comparison_, trial))
        return error;
      if (trial.problem) {
        answer_.assumed.push_back(problemText(*trial.problem, trial.ofSingle));
        return std::move(answer_);
      }
      take(trial);
      if (trial.differs() && trial.evaluator.field().numGaps() != 0 && most < comparison_.trials + mostExtraTrials)
        ++most;
    }
    decide();
    return std::move(answer_);
  }

private:
  void take(Trial &trial) {
    const bool isProof = trial.evaluator.field().numGaps() == 0;
    draws_ |= trial.drawsRandom();
    for (size_t i = 0; i != trial.wrong.size(); ++i)
      if (trial.wrong[i]) {
        ++times_[i];
        proofs_[i] += isProof;
        if (wrong_.size() <= i)
          wrong_.resize(trial.wrong.size());
        if (!wrong_[i])
          wrong_[i] = trial.wrong[i];
      }
    if (trial.differs() && answer_.where.empty())
      answer_.where = locate(comparison_, trial);
  }

  /// A difference counts if one trial proves it, or if two trials find it.
  void decide() {
    for (size_t i = 0; i != wrong_.size(); ++i)
      if (wrong_[i] && (proofs_[i] != 0 || times_[i] > 1))
        answer_.wrong.push_back(*wrong_[i]);
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
  std::vector<std::optional<WrongOutput>> wrong_;
  /// by output: in how many trials it differs, and in how many of these without a number that has no inverse
  std::vector<unsigned> times_, proofs_;
  bool draws_ = false;
};

} // namespace

llvm::Expected<StepAnswer> compareSteps(const StepComparison &comparison) { return Comparer(comparison).run(); }

} // namespace ccgraph::equality
