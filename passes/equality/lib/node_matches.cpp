#include "node_matches.h"

#include "distribute.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::equality {

static void addElementOperands(const Node &producer, size_t index, std::vector<const Node *> &operands) {
  for (const Argument &argument : producer.args())
    if (argument.isSequence() && index < argument.elements().size() &&
        argument.elements()[index].is(Argument::Kind::Operand))
      operands.push_back(producer.operand(argument.elements()[index]));
    else if (argument.is(Argument::Kind::Operand))
      operands.push_back(producer.operand(argument));
}

static std::string keyOf(const Node &node) { return isCollectiveNode(node) ? literalsOf(node) : shapeOfCall(node); }

NodeMatches::NodeMatches(const StepComparison &comparison, Trial &trial)
    : comparison_(comparison), trial_(trial), alignment_(comparison.ranks), correspondence_(comparison, trial) {
  for (const Node *node : *comparison.ranks.front().graph)
    if (node->opcode() == Opcode::CallFunction) {
      ++shapes_[keyOf(*node)];
      ++targets_[node->target().str()];
    }
  if (comparison.single)
    for (const Node *node : *comparison.single)
      if (node->opcode() == Opcode::CallFunction)
        singleCalls_[shortTarget(*node)].push_back(node);
}

const Match &NodeMatches::matchOf(const Node &node) {
  auto [place, isNew] = matches_.try_emplace(&node);
  if (!isNew)
    return place->second;
  if (isCollectiveNode(node) || isViewOrWait(node))
    for (const Node *operand : node.dataOperands())
      (void)matchOf(*operand); // it may derive the value that this node passes on
  std::vector<Array> arrays;
  for (size_t rank = 0; rank != comparison_.ranks.size(); ++rank) {
    const Node *mine = alignment_.on(rank, node);
    const Value *value = mine ? &trial_.ranks[rank].values[mine->id()] : nullptr;
    if (!value || !value->is(Value::Type::Tensor))
      break;
    arrays.push_back(asPairs(read(value->tensor)));
  }
  Match match;
  if (arrays.size() == comparison_.ranks.size()) {
    match = correspondence_.find(arrays);
    if (match.isNone && derive(node))
      match = correspondence_.find(arrays);
    if (match.isNone && !comparison_.placements.microbatches.empty())
      if (std::optional<MicrobatchTerms> terms = termsOf(node)) {
        match.isNone = false;
        match.isTerm = true;
        match.factor = fromPlain(1);
        terms_.try_emplace(&node, std::move(*terms));
      }
    if (!match.isNone &&
        llvm::any_of(node.dataOperands(), [&](const Node *operand) { return derived_.count(operand); }))
      derived_.try_emplace(&node, match.whole);
  }
  return matches_[&node] = match;
}

/// An element of a list is computed by the operator that makes the list.
static const Node &computing(const Node &reader) {
  const bool isElement = reader.op()->role == OpRole::GetItem && reader.numOperands() != 0;
  return isElement && reader.operand(0)->opcode() == Opcode::CallFunction ? *reader.operand(0) : reader;
}

std::optional<MicrobatchTerms> NodeMatches::termsOf(const Node &node) {
  if (node.opcode() != Opcode::CallFunction || isCollectiveNode(node))
    return std::nullopt;
  std::vector<const MicrobatchTerms *> known;
  for (const Node *operand : node.dataOperands()) {
    (void)matchOf(*operand);
    auto terms = terms_.find(operand);
    known.push_back(terms == terms_.end() ? nullptr : &terms->second);
  }
  if (known.size() == 1 && known.front() && (isWholeView(node) || isViewOrWait(node)))
    return *known.front();
  if (known.size() == 2 && known[0] && known[1] && shortTarget(node) == "add" && node.kwargs().empty())
    return sumOfTerms(*known[0], *known[1]);
  if (known.size() == 1 && known.front() && isScaleByNumber(node))
    return scaledTerms(node, *known.front());
  return termOfCall(node);
}

/// Names a value of the single graph: what a call computes, of a list the element that `reader` takes.
static uint64_t nameOfSum(const Node &call, const Node &reader) {
  return mix(call.id(), hashText(&computing(reader) == &reader ? "" : literalsOf(reader)));
}
static uint64_t nameOfSum(const Node &node) { return nameOfSum(computing(node), node); }

std::optional<MicrobatchTerms> NodeMatches::scaledTerms(const Node &node, const MicrobatchTerms &terms) const {
  const std::string literals = literalsOf(node);
  for (const Node *call : singleCalls_.lookup(shortTarget(node)))
    if (isScaleByNumber(*call) && literalsOf(*call) == literals &&
        nameOfSum(**call->dataOperands().begin()) == terms.sum)
      return MicrobatchTerms{nameOfSum(*call), terms.microbatches};
  return std::nullopt;
}

std::optional<MicrobatchTerms> NodeMatches::termOfCall(const Node &node) {
  const Node &computed = computing(node);
  const std::string literals = literalsOf(computed);
  for (const Node *call : singleCalls_.lookup(shortTarget(computed))) {
    const std::vector<const Node *> mine(computed.dataOperands().begin(), computed.dataOperands().end());
    const std::vector<const Node *> ofSingle(call->dataOperands().begin(), call->dataOperands().end());
    if (mine.size() != ofSingle.size() || literalsOf(*call) != literals)
      continue;
    std::vector<TermOperand> operands;
    for (size_t i = 0; i != mine.size(); ++i)
      operands.push_back({&matchOf(*mine[i]), correspondence_.contentOfSingle(*ofSingle[i])});
    if (std::optional<int64_t> microbatch = microbatchOfTerm(operands))
      return MicrobatchTerms{nameOfSum(*call, node), {*microbatch}};
  }
  return std::nullopt;
}

/// A vocabulary-parallel loss subtracts a maximum that the single graph does not have. For such a maximum, and for
/// what is computed from it, adds the value that the operator has of the whole operands. Returns whether one was
/// added.
bool NodeMatches::derive(const Node &node) {
  llvm::StringRef target = shortTarget(node);
  if (!isOneOfWords(target, {"amax", "sub", "exp", "sum", "log", "unsqueeze", "squeeze"}))
    return false;
  std::vector<Value> values(comparison_.ranks.front().graph->idLimit());
  bool follows = target == "amax";
  for (const Node *operand : node.dataOperands()) {
    const Match &match = matchOf(*operand);
    auto known = derived_.find(operand);
    follows |= known != derived_.end();
    if (known == derived_.end() && (!match.isExact() || match.isTrivial || match.isTerm))
      return false;
    values[operand->id()] = Value(known != derived_.end() ? known->second : match.whole);
  }
  uint64_t draws = 0;
  llvm::Expected<Value> value = trial_.evaluator.evaluate(node, values, draws);
  if (!value || !follows || !value->is(Value::Type::Tensor)) {
    llvm::consumeError(value.takeError());
    return false;
  }
  correspondence_.addDerived(read(value->tensor));
  derived_.try_emplace(&node, read(value->tensor));
  return true;
}

uint64_t NodeMatches::contentOf(const Node &operand) {
  const Match &match = matchOf(operand);
  return match.isExact() && !match.isTrivial ? match.content : 0;
}

uint64_t NodeMatches::directionOf(const Node &node) {
  const Match &match = matchOf(node);
  return match.isNone || match.isTrivial ? 0 : match.direction;
}

const Node *NodeMatches::otherOperand(const Node &node) {
  std::vector<const Node *> operands(node.dataOperands().begin(), node.dataOperands().end());
  const Node *other = nullptr;
  for (const Node *call : singleCalls_.lookup(shortTarget(node))) {
    std::vector<const Node *> others(call->dataOperands().begin(), call->dataOperands().end());
    std::vector<const Node *> differing;
    for (size_t i = 0; i != operands.size() && others.size() == operands.size(); ++i)
      if (uint64_t content = contentOf(*operands[i]);
          content == 0 || content != correspondence_.contentOfSingle(*others[i]))
        differing.push_back(operands[i]);
    if (others.size() != operands.size() || operands.size() < 2 || differing.size() != 1)
      continue;
    if (other && other != differing.front())
      return nullptr;
    other = differing.front();
  }
  return other && contentOf(*other) != 0 ? other : nullptr;
}

/// Returns the floats, each changed by another number.
static Array otherNumbers(const Array &array) {
  Words words = *array.words;
  for (size_t i = 0; i != words.size(); ++i)
    if (!isMark(words[i]))
      words[i] = add(words[i], fromPlain(3 * i * i + 5 * i + 7));
  return makeArray(array.kind, array.sizes, std::move(words), array.digits);
}

/// Returns the elements moved by one along a dimension.
static Array rotated(const Array &array, size_t dim) {
  const int64_t length = array.sizes[dim];
  return concatenated({slicedArray(array, dim, 1, length), slicedArray(array, dim, 0, 1)}, dim);
}

bool NodeMatches::tells(const Node &reader, const Node &operand) {
  const Value &value = trial_.ranks.front().values[operand.id()];
  if (!value.is(Value::Type::Tensor) || value.tensor.kind() != Kind::Float)
    return true;
  const Array given = read(value.tensor);
  if (!differsWith(reader, operand, otherNumbers(given)))
    return false;
  for (size_t dim = 0; dim != given.sizes.size(); ++dim)
    if (given.sizes[dim] > 1 && !differsWith(reader, operand, rotated(given, dim)))
      return false;
  return true;
}

bool NodeMatches::differsWith(const Node &reader, const Node &operand, const Array &elements) {
  const Node &computed = computing(reader);
  const bool writes = llvm::any_of(computed.op()->params, [](const auto &parameter) { return parameter.writes; });
  if (writes || isCollectiveNode(computed))
    return true;
  std::vector<Value> &values = trial_.ranks.front().values;
  const Value given = values[operand.id()];
  values[operand.id()] = Value(elements);
  uint64_t draws = 0;
  llvm::Expected<Value> value = trial_.evaluator.evaluate(computed, values, draws);
  values[operand.id()] = given;
  if (!value) {
    llvm::consumeError(value.takeError());
    return true;
  }
  const Argument *index = &computed == &reader ? nullptr : argumentAt(reader, 1);
  const Value *after = &*value;
  if (index && index->is(Argument::Kind::Int) && static_cast<size_t>(index->integer()) < value->list.size())
    after = &value->list[static_cast<size_t>(index->integer())];
  const Value &before = values[reader.id()];
  return !before.is(Value::Type::Tensor) || !after->is(Value::Type::Tensor) ||
         !sameWords(read(before.tensor), read(after->tensor));
}

/// A buffer that is written later: its elements are those of its last writer.
static bool isBuffer(const Node &node) {
  return isOneOfWords(shortTarget(node), {"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided"});
}

bool NodeMatches::isKnown(const Node &node) {
  return node.opcode() == Opcode::Placeholder || isBuffer(node) || !matchOf(node).isNone ||
         (isWholeView(node) && isKnown(*node.operand(0)));
}

bool NodeMatches::producesList(const Node &node) const {
  return trial_.ranks.front().values[node.id()].is(Value::Type::List);
}

std::vector<const Node *> NodeMatches::operandsOf(const Node &node) const {
  if (std::optional<BucketElement> element = bucketElementOf(node))
    return {element->operand};
  std::vector<const Node *> operands;
  const Argument *index = node.args().size() == 2 ? &node.args()[1] : nullptr;
  for (const Node *operand : node.dataOperands())
    if (producesList(*operand) && index && index->is(Argument::Kind::Int))
      addElementOperands(*operand, static_cast<size_t>(index->integer()), operands);
    else
      operands.push_back(operand);
  return operands;
}

bool NodeMatches::isMultiple(const Node &node) {
  return node.opcode() == Opcode::CallFunction && isFloatValue(node) && isKnown(node) && !correspondsExactly(node) &&
         !kindOfMatch(node).isPartial();
}
bool NodeMatches::isOddProduct(const Node &node) {
  if (shortTarget(node) != "mul" || node.numOperands() != 2 || !isKnown(node) || kindOfMatch(node).isPartial())
    return false;
  Word factor = fromPlain(1);
  for (const Node *operand : operandsOf(node)) {
    if (!isKnown(*operand) || kindOfMatch(*operand).isPartial() || kindOfMatch(*operand).isTrivial)
      return false;
    if (operand->opcode() != Opcode::Placeholder)
      factor = multiply(factor, kindOfMatch(*operand).factor);
  }
  return factor != kindOfMatch(node).factor;
}
bool NodeMatches::correspondsExactly(const Node &node) {
  return matchOf(node).isNone && isWholeView(node) ? correspondsExactly(*node.operand(0))
                                                   : node.opcode() == Opcode::Placeholder || matchOf(node).isExact();
}
const Match &NodeMatches::kindOfMatch(const Node &node) {
  const Match &match = matchOf(node);
  return match.isNone && isWholeView(node) ? kindOfMatch(*node.operand(0)) : match;
}

bool NodeMatches::lacksOperand(const Node &node) {
  return llvm::any_of(operandsOf(node), [&](const Node *operand) {
    return operand->opcode() != Opcode::Placeholder && isFloatValue(*operand) && isKnown(*operand) &&
           !kindOfMatch(*operand).isNone && !correspondsExactly(*operand);
  });
}
bool NodeMatches::lacks(const Node &operand, const Node &reader) {
  return !correspondsExactly(operand) || (isElementwise(reader) && kindOfMatch(operand).isInner());
}

bool NodeMatches::isFloatValue(const Node &node) const {
  const Value &value = trial_.ranks.front().values[node.id()];
  return value.is(Value::Type::Tensor) && value.tensor.kind() >= Kind::Float;
}

bool NodeMatches::isOddCall(const Node &node) {
  constexpr unsigned fewest = 3;
  bool isScale = isOneOfWords(shortTarget(node), {"mul", "div"}) && node.numOperands() == 1;
  return (isScale || isCollectiveNode(node)) && targets_.lookup(node.target().str()) >= fewest &&
         shapes_.lookup(keyOf(node)) == 1;
}

bool NodeMatches::hasFactor(const Node &node) {
  return isKnown(node) && !kindOfMatch(node).isNone && !kindOfMatch(node).isTrivial &&
         kindOfMatch(node).factor != fromPlain(1);
}

std::optional<size_t> NodeMatches::firstUnknownRank(const Node &node) {
  std::optional<size_t> unknown;
  bool isKnownOnOther = false;
  for (size_t rank = 0; rank != comparison_.ranks.size(); ++rank) {
    const Node *mine = alignment_.on(rank, node);
    const Value *value = mine ? &trial_.ranks[rank].values[mine->id()] : nullptr;
    if (!value || !value->is(Value::Type::Tensor))
      return std::nullopt;
    bool isKnownHere = correspondence_.isValueOrRows(asPairs(read(value->tensor)));
    isKnownOnOther |= isKnownHere;
    if (!isKnownHere && !unknown)
      unknown = rank;
  }
  return isKnownOnOther ? unknown : std::nullopt;
}

} // namespace ccgraph::equality
