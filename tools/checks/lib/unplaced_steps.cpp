#include "ccgraph/checks/unplaced_steps.h"

#include "cut_candidates.h"
#include "input_match.h"
#include "output_match.h"

#include "ccgraph/ir/signature.h"
#include "ccgraph/ir/text.h"
#include "ccgraph/placements/infer_placements.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

namespace ccgraph {
namespace {

using equality::StepAnswer;
using equality::StepComparison;

/// Most ways to hold the inputs that are tried.
constexpr size_t mostWays = 16;
constexpr size_t mostListed = 10;

/// Inputs of one class that can be cut in the same ways are held alike.
struct InputFamily {
  std::vector<const MatchedInput *> inputs;
  [[nodiscard]] size_t ways() const { return inputs.front()->candidates.size(); }
};

class UnplacedComparison {
public:
  explicit UnplacedComparison(const UnplacedSteps &steps) : steps_(steps) {
    comparison_ = {steps.single, nullptr, steps.ranks, {}, steps.trials, steps.seed};
  }

  llvm::Expected<StepAnswer> run() {
    for (const equality::RankStep &rank : steps_.ranks)
      programs_.push_back({rank.graph, rank.groups});
    comparison_.placements.mesh = placements::meshOfGroups(programs_);
    if (mesh().empty())
      return ask({"the groups of the ranks do not form a mesh"});
    matches_ = matchInputs(*steps_.single, steps_.ranks, mesh());
    if (!matches_.unmatched.empty())
      return ask(matches_.unmatched);
    OutputMatcher outputs(comparison_, matches_);
    if (!outputs.problem().empty())
      return ask({outputs.problem()});
    makeFamilies();
    // First the ways, then for each axis what it may cut from both ends.
    const size_t ways = numWays();
    for (size_t attempt = 0; attempt != ways + mesh().size(); ++attempt) {
      chooseWay(attempt < ways ? attempt : 0);
      if (attempt >= ways && !balance(attempt - ways))
        continue;
      llvm::Expected<std::optional<std::vector<TensorPlacement>>> held = outputs.heldOutputs(comparison_);
      if (!held)
        return held.takeError();
      if (*held)
        return answerSame(std::move(**held), outputs);
    }
    chooseWay(0);
    return answerDifferent(outputs);
  }

private:
  [[nodiscard]] llvm::ArrayRef<NamedAxis> mesh() const { return comparison_.placements.mesh; }
  /// Returns how the ranks are taken to hold an input of `matches_`.
  [[nodiscard]] const TensorPlacement &placementOf(const MatchedInput &input) const {
    return comparison_.placements.inputs[static_cast<size_t>(&input - matches_.inputs.data())];
  }
  TensorPlacement &placementOf(const MatchedInput &input) {
    return comparison_.placements.inputs[static_cast<size_t>(&input - matches_.inputs.data())];
  }

  static StepAnswer ask(std::vector<std::string> reasons) {
    StepAnswer answer;
    answer.assumed = std::move(reasons);
    if (answer.assumed.size() > mostListed) {
      const size_t more = answer.assumed.size() - mostListed;
      answer.assumed.resize(mostListed);
      answer.assumed.push_back("and " + std::to_string(more) + " more");
    }
    answer.assumed.emplace_back("give --placements FILE, which states how the ranks hold the inputs and outputs of the "
                                "single step (docs/same-step.md)");
    return answer;
  }

  void makeFamilies() {
    std::map<std::string, InputFamily> families;
    for (const MatchedInput &input : matches_.inputs) {
      std::string key = classOf(input.dtype) == DTypeClass::Float ? "float" : "other";
      for (const TensorPlacement &candidate : input.candidates)
        key += "; " + cutText(candidate, mesh());
      families[key].inputs.push_back(&input);
    }
    for (auto &[key, family] : families)
      families_.push_back(std::move(family));
  }
  /// Returns how many ways are tried.
  [[nodiscard]] size_t numWays() const {
    size_t ways = 1;
    for (const InputFamily &family : families_)
      ways = std::min(mostWays, ways * family.ways());
    return ways;
  }
  void chooseWay(size_t way) {
    comparison_.placements.inputs.resize(matches_.inputs.size());
    for (const InputFamily &family : families_) {
      for (const MatchedInput *input : family.inputs)
        placementOf(*input) = input->candidates[way % family.ways()];
      way /= family.ways();
    }
  }

  /// Holds what an axis cuts from both ends if the axis cuts a sequence: integers, such as tokens, along another
  /// dimension than the first. Returns false if it cuts none, or one that does not divide.
  [[nodiscard]] bool balance(size_t axis) {
    bool cutsSequence = false;
    const std::vector<const Node *> ofSingle = placeholdersOf(*steps_.single);
    for (const MatchedInput &input : matches_.inputs) {
      AxisPlacement &held = placementOf(input).axes[axis];
      if (held.kind != AxisPlacement::Kind::Shard)
        continue;
      std::optional<IntList> sizes = knownSizes(ofSingle[input.single]);
      if (!sizes || (*sizes)[static_cast<size_t>(held.dim)] % (2 * mesh()[axis].size) != 0)
        return false;
      held.isHeadTail = true;
      cutsSequence |= held.dim > 0 && classOf(input.dtype) == DTypeClass::Integer;
    }
    return cutsSequence;
  }

  llvm::Expected<StepAnswer> answerSame(std::vector<TensorPlacement> held, const OutputMatcher &outputs) {
    comparison_.placements.outputs = std::move(held);
    llvm::Expected<StepAnswer> answer = equality::compareSteps(comparison_);
    if (!answer)
      return answer;
    if (answer->equal && !*answer->equal)
      return ask({"an output is equal in one evaluation and not in another"});
    noteMatch(*answer);
    for (const std::string &text : outputs.assumptions(comparison_.placements.outputs, mesh()))
      answer->assumed.push_back(text);
    return answer;
  }

  /// States what the correspondence of the inputs rests on.
  void noteMatch(StepAnswer &answer) const {
    answer.assumed.emplace_back("inputs and outputs correspond by name, position and sizes");
    for (const std::string &guess : llvm::ArrayRef(matches_.guesses).take_front(mostListed))
      answer.assumed.push_back(guess);
    for (const std::string &text : wayTexts())
      answer.assumed.push_back(text);
    for (size_t axis = 0; axis != mesh().size(); ++axis)
      if (isBalanced(axis))
        answer.assumed.push_back("the ranks of " + mesh()[axis].name +
                                 " hold parts of the sequence from both ends (head_tail)");
  }
  [[nodiscard]] bool isBalanced(size_t axis) const {
    return llvm::any_of(comparison_.placements.inputs,
                        [&](const TensorPlacement &input) { return input.axes[axis].isHeadTail; });
  }
  /// Inputs that the ranks may hold in several ways, and the chosen one.
  [[nodiscard]] std::vector<std::string> wayTexts() const {
    std::vector<std::string> texts;
    for (const InputFamily &family : families_)
      if (family.ways() > 1)
        texts.push_back(wayText(family));
    return texts;
  }
  [[nodiscard]] std::string wayText(const InputFamily &family) const {
    std::vector<std::string> names, ways;
    for (const MatchedInput *input : llvm::ArrayRef(family.inputs).take_front(mostListed))
      names.push_back(input->name);
    if (family.inputs.size() > names.size())
      names.push_back(std::to_string(family.inputs.size() - names.size()) + " more");
    const MatchedInput &first = *family.inputs.front();
    const TensorPlacement &chosen = placementOf(first);
    for (const TensorPlacement &candidate : first.candidates)
      if (cutText(candidate, mesh()) != cutText(chosen, mesh()))
        ways.push_back(cutText(candidate, mesh()));
    return llvm::join(names, ", ") + (family.inputs.size() == 1 ? " is " : " are ") + cutText(chosen, mesh()) +
           "; by its sizes, it may also be " + llvm::join(ways, ", or ");
  }

  /// No way makes all outputs equal. That is certain only if there is one way.
  llvm::Expected<StepAnswer> answerDifferent(OutputMatcher &outputs) {
    llvm::Expected<OutputMatcher::Explanation> why = outputs.explain(comparison_);
    if (!why)
      return why.takeError();
    std::vector<std::string> reasons = matches_.guesses;
    for (const std::string &text : wayTexts())
      reasons.push_back(text);
    reasons.insert(reasons.end(), why->hints.begin(), why->hints.end());
    if (why->placements.size() != outputs.count())
      return ask(std::move(reasons));
    comparison_.placements.outputs = std::move(why->placements);
    llvm::Expected<StepAnswer> answer = equality::compareSteps(comparison_);
    if (!answer || !answer->equal)
      return answer;
    llvm::Expected<std::string> division = *answer->equal ? std::string() : divisionText();
    if (!division)
      return division.takeError();
    if (!division->empty())
      reasons.push_back(*division);
    if (*answer->equal || reasons.empty()) {
      noteMatch(*answer);
      return answer;
    }
    reasons.insert(reasons.begin(), differenceText(*answer));
    return ask(std::move(reasons));
  }

  [[nodiscard]] static std::string differenceText(const StepAnswer &answer) {
    std::vector<std::string> names;
    for (const equality::WrongOutput &output : llvm::ArrayRef(answer.wrong).take_front(mostListed))
      names.push_back(output.of);
    std::string text = "as inputs and outputs were matched, " + counted(answer.wrong.size(), "output") +
                       (answer.wrong.size() == 1 ? " differs (" : " differ (") + llvm::join(names, ", ") +
                       (answer.wrong.size() > names.size() ? ", ..." : "") + ")";
    if (!answer.where.empty())
      text += " from " + answer.where.front().node + " of rank " + std::to_string(answer.where.front().rank) + " on";
    return text + ", but other matches are possible:";
  }

  /// A weight whose cut dimension is divided further may hold several weights, each of which is cut.
  [[nodiscard]] llvm::Expected<std::string> divisionText() const {
    placements::PlacementQuestion question{programs_, comparison_.placements};
    question.known.outputs.clear();
    llvm::Expected<placements::PlacementAnswer> placed = placements::inferPlacements(question);
    if (!placed)
      return placed.takeError();
    if (!placed->dividesParts)
      return std::string();
    std::vector<std::string> names;
    for (size_t i = 0; i != matches_.inputs.size(); ++i)
      if (classOf(matches_.inputs[i].dtype) == DTypeClass::Float &&
          cutText(comparison_.placements.inputs[i], mesh()) != "replicate" && names.size() != mostListed)
        names.push_back(matches_.inputs[i].name);
    return placed->dividesParts->name().str().str() + " divides a dimension that is cut, so one of " +
           llvm::join(names, ", ") + " may be a fused weight, of which each part is cut (\"as\": [3, 16, 16])";
  }

  const UnplacedSteps &steps_;
  std::vector<placements::RankProgram> programs_;
  StepComparison comparison_;
  InputMatches matches_;
  std::vector<InputFamily> families_;
};

} // namespace

llvm::Expected<StepAnswer> compareUnplacedSteps(const UnplacedSteps &steps) { return UnplacedComparison(steps).run(); }

} // namespace ccgraph
