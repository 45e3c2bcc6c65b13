#include "ignored_labels.h"

#include "distribute.h"
#include "step_nodes.h"

#include "ccgraph/ir/op_def.h"
#include "ccgraph/ir/signature.h"

#include "llvm/ADT/DenseSet.h"

namespace ccgraph::equality {
namespace {

/// The use of labels in one step.
struct LabelUse {
  /// the negative numbers that it ignores
  std::vector<int64_t> ignored;
  bool areCut = false;
};

/// Returns the number that the call ignores in the node: of a comparison or of a loss.
std::optional<int64_t> ignoredBy(const Node &call, const Node &labels) {
  const OpDef &op = *call.op();
  const int ignoring = op.paramIndex("ignore_index"), target = op.paramIndex("target");
  if (ignoring >= 0 && target >= 0) {
    const Argument *of = argumentAt(call, target), *number = argumentAt(call, ignoring);
    if (!of || !of->is(Argument::Kind::Operand) || call.operand(*of) != &labels)
      return std::nullopt;
    return number && number->is(Argument::Kind::Int) ? number->integer() : -100;
  }
  if (isOneOfWords(shortTarget(call), {"eq", "ne"}) && call.args().size() == 2 &&
      call.args()[1].is(Argument::Kind::Int))
    return call.args()[1].integer();
  return std::nullopt;
}

bool takesPart(const Node &node) {
  return isOneOfWords(shortTarget(node), {"slice", "split", "split_with_sizes", "select", "unbind", "chunk", "index",
                                          "narrow", "getitem", "index_select"});
}
bool keepsLabels(const Node &node) {
  return isViewOrWait(node) || takesPart(node) ||
         isOneOfWords(shortTarget(node), {"_to_copy", "clone", "all_gather_into_tensor"});
}

LabelUse useOf(const Node &placeholder) {
  LabelUse use;
  std::vector<const Node *> work = {&placeholder};
  llvm::DenseSet<const Node *> seen = {&placeholder};
  while (!work.empty()) {
    const Node *node = work.back();
    work.pop_back();
    for (const Use &read : node->uses()) {
      const Node *user = read.user();
      if (user->opcode() != Opcode::CallFunction)
        continue;
      if (std::optional<int64_t> number = ignoredBy(*user, *node); number && *number < 0)
        use.ignored.push_back(*number);
      if (!keepsLabels(*user) || !seen.insert(user).second)
        continue;
      use.areCut |= takesPart(*user);
      work.push_back(user);
    }
  }
  return use;
}

/// Returns the number that the single step and all ranks ignore.
std::optional<IgnoredLabels> labelsOf(const StepComparison &comparison, const TensorPlacement &placement,
                                      const Node &single) {
  LabelUse use = useOf(single);
  IgnoredLabels labels{placement.single, 0, use.areCut};
  for (const RankStep &rank : comparison.ranks) {
    const std::vector<const Node *> placeholders = placeholdersOf(*rank.graph);
    if (placement.position >= placeholders.size())
      return std::nullopt;
    const LabelUse mine = useOf(*placeholders[placement.position]);
    llvm::erase_if(use.ignored, [&](int64_t number) { return !llvm::is_contained(mine.ignored, number); });
    labels.areCut |= mine.areCut;
  }
  if (use.ignored.empty())
    return std::nullopt;
  labels.value = use.ignored.front();
  return labels;
}

/// Returns 1 where a label is ignored, so that every rank ignores the same ones of its part; empty if there is no such
/// choice.
std::optional<Array> ignoredAlike(const Array &input, const TensorPlacement &placement,
                                  llvm::ArrayRef<NamedAxis> mesh) {
  std::vector<Array> parts;
  for (int64_t rank = 0; rank != numRanks(mesh); ++rank) {
    llvm::Expected<Array> part = partOf(input, placement, mesh, rank, {});
    if (!part)
      return llvm::consumeError(part.takeError()), std::nullopt;
    if (part->sizes.empty() || part->sizes.back() < 2 || (rank != 0 && part->sizes != parts.front().sizes))
      return std::nullopt;
    Words words(part->words->size());
    for (size_t i = 0; i != words.size(); ++i)
      words[i] = i % static_cast<size_t>(part->sizes.back()) % 2;
    parts.push_back(makeArray(Kind::Integer, part->sizes, std::move(words)));
  }
  llvm::Expected<Array> joined = joinedParts(std::move(parts), placement, mesh, input.sizes);
  if (!joined)
    return llvm::consumeError(joined.takeError()), std::nullopt;
  return *joined;
}

} // namespace

std::vector<IgnoredLabels> ignoredLabelsOf(const StepComparison &comparison) {
  std::vector<IgnoredLabels> found;
  if (!comparison.single)
    return found;
  const std::vector<const Node *> placeholders = placeholdersOf(*comparison.single);
  for (const TensorPlacement &placement : comparison.placements.inputs) {
    const Type *type = placeholders[placement.single]->type();
    if (type && type->isTensor() && classOf(type->dtype()) == DTypeClass::Integer)
      if (std::optional<IgnoredLabels> labels = labelsOf(comparison, placement, *placeholders[placement.single]))
        found.push_back(*labels);
  }
  return found;
}

Array withIgnoredLabels(const Array &input, const IgnoredLabels &labels, LabelChoice choice,
                        const StepPlacements &placements) {
  Words words(*input.words);
  if (choice == LabelChoice::First && !words.empty())
    words.front() = static_cast<Word>(labels.value);
  if (choice == LabelChoice::Alike) {
    const auto placement =
        llvm::find_if(placements.inputs, [&](const TensorPlacement &of) { return of.single == labels.single; });
    std::optional<Array> ignored = ignoredAlike(input, *placement, placements.mesh);
    for (size_t i = 0; ignored && i != words.size(); ++i)
      if ((*ignored)[static_cast<int64_t>(i)] != 0)
        words[i] = static_cast<Word>(labels.value);
  }
  return makeArray(input.kind, input.sizes, std::move(words));
}

} // namespace ccgraph::equality
