#include "ccgraph/equality/parallel_forms.h"

#include "form_run.h"
#include "locate.h"
#include "trial.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace ccgraph::equality {
namespace {

/// Says which tensors one form alone has.
std::string onlyIn(llvm::StringRef what, llvm::ArrayRef<std::string> names, bool inReference) {
  return (what + " " + llvm::join(names, ", ") + (names.size() == 1 ? " is" : " are") +
          " stated by the placements of " + (inReference ? "the reference" : "the compared form") +
          " alone: state the counterpart with the same \"of\"")
      .str();
}

/// Makes one comparison of two forms, in which tensors are numbered by their names.
class FormMatch {
public:
  explicit FormMatch(const FormComparison &forms) : forms_(forms) {}

  llvm::Error match() {
    steps_ = {nullptr, &reference_, forms_.compared.ranks, forms_.compared.placements, forms_.trials, forms_.seed};
    reference_ = forms_.reference;
    for (ParallelForm form : {reference_, forms_.compared})
      if (llvm::Error error = checkNames(std::move(form)))
        return error;
    number("input", &StepPlacements::inputs);
    number("output", &StepPlacements::outputs);
    return llvm::Error::success();
  }

  [[nodiscard]] const StepComparison &steps() const { return steps_; }
  /// The same comparison with the forms exchanged; `reference` keeps its reference.
  [[nodiscard]] StepComparison exchanged(ParallelForm &reference) const {
    reference = {steps_.ranks, steps_.placements};
    return {nullptr, &reference, reference_.ranks, reference_.placements, steps_.trials, steps_.seed};
  }
  /// Texts of the tensors that one form alone has.
  [[nodiscard]] llvm::ArrayRef<std::string> unmatched() const { return unmatched_; }
  [[nodiscard]] bool hasUnmatchedInputs() const { return hasUnmatchedInputs_; }

private:
  /// Checks that a form has each input and output once, and that outputs have names of their own.
  static llvm::Error checkNames(ParallelForm form) {
    llvm::StringSet<> names;
    for (const TensorPlacement &output : form.placements.outputs)
      if (!names.insert(output.of).second)
        return placementError("two outputs are called '" + output.of + "'",
                              "outputs of two forms correspond by \"of\", so give each one a name of its own");
    for (std::vector<TensorPlacement> *list : {&form.placements.inputs, &form.placements.outputs})
      for (TensorPlacement &placement : *list)
        placement.single = 0;
    return checkForm(form.ranks, form.placements, {1, 1});
  }

  /// Numbers the tensors of one list by their names, and leaves out those that one form alone has.
  void number(llvm::StringRef what, std::vector<TensorPlacement> StepPlacements::*list) {
    std::vector<TensorPlacement> &ofReference = reference_.placements.*list;
    std::vector<TensorPlacement> &compared = steps_.placements.*list;
    llvm::StringMap<size_t> numbers;
    for (const TensorPlacement &placement : ofReference)
      if (llvm::any_of(compared, [&](const TensorPlacement &other) { return other.of == placement.of; }))
        numbers.try_emplace(placement.of, numbers.size());
    for (bool inReference : {true, false}) {
      std::vector<std::string> missing;
      std::vector<TensorPlacement> kept;
      for (TensorPlacement &placement : inReference ? ofReference : compared) {
        auto known = numbers.find(placement.of);
        if (known == numbers.end()) {
          missing.push_back(placement.of);
          continue;
        }
        placement.single = known->second;
        kept.push_back(placement);
      }
      (inReference ? ofReference : compared) = std::move(kept);
      if (missing.empty())
        continue;
      unmatched_.push_back(onlyIn(what, missing, inReference));
      hasUnmatchedInputs_ |= what == "input";
    }
  }

  const FormComparison &forms_;
  ParallelForm reference_;
  StepComparison steps_;
  std::vector<std::string> unmatched_;
  bool hasUnmatchedInputs_ = false;
};

/// Sets where the difference arises in the reference.
llvm::Error locateInReference(const FormMatch &match, StepAnswer &answer) {
  ParallelForm compared;
  StepComparison exchanged = match.exchanged(compared);
  Trial trial(exchanged.seed);
  if (llvm::Error error = runTrial(exchanged, trial))
    return error;
  if (!trial.problem && trial.differs())
    answer.whereInReference = locate(exchanged, trial);
  return llvm::Error::success();
}

} // namespace

llvm::Expected<StepAnswer> compareForms(const FormComparison &comparison) {
  FormMatch match(comparison);
  if (llvm::Error error = match.match())
    return error;
  StepAnswer undecided;
  undecided.ofForms = true;
  undecided.assumed = match.unmatched().vec();
  if (match.hasUnmatchedInputs())
    return undecided;
  llvm::Expected<StepAnswer> answer = compareSteps(match.steps());
  if (!answer)
    return answer;
  answer->ofForms = true;
  if (!answer->wrong.empty())
    if (llvm::Error error = locateInReference(match, *answer))
      return error;
  answer->assumed.insert(answer->assumed.end(), undecided.assumed.begin(), undecided.assumed.end());
  if (!undecided.assumed.empty() && answer->equal.value_or(false))
    answer->equal = std::nullopt;
  return answer;
}

} // namespace ccgraph::equality
