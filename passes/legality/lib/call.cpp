#include "call.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <numeric>

namespace ccgraph::legality {

namespace {

std::optional<int64_t> integer(const Argument *argument) {
  return argument && argument->is(Argument::Kind::Int) ? std::optional<int64_t>(argument->integer()) : std::nullopt;
}

std::optional<std::vector<int64_t>> integers(const Argument *argument) {
  if (!argument || !argument->isSequence())
    return std::nullopt;
  std::vector<int64_t> values;
  for (const Argument &element : argument->elements()) {
    if (!element.is(Argument::Kind::Int))
      return std::nullopt;
    values.push_back(element.integer());
  }
  return values;
}

/// Returns "sum", for example; for a reduction that is an object, the object itself, since two objects may have
/// different meanings.
std::string reduction(const Program &program, const Step &step, const Argument *argument) {
  if (!argument)
    return "";
  if (argument->is(Argument::Kind::String))
    return argument->text().lower();
  uint32_t object = argument->is(Argument::Kind::Operand) ? program.operand(step, *argument) : none;
  if (object != none && program[object].opcode() == Opcode::GetAttr)
    return "object " + program[object].node->target().str().str();
  return "object of " + std::to_string((object == none ? step : program[object]).node->id());
}

/// Reads the kind and the group of a collective in a subgraph.
Call readWrapped(const Program &program, uint32_t index) {
  const Graph *graph = wrappedGraph(program, program[index]);
  const Node *inner = graph ? onlyCall(*graph) : nullptr;
  Call call;
  call.step = index;
  bool one = inner && inner->op() && inner->op()->collective;
  call.spec = one ? &*inner->op()->collective : nullptr;
  call.group = one ? readGroup(program, index, *inner) : unreadGroup(*program[index].node);
  return call;
}

} // namespace

// A pass that inlines a control_deps erases its subgraph before the program before is read. So an erased body is looked
// up among the erased graphs, which the graph keeps.
const Graph *wrappedGraph(const Program &program, const Step &step) {
  if (!step.op || step.op->role != OpRole::ControlDeps || step.arguments->positional.size() < 2)
    return nullptr;
  const Argument &body = step.arguments->positional[1];
  uint32_t index = body.is(Argument::Kind::Operand) ? program.operand(step, body) : none;
  if (index == none || program[index].opcode() != Opcode::GetAttr)
    return nullptr;
  const Node *attribute = program[index].node;
  const Graph *live = attribute->graph()->subgraph(attribute->target());
  return live ? live : attribute->graph()->erasedSubgraph(attribute->target());
}

const Node *onlyCall(const Graph &graph) {
  const Node *call = nullptr;
  for (const Node *node : graph) {
    if (node->opcode() != Opcode::CallFunction)
      continue;
    if (call)
      return nullptr;
    call = node;
  }
  return call;
}

bool isCall(const Program &program, const Step &step) {
  return step.collective() || (step.domain == Domain::Comm && wrappedGraph(program, step));
}

Call readCall(const Program &program, uint32_t index) {
  const Step &step = program[index];
  if (!step.collective())
    return readWrapped(program, index);
  Call call;
  call.step = index;
  call.spec = step.collective();
  call.group = readGroup(program, index, *step.node);
  call.reduceOp = reduction(program, step, Program::argument(step, call.spec->reduceOp));
  call.groupSize = integer(Program::argument(step, call.spec->groupSize));
  call.root = integer(Program::argument(step, call.spec->root));
  call.inputs = program.operandsIn(step, Program::argument(step, call.spec->input));
  call.inputSplits = integers(Program::argument(step, call.spec->inputSplits));
  call.outputSplits = integers(Program::argument(step, call.spec->outputSplits));
  return call;
}

void forEachCall(const Program &program, llvm::function_ref<void(const Call &)> visit) {
  for (uint32_t i = 0; i < program.size(); ++i)
    if (isCall(program, program[i]))
      visit(readCall(program, i));
}

std::vector<Call> readCalls(const Program &program) {
  std::vector<Call> calls;
  size_t count = 0;
  for (uint32_t i = 0; i < program.size(); ++i)
    count += isCall(program, program[i]);
  calls.reserve(count);
  for (uint32_t i = 0; i < program.size(); ++i)
    if (isCall(program, program[i]))
      calls.push_back(readCall(program, i));
  return calls;
}

bool alike(const Call &a, const Call &b) {
  return a.spec->kind == b.spec->kind && a.group.key == b.group.key && a.reduceOp == b.reduceOp &&
         a.groupSize == b.groupSize && a.root == b.root;
}

// alike() compares kind, group, reduction, sizes and root. A further argument that is not None carries information that
// a bucket cannot express. The tag and group size of old calls are exceptions: they identify the participants.
bool saysNothingElse(const Step &step) {
  const CollectiveSpec &spec = *step.collective();
  for (int i = 0, end = static_cast<int>(step.op->params.size()); i < end; ++i) {
    const Argument *argument = Program::argument(step, i);
    int compared[] = {spec.input, spec.reduceOp,    spec.groupSize,    spec.group,
                      spec.root,  spec.inputSplits, spec.outputSplits, spec.output};
    bool known = llvm::is_contained(compared, i);
    bool legacy = spec.legacy && (i == spec.group - 1 || i == spec.group + 1);
    if (argument && !known && !legacy && !argument->is(Argument::Kind::None))
      return false;
  }
  return true;
}

bool isPlainExchange(const Call &call) {
  const CollectiveSpec &spec = *call.spec;
  return !spec.inPlace && !spec.synchronous && !spec.coalesced && spec.output < 0 && call.inputs.size() == 1;
}

std::optional<int64_t> describedRanks(const Call &call) {
  if (!call.group.described())
    return std::nullopt;
  std::vector<std::vector<int64_t>> cells = call.group.cells();
  bool alike = !cells.empty() && llvm::all_of(cells, [&](const std::vector<int64_t> &cell) {
    return cell.size() == cells.front().size();
  });
  return alike ? std::optional(static_cast<int64_t>(cells.front().size())) : std::nullopt;
}

std::string wrongRanks(const Call &call) {
  const std::optional<int64_t> ranks = describedRanks(call);
  if (!ranks || !call.groupSize || *call.groupSize == *ranks)
    return "";
  return "states " + std::to_string(*call.groupSize) + " ranks, expected the " + std::to_string(*ranks) +
         " of group '" + call.group.text + "'";
}

std::string CommonGroup::add(const Call &call, llvm::StringRef region) {
  if (call.group.form == GroupTerm::Form::Unread)
    return "is on a group with unknown ranks";
  if (group && call.group.key != group->key)
    return "is on group '" + call.group.text + "', expected '" + group->text + "' as the rest of the " + region.str();
  group = call.group;
  if (call.spec->groupSize < 0 && !call.inputSplits)
    return "";
  const int64_t own = call.inputSplits ? static_cast<int64_t>(call.inputSplits->size()) : call.groupSize.value_or(0);
  if (own <= 0 || (ranks != 0 && own != ranks))
    return "is on " + std::to_string(own) + " ranks, expected as many as the rest of the " + region.str();
  ranks = own;
  return "";
}

// A sum of two numbers has one result: a + b and b + a are bitwise equal. For three numbers, (a + b) + c may differ
// from a + (b + c), and the order that a backend chooses may depend on the size of the buffer. Minimum, maximum,
// bitwise and integer reductions are the same in any order.
bool addsInSomeOrder(const Program &program, const Call &call) {
  if (!call.spec || call.spec->reduceOp < 0)
    return false;
  constexpr llvm::StringLiteral exact[] = {"min", "max", "band", "bor", "bxor"};
  auto isWhole = [&](uint32_t input) {
    const Type *type = input == none ? nullptr : program[input].type;
    return type && type->isTensor() && !isFloat(type->dtype()) && !isComplex(type->dtype());
  };
  if (llvm::is_contained(exact, llvm::StringRef(call.reduceOp)) || llvm::all_of(call.inputs, isWhole))
    return false;
  if (call.groupSize)
    return *call.groupSize > 2;
  std::vector<std::vector<int64_t>> cells = call.group.cells();
  return cells.empty() || !call.group.described() ||
         llvm::any_of(cells, [](const std::vector<int64_t> &cell) { return cell.size() > 2; });
}

bool isFence(const Call &call) {
  return call.spec && (isPointToPoint(call.spec->kind) || call.spec->kind == CollectiveKind::Barrier);
}

OverlappingGroups::OverlappingGroups(llvm::ArrayRef<const Call *> samples) {
  for (uint32_t i = 0; i < samples.size(); ++i) {
    cells_.push_back(samples[i]->group.cells());
    if (cells_[i].empty())
      unknown_.push_back(i);
    for (uint32_t cell = 0; cell < cells_[i].size(); ++cell)
      for (int64_t rank : cells_[i][cell])
        byRank_[rank].push_back({i, cell});
  }
}

// Counts, rank by rank, how often each other group contains a rank of this one: [0, 1, 2, 3] and [0, 1] share two
// ranks, [0, 1, 2, 3] and [0, 4] share one. Two shared ranks are enough for a disagreement about an order.
std::vector<uint32_t> OverlappingGroups::of(uint32_t sample) const {
  std::vector<uint32_t> overlapping = unknown_;
  overlapping.push_back(sample);
  if (llvm::is_contained(unknown_, sample)) {
    overlapping.resize(cells_.size());
    std::iota(overlapping.begin(), overlapping.end(), 0U);
    return overlapping;
  }
  for (const std::vector<int64_t> &cell : cells_[sample]) {
    std::map<Cell, unsigned> common;
    for (int64_t rank : cell)
      for (const Cell &other : byRank_.at(rank))
        if (++common[other] == 2)
          overlapping.push_back(other.first);
  }
  llvm::sort(overlapping);
  overlapping.erase(std::unique(overlapping.begin(), overlapping.end()), overlapping.end());
  return overlapping;
}

} // namespace ccgraph::legality
