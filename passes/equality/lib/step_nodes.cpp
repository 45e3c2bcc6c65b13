#include "step_nodes.h"

#include "program_diff.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <bit>

namespace ccgraph::equality {
namespace {

/// Adds the literals of an argument; `operand` gives the text of an operand.
template <class Operand>
void addArgumentText(const Node &node, const Argument &argument, Operand operand, std::string &text) {
  text += ",";
  if (argument.is(Argument::Kind::Operand))
    text += operand(*node.operand(argument));
  if (argument.is(Argument::Kind::Int))
    text += std::to_string(argument.integer());
  if (argument.is(Argument::Kind::Bool))
    text += argument.boolean() ? "true" : "false";
  if (argument.is(Argument::Kind::DType))
    text += std::to_string(static_cast<int>(argument.dtype()));
  if (argument.is(Argument::Kind::Float))
    text += std::to_string(std::bit_cast<uint64_t>(argument.floating()));
  if (argument.is(Argument::Kind::String))
    text += argument.text().str();
  if (argument.isSequence())
    for (const Argument &element : argument.elements())
      addArgumentText(node, element, operand, text);
}
template <class Operand>
std::string callText(const Node &node, Operand operand) {
  std::string text = node.target().str().str();
  for (const Argument &argument : node.args())
    addArgumentText(node, argument, operand, text);
  return text;
}

} // namespace

Alignment::Alignment(llvm::ArrayRef<RankStep> ranks) : ranks_(ranks) {
  const std::vector<Node *> first = ranks.front().graph->nodes();
  for (size_t i = 0; i != first.size(); ++i)
    position_[first[i]] = i;
  for (const RankStep &rank : ranks) {
    std::optional<std::vector<Node *>> nodes =
        rank.graph == ranks.front().graph ? first : commonNodes(first, rank.graph->nodes());
    byName_ |= !nodes;
    nodes_.push_back(nodes.value_or(std::vector<Node *>()));
  }
}

const Node *Alignment::on(size_t rank, const Node &node) const {
  if (!byName_)
    return nodes_[rank][position_.at(&node)];
  return ranks_[rank].graph->find(node.name().str());
}

const Node *Alignment::onFirst(size_t rank, const Node &node) const {
  if (byName_)
    return ranks_.front().graph->find(node.name().str());
  const auto found = llvm::find(nodes_[rank], &node);
  return found == nodes_[rank].end() ? nullptr : nodes_.front()[static_cast<size_t>(found - nodes_[rank].begin())];
}

size_t Alignment::numLacking(const Node &node) const {
  const size_t position = position_.at(&node);
  return static_cast<size_t>(llvm::count_if(nodes_, [&](auto &nodes) { return !nodes[position]; }));
}

std::vector<Alignment::OwnStep> Alignment::lackingSteps() const {
  std::vector<OwnStep> lacking;
  for (size_t rank = 1; rank != numRanks() && !byName_; ++rank)
    for (const Node *node : *ranks_.front().graph)
      if (!on(rank, *node) && 2 * numLacking(*node) < numRanks())
        lacking.push_back({rank, node});
  return lacking;
}

std::vector<Alignment::OwnStep> Alignment::ownSteps() const {
  std::vector<OwnStep> ofFirst, ofOthers;
  if (byName_)
    return {};
  for (const Node *node : *ranks_.front().graph)
    if (2 * numLacking(*node) >= numRanks())
      ofFirst.push_back({0, node});
  size_t numOthers = 0;
  for (size_t rank = 1; rank != numRanks(); ++rank) {
    const llvm::DenseSet<const Node *> common(nodes_[rank].begin(), nodes_[rank].end());
    const size_t before = ofOthers.size();
    for (const Node *node : *ranks_[rank].graph)
      if (!common.count(node))
        ofOthers.push_back({rank, node});
    numOthers += ofOthers.size() != before;
  }
  if (2 * numOthers <= numRanks())
    ofFirst.insert(ofFirst.end(), ofOthers.begin(), ofOthers.end());
  return ofFirst;
}

std::vector<std::string> Alignment::textsOf(const Node &node) const {
  std::vector<std::string> texts;
  for (size_t rank = 0; rank != numRanks(); ++rank) {
    const Node *mine = on(rank, node);
    texts.push_back(mine ? callText(*mine, [](const Node &operand) { return operand.name().str().str(); }) : "");
  }
  return texts;
}

bool Alignment::textsDiffer(const Node &node) const {
  std::vector<std::string> texts = textsOf(node);
  return llvm::any_of(texts, [&](const std::string &text) { return text != texts.front(); });
}

std::optional<size_t> Alignment::firstOtherText(const Node &node) const {
  std::vector<std::string> texts = textsOf(node);
  std::map<std::string, size_t> count;
  for (const std::string &text : texts)
    ++count[text];
  auto isUsual = [&](const std::string &text) { return 2 * count[text] > texts.size(); };
  if (llvm::none_of(texts, isUsual))
    return std::nullopt;
  auto other = llvm::find_if_not(texts, isUsual);
  if (other == texts.end())
    return std::nullopt;
  return static_cast<size_t>(other - texts.begin());
}

llvm::StringRef shortTarget(const Node &node) { return node.target().str().split('.').second.split('.').first; }

bool isOneOfWords(llvm::StringRef word, std::initializer_list<llvm::StringRef> words) {
  return llvm::is_contained(words, word);
}

bool isViewOrWait(const Node &node) {
  return node.op() && (node.op()->isView || node.op()->role == OpRole::Wait || node.op()->role == OpRole::GetItem ||
                       isOneOfWords(shortTarget(node), {"_unsafe_view", "clone", "reshape", "alias", "wait_tensor"}));
}
bool isWholeView(const Node &node) {
  return node.op() && node.numOperands() == 1 &&
         isOneOfWords(shortTarget(node), {"view", "_unsafe_view", "reshape", "clone", "transpose", "t", "permute",
                                          "alias", "detach", "squeeze", "unsqueeze", "wait_tensor"});
}
bool readsOnlySizes(const Node &node) {
  return isOneOfWords(shortTarget(node), {"nll_loss_backward", "ones_like", "zeros_like", "empty_like", "full_like",
                                          "new_zeros", "new_ones", "new_full", "new_empty"});
}
bool isElementwise(const Node &node) {
  return isOneOfWords(shortTarget(node), {"add", "sub", "mul", "div", "lerp", "addcmul", "addcdiv", "where"});
}
bool isScaleByNumber(const Node &node) {
  return isOneOfWords(shortTarget(node), {"mul", "div"}) && node.numOperands() == 1;
}
std::optional<int64_t> addedInteger(const Node &node) {
  const Argument *by =
      isOneOfWords(shortTarget(node), {"add", "sub"}) && node.numOperands() == 1 ? argumentAt(node, 1) : nullptr;
  if (!by || !by->is(Argument::Kind::Int))
    return std::nullopt;
  return shortTarget(node) == "sub" ? -by->integer() : by->integer();
}

bool isCollectiveNode(const Node &node) { return node.op() && node.op()->role == OpRole::Collective; }

bool isMovingCollective(const Node &node) {
  return isCollectiveNode(node) && isOneOfWords(shortTarget(node), {"all_gather_into_tensor", "all_to_all_single"});
}
bool isJoin(const Node &node) { return isOneOfWords(shortTarget(node), {"cat", "stack"}); }
/// Returns whether the parts of a split have as many elements each as the operands of a join.
static bool areAlike(const Node &split, const Node &join) {
  const Argument *sizes = argumentAt(split, 1);
  if (!sizes || !sizes->isSequence() || sizes->elements().size() != join.numOperands())
    return false;
  for (unsigned i = 0; i != join.numOperands(); ++i)
    if (const Argument &size = sizes->elements()[i]; !size.is(Argument::Kind::Int) || !join.operand(i)->type() ||
                                                     join.operand(i)->type()->numElements() != size.integer())
      return false;
  return true;
}

std::optional<BucketElement> bucketElementOf(const Node &node) {
  const Argument *index = node.op() && node.op()->role == OpRole::GetItem ? argumentAt(node, 1) : nullptr;
  if (!index || !index->is(Argument::Kind::Int) || node.numOperands() != 1)
    return std::nullopt;
  const Node *split = node.operand(0);
  BucketElement element;
  if (shortTarget(*split) != "split_with_sizes")
    return std::nullopt;
  const Node *join = split->operand(0);
  while (join->opcode() == Opcode::CallFunction && join->numOperands() == 1 && !isJoin(*join)) {
    if (isOneOfWords(shortTarget(*join), {"all_reduce", "mul", "div"}))
      element.steps.push_back(join);
    else if (!isViewOrWait(*join) && shortTarget(*join) != "_to_copy")
      return std::nullopt;
    join = join->operand(0);
  }
  if (join->opcode() != Opcode::CallFunction || !isJoin(*join) || index->integer() < 0 ||
      static_cast<uint64_t>(index->integer()) >= join->numOperands() || !areAlike(*split, *join))
    return std::nullopt;
  element.steps.push_back(join);
  element.operand = join->operand(static_cast<unsigned>(index->integer()));
  return element;
}
bool isPartOfUneven(const Node &node) {
  return isViewOrWait(node) || isJoin(node) || isOneOfWords(shortTarget(node), {"constant_pad_nd", "zeros", "slice"});
}

std::string literalsOf(const Node &node) {
  auto mark = [](const Node & /*operand*/) { return std::string("%"); };
  std::string text = callText(node, mark);
  for (const NamedArgument &argument : node.kwargs()) {
    text += ";" + argument.name.str().str();
    addArgumentText(node, argument.value, mark, text);
  }
  return text;
}

std::string shapeOfCall(const Node &node) {
  return callText(node, [](const Node &operand) {
    return operand.opcode() == Opcode::CallFunction ? operand.target().str().str() : std::string("input");
  });
}

} // namespace ccgraph::equality
