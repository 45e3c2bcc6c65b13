#include "ccgraph/equality/same_step.h"

#include "layer_fold.h"
#include "locate.h"
#include "sizes/reduced_steps.h"
#include "sizes/step_cost.h"
#include "trial.h"
#include "undefined_outputs.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/text.h"

#include <cmath>
#include <map>

namespace ccgraph::equality {
namespace {

/// Further trials, where a trial met numbers without an inverse and so proves no difference.
constexpr unsigned mostExtraTrials = 4;

/// A step that takes more than this at its own sizes is evaluated at smaller ones.
constexpr int64_t usualBytes = int64_t{1} << 30;
constexpr double usualSeconds = 10;
/// A step that takes more than this is not evaluated again with labels that are ignored.
constexpr double mostLabelSeconds = 1;
/// Smaller sizes that take more than this are not tried.
constexpr double mostReducedSeconds = 60;

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

struct Finding {
  WrongOutput output;
  /// in how many trials it differs, and in how many of these without a number that has no inverse
  unsigned times = 0, proofs = 0;
};

/// The findings of the trials of one choice of sizes.
struct Evaluation {
  /// why the trials ended early; empty if they did not
  std::string problem;
  /// by what the output is
  std::map<std::string, Finding> findings;
  std::vector<StepPlace> where;
  /// the outputs of which some elements are no numbers, so that they cannot be compared; empty if there are none
  std::string undefined;
  bool draws = false, padsShards = false;

  /// A difference counts if one trial proves it, or if two trials find it.
  [[nodiscard]] std::map<std::string, WrongOutput> wrong() const {
    std::map<std::string, WrongOutput> outputs;
    for (const auto &[of, finding] : findings)
      if (finding.proofs != 0 || finding.times > 1)
        outputs.emplace(of, finding.output);
    return outputs;
  }
};

/// Steps that are evaluated in place of the given ones.
struct Variant {
  const StepComparison *steps = nullptr;
  /// by rank: the rank of the given step; empty: the same
  llvm::ArrayRef<int64_t> rankOf;
  bool isReduced = false;
  LabelChoice labels = LabelChoice::None;

  [[nodiscard]] int64_t rank(int64_t mine) const { return rankOf.empty() ? mine : rankOf[static_cast<size_t>(mine)]; }
};

/// Runs trials of the variants in turn.
class VariantTrials {
public:
  VariantTrials(const StepComparison &comparison, llvm::ArrayRef<Variant> variants)
      : comparison_(comparison), variants_(variants) {}

  llvm::Expected<Evaluation> run() {
    unsigned most = std::max<unsigned>(comparison_.trials, static_cast<unsigned>(variants_.size()));
    for (unsigned i = 0; i != most; ++i) {
      const Variant &variant = variants_[i % variants_.size()];
      Trial trial(comparison_.seed + i);
      trial.keepsValues = false;
      trial.checksSizes = variant.isReduced;
      trial.labels = variant.labels;
      if (llvm::Error error = runTrial(*variant.steps, trial))
        return error;
      if (trial.problem) {
        result_.problem = problemText(trial);
        return std::move(result_);
      }
      take(trial, variant);
      if (result_.undefined.empty())
        if (llvm::Error error = findUndefined(variant, comparison_.seed + i, undefinedOutputs(*variant.steps, trial)))
          return error;
      if (trial.differs() && result_.where.empty() && !variant.isReduced)
        if (llvm::Error error = locateDifference(variant, comparison_.seed + i, result_))
          return error;
      if (trial.differs() && trial.evaluator.field().numGaps() != 0 && most < comparison_.trials + mostExtraTrials)
        ++most;
    }
    return std::move(result_);
  }

  /// Finds the nodes of a difference, if one of the variants differs.
  llvm::Error locateIn(Evaluation &result) { return locateDifference(variants_.front(), comparison_.seed, result); }

private:
  void take(Trial &trial, const Variant &variant) {
    const bool isProof = trial.evaluator.field().numGaps() == 0;
    result_.draws |= trial.drawsRandom();
    result_.padsShards |= trial.padsShards;
    for (const std::optional<WrongOutput> &wrong : trial.wrong)
      if (wrong) {
        auto [place, isNew] = result_.findings.try_emplace(wrong->of, Finding{*wrong, 0, 0});
        Finding &finding = place->second;
        if (isNew)
          finding.output.rank = variant.rank(wrong->rank);
        ++finding.times;
        finding.proofs += isProof;
      }
  }

  /// Runs a trial with undefined outputs once more, and finds where the first one arises.
  llvm::Error findUndefined(const Variant &variant, uint64_t seed, llvm::ArrayRef<size_t> outputs) {
    if (outputs.empty())
      return llvm::Error::success();
    llvm::raw_string_ostream text(result_.undefined);
    text << "elements of outputs are no numbers in the evaluation (0 / 0 and the like), so they cannot be compared: "
         << variant.steps->placements.outputs[outputs.front()].of;
    if (outputs.size() > 1)
      text << " and " << outputs.size() - 1 << " more";
    Trial trial(seed);
    if (llvm::Error error = runTrial(*variant.steps, trial))
      return error;
    if (const Node *origin = undefinedOrigin(*variant.steps, trial, outputs.front()))
      text << "; the first such value of the single step is " << diagnose(*origin, "same.undefined", "").where;
    return llvm::Error::success();
  }

  /// Runs a trial that differs once more, and keeps its values.
  llvm::Error locateDifference(const Variant &variant, uint64_t seed, Evaluation &result) {
    Trial trial(seed);
    trial.labels = variant.labels;
    if (llvm::Error error = runTrial(*variant.steps, trial))
      return error;
    if (trial.problem)
      return llvm::Error::success();
    if (trial.differs())
      result.where = locate(*variant.steps, trial);
    for (StepPlace &place : result.where)
      place.rank = variant.rank(place.rank);
    return llvm::Error::success();
  }

  const StepComparison &comparison_;
  llvm::ArrayRef<Variant> variants_;
  Evaluation result_;
};

class Comparer {
public:
  explicit Comparer(const StepComparison &comparison) : comparison_(comparison) {}

  llvm::Expected<StepAnswer> run() {
    if (!comparison_.reference)
      if (llvm::Error error = checkPlacements(comparison_))
        return error;
    foldRepeatedLayers();
    if (wantsSmallerSizes()) {
      llvm::Expected<bool> isDecided = evaluateReduced();
      if (!isDecided)
        return isDecided.takeError();
      if (*isDecided)
        return std::move(answer_);
    }
    if (const int64_t bytes = most(&StepCost::bytes); bytes > comparison_.mostBytes) {
      answer_.assumed.push_back("an evaluation at the sizes of the steps needs about " + bytesText(bytes) +
                                ", more than " + bytesText(comparison_.mostBytes) +
                                (noReduction_.empty() ? "" : "; there are no smaller sizes: " + noReduction_));
      return std::move(answer_);
    }
    llvm::Expected<Evaluation> evaluation = VariantTrials(comparison_, variants_).run();
    if (!evaluation)
      return evaluation.takeError();
    if (!evaluation->problem.empty())
      answer_.assumed.push_back(evaluation->problem);
    else if (llvm::Error error = tryIgnoredLabels(*evaluation))
      return error;
    else
      decide(*evaluation);
    return std::move(answer_);
  }

private:
  /// Evaluates equal steps with labels that are ignored as well. A difference counts where all ranks ignore as many and
  /// no step cuts the labels; else a mean over each part may be meant, and the difference is stated.
  llvm::Error tryIgnoredLabels(Evaluation &evaluation) {
    const std::vector<IgnoredLabels> labels = ignoredLabelsOf(comparison_);
    if (labels.empty() || !evaluation.wrong().empty() || most(&StepCost::seconds) > mostLabelSeconds)
      return llvm::Error::success();
    for (LabelChoice choice : {LabelChoice::Alike, LabelChoice::First}) {
      std::vector<Variant> variants = variants_;
      for (Variant &variant : variants)
        variant.labels = choice;
      llvm::Expected<Evaluation> ignoring = VariantTrials(comparison_, variants).run();
      if (!ignoring)
        return ignoring.takeError();
      if (!ignoring->problem.empty() || ignoring->wrong().empty())
        continue;
      const bool areCut = llvm::any_of(labels, [](const IgnoredLabels &of) { return of.areCut; });
      if (choice == LabelChoice::Alike && !areCut)
        return evaluation = std::move(*ignoring), llvm::Error::success();
      answer_.assumed.push_back("each part of the labels has as many that are ignored (" +
                                std::to_string(labels.front().value) + "); with other numbers of them, " +
                                ignoring->wrong().begin()->first + " differs");
      break;
    }
    return llvm::Error::success();
  }

  void foldRepeatedLayers() {
    for (int64_t kept : {fewKept, moreKept})
      if (std::optional<FoldedSteps> folded = foldedLayers(kept))
        folded_.push_back(std::move(*folded));
    if (folded_.size() != 2)
      folded_.clear();
    else
      answer_.assumed = folded_.front().notes;
    for (const FoldedSteps &folded : folded_)
      variants_.push_back({&folded.comparison, {}, false});
    if (variants_.empty())
      variants_.push_back({&comparison_, {}, false});
    for (const Variant &variant : variants_)
      costs_.push_back(costOf(*variant.steps));
  }
  [[nodiscard]] std::optional<FoldedSteps> foldedLayers(int64_t kept) const {
    return comparison_.reference ? std::nullopt : foldLayers(comparison_, kept);
  }

  template <class Number>
  [[nodiscard]] Number most(Number StepCost::*what) const {
    Number most = 0;
    for (const StepCost &cost : costs_)
      most = std::max(most, cost.*what);
    return most;
  }

  [[nodiscard]] bool wantsSmallerSizes() const {
    if (comparison_.reference)
      return false;
    switch (comparison_.sizes) {
    case StepSizesChoice::Own:
      return false;
    case StepSizesChoice::Reduced:
      return true;
    case StepSizesChoice::Automatic:
      return most(&StepCost::bytes) > usualBytes || most(&StepCost::seconds) > usualSeconds;
    }
    return false;
  }

  /// Evaluates the steps at smaller sizes; returns false if that decides nothing. Equal outputs for one choice of sizes
  /// decide; different ones do if all choices give them, since a choice may take apart what belongs together.
  llvm::Expected<bool> evaluateReduced() {
    std::vector<std::unique_ptr<SizeReduction>> reductions;
    for (const Variant &variant : variants_) {
      reductions.push_back(std::make_unique<SizeReduction>(*variant.steps));
      if (llvm::Error error = reductions.back()->build())
        return noteNoReduction(llvm::toString(std::move(error)));
    }
    noReduction_ = "none satisfy all relations between the sizes";
    std::vector<SizeTies> costly;
    for (SizeTies ties : allSizeTies) {
      if (!findSizes(reductions, ties))
        continue;
      // Equal numbers for all sizes of one value may need large ones: 8192 may be a sequence and a hidden size.
      if (!reduced_ && isCostly(reductions)) {
        costly.push_back(ties);
        continue;
      }
      llvm::Expected<bool> isEqual = evaluateWays(reductions);
      if (!isEqual)
        return noteNoReduction(llvm::toString(isEqual.takeError()));
      if (*isEqual)
        return true;
      if (reduced_ && ties == SizeTies::Values)
        break;
    }
    for (SizeTies ties : costly) {
      if (!findSizes(reductions, ties))
        continue;
      llvm::Expected<bool> isEqual = evaluateWays(reductions);
      if (!isEqual)
        return noteNoReduction(llvm::toString(isEqual.takeError()));
      if (*isEqual)
        return true;
    }
    if (!reduced_)
      return false;
    for (const Variant &variant : reduced_->variants)
      if (reduced_->result.where.empty())
        if (llvm::Error error = VariantTrials(comparison_, variant).locateIn(reduced_->result))
          return error;
    return decideReduced(), true;
  }

  static bool findSizes(llvm::ArrayRef<std::unique_ptr<SizeReduction>> reductions, SizeTies ties) {
    return llvm::all_of(reductions, [&](const auto &reduction) { return reduction->find(ties); });
  }
  [[nodiscard]] static bool isCostly(llvm::ArrayRef<std::unique_ptr<SizeReduction>> reductions) {
    return llvm::any_of(reductions, [](const auto &reduction) {
      return costOf(reduction->apply(0, 0).comparison).seconds > usualSeconds;
    });
  }
  /// Evaluates the ways of numbers in turn until the outputs are equal; returns whether they are.
  llvm::Expected<bool> evaluateWays(llvm::ArrayRef<std::unique_ptr<SizeReduction>> reductions) {
    for (size_t way = 0; way != reductions.front()->numWays(); ++way) {
      llvm::Expected<bool> isEqual = evaluateWay(reductions, way);
      if (!isEqual || *isEqual)
        return isEqual;
    }
    return false;
  }

  /// Steps of smaller sizes, and what their trials found.
  struct Reduced {
    std::vector<ReducedSteps> steps;
    std::vector<Variant> variants;
    Evaluation result;
  };

  /// Evaluates one choice; decides if the outputs are equal, and returns whether they are.
  llvm::Expected<bool> evaluateWay(llvm::ArrayRef<std::unique_ptr<SizeReduction>> reductions, size_t way) {
    Reduced reduced;
    for (size_t i = 0; i != reductions.size(); ++i)
      for (size_t found = 0; found != reductions[i]->numFound(); ++found)
        if (reductions.size() == 1 || found == i % reductions[i]->numFound())
          reduced.steps.push_back(reductions[i]->apply(found, way));
    for (const ReducedSteps &steps : reduced.steps) {
      reduced.variants.push_back({&steps.comparison, steps.rankOf, true});
      if (costOf(steps.comparison).seconds > mostReducedSeconds)
        return false;
    }
    llvm::Expected<Evaluation> evaluation = VariantTrials(comparison_, reduced.variants).run();
    if (!evaluation)
      return evaluation.takeError();
    if (!evaluation->problem.empty()) {
      noReduction_ = evaluation->problem;
      return false;
    }
    reduced.result = std::move(*evaluation);
    // The choice with the fewest wrong outputs is the likeliest to keep together what belongs together.
    const size_t numWrong = reduced.result.wrong().size();
    const bool isEqual = numWrong == 0;
    if (!reduced_ || numWrong < reduced_->result.wrong().size())
      reduced_ = std::move(reduced);
    if (isEqual)
      decideReduced();
    return isEqual;
  }
  void decideReduced() {
    answer_.assumed.push_back("sizes follow one another, so both steps are evaluated with smaller ones: " +
                              reduced_->steps.front().note);
    decide(reduced_->result);
  }
  bool noteNoReduction(const std::string &reason) {
    noReduction_ = reason;
    return false;
  }

  /// An output of a layer that was not evaluated differs if that of a layer beside it does.
  void decide(const Evaluation &evaluation) {
    std::map<std::string, WrongOutput> wrong = evaluation.wrong();
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
    answer_.equal = answer_.wrong.empty();
    if (!answer_.wrong.empty())
      answer_.where = evaluation.where;
    if (!evaluation.undefined.empty()) {
      answer_.assumed.push_back(evaluation.undefined);
      if (answer_.wrong.empty())
        answer_.equal = std::nullopt;
    }
    if (evaluation.padsShards)
      answer_.assumed.emplace_back("shards that are padded to the size of the first one have zeros there");
    if (evaluation.draws) {
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
  /// the steps at their own sizes, folded if they have repeated layers
  std::vector<Variant> variants_;
  /// by variant
  std::vector<StepCost> costs_;
  /// the choice of smaller sizes with the fewest wrong outputs
  std::optional<Reduced> reduced_;
  /// why there are no smaller sizes
  std::string noReduction_;
};

} // namespace

llvm::Expected<StepAnswer> compareSteps(const StepComparison &comparison) { return Comparer(comparison).run(); }

} // namespace ccgraph::equality
