#include "support/random_program.h"

#include "support/random_maker.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>
#include <random>

using llvm::StringRef;

namespace ccgraph::test {

namespace {

constexpr unsigned maxSteps = 60;
/// The bound of seeded and given inputs.
constexpr double inputBound = 8;

} // namespace

RandomMaker::RandomMaker(Context &context, std::vector<uint32_t> numbers, ProgramFor use)
    : numbers_(std::move(numbers)), use_(use), graph_(std::make_unique<Graph>(context, "random")), builder_(*graph_) {}

RandomProgram RandomMaker::make() {
  makeGroups();
  makeInputs();
  makeGroupNodes();
  for (unsigned step = 0; step != maxSteps && !numbers_.done(); ++step)
    takeStep();
  while (!asyncPairs_.empty())
    wait();
  finish();
  return {std::move(graph_), ranks_};
}

// --- Initial values --------------------------------------------------------------------------------------------------

void RandomMaker::makeGroups() {
  ranks_ = 2 + numbers_.below(use_ == ProgramFor::PyTorch ? 3 : 8);
  graph_->worldSize = static_cast<int64_t>(ranks_);
  Sizes all(ranks_);
  std::iota(all.begin(), all.end(), 0);
  addGroup("0", {all});
  addGroup("object", {all});
  axes_.pop_back(); // a node names it, and that node is made after the inputs
  if (use_ == ProgramFor::Interpreter)
    std::reverse(all.begin(), all.end()); // gloo orders the ranks of a group by their numbers
  addGroup("other", {all});
  for (size_t size = 2; size < ranks_; ++size)
    if (ranks_ % size == 0) {
      addGroup("near" + std::to_string(size), cells(size, 1));
      addGroup("far" + std::to_string(size), cells(size, ranks_ / size));
      break;
    }
}

/// Returns subgroups of `size` ranks with distance `stride`.
std::vector<RandomMaker::Sizes> RandomMaker::cells(size_t size, size_t stride) const {
  std::vector<Sizes> result(ranks_ / size);
  for (size_t rank = 0; rank != ranks_; ++rank)
    result[stride == 1 ? rank / size : rank % stride].push_back(static_cast<int64_t>(rank));
  return result;
}

void RandomMaker::addGroup(const std::string &name, const std::vector<Sizes> &cells) {
  Group group;
  group.name = name;
  if (cells.size() == 1)
    group.ranks = cells.front();
  else
    group.partition = cells;
  axes_.push_back({name, cells.front().size(), nullptr});
  graph_->groups().set(std::move(group));
}

/// Makes groups that are objects: an attribute that the table contains by its name, or the dimensions of a mesh of 1 x
/// ranks.
void RandomMaker::makeGroupNodes() {
  if (numbers_.below(3) == 1)
    axes_.push_back({"object", ranks_, builder_.attribute("object")});
  if (use_ != ProgramFor::PyTorch || numbers_.below(3) != 1)
    return;
  Node *mesh = builder_.attribute("mesh");
  for (int64_t dim : {1, 0})
    axes_.push_back(
        {"", dim == 0 ? 1 : ranks_, builder_.call("_dtensor.mesh_get_process_group.default", nullptr, {mesh, dim})});
}

void RandomMaker::makeInputs() {
  auto rows = static_cast<int64_t>(ranks_);
  size_t count = 2 + numbers_.below(3);
  for (size_t i = 0; i != count; ++i) {
    DType dtype = DType::F32;
    if (i > 1)
      dtype = numbers_.pick(std::vector<DType>{DType::F32, DType::C64, DType::I64, DType::C64});
    Sizes sizes = {rows * (1 + static_cast<int64_t>(i % 2)), i == 1 ? 2 * rows : rows};
    RandomValue input = define(builder_.input("x" + std::to_string(i), builder_.tensor(dtype, sizes)), inputBound);
    storageOf(input).input = true;
  }
}

// --- Steps -----------------------------------------------------------------------------------------------------------

void RandomMaker::takeStep() {
  switch (numbers_.below(29)) {
  case 0:
  case 1:
    return compute();
  case 2:
    return view();
  case 3:
    return writeInPlace();
  case 4:
  case 5:
  case 6:
    return wait();
  case 7:
    return coalesced();
  case 8:
    return intoBuffer();
  case 9:
    return inPlaceCollective();
  case 10:
  case 11:
    return burst();
  case 12:
  case 13:
    return moveBytes();
  case 14:
    return piece();
  case 15:
    return reshapeInPlace();
  case 16:
    return metadataReader();
  case 17:
    return intoSlices();
  case 18:
    return wrapped();
  case 19:
    return takeApart();
  case 20:
    return computeList();
  case 21:
    return twin();
  case 22:
    return reshapeInPlace();
  case 23:
  case 24:
    return simplifiable();
  case 25:
  case 26:
    return chunkable();
  default:
    return collective(numbers_.below(numCollectives), numbers_.pick(axes_));
  }
}

void RandomMaker::compute() {
  std::optional<RandomValue> a = operand();
  if (!a)
    return;
  if (boundOf(*a) > mostRandomBound)
    return reduceBound(*a);
  RandomValue b = partnerOf(*a).value_or(*a);
  const Type *type = contiguous(*a, sizesOf(*a));
  double sum = boundOf(*a) + boundOf(b);
  switch (numbers_.below(4)) {
  case 0:
    define(builder_.call("aten.sub.Tensor", type, {a->node, b.node}), sum);
    return;
  case 1:
    if (!isComplex(dtypeOf(*a)))
      define(builder_.call("aten.relu.default", type, {a->node}), boundOf(*a));
    return;
  case 2:
    define(builder_.call("aten.mul.Tensor", type, {a->node, int64_t(2)}), 2 * boundOf(*a));
    return;
  default:
    define(builder_.call("aten.add.Tensor", type, {a->node, b.node}), sum);
  }
}

/// Reduces a value to small numbers.
void RandomMaker::reduceBound(const RandomValue &value) {
  const Type *type = contiguous(value, sizesOf(value));
  if (isComplex(dtypeOf(value)))
    define(builder_.call("aten.mul.Tensor", type, {value.node, int64_t(0)}), 0);
  else
    define(builder_.call("aten.remainder.Scalar", type, {value.node, int64_t(13)}), 13);
}

/// Makes a step that may move along when the launch that it feeds is hoisted.
void RandomMaker::moveBytes() {
  std::optional<RandomValue> a = operand();
  if (!a)
    return;
  Sizes sizes = sizesOf(*a);
  if (numbers_.below(2) == 0 || sizes.empty() || 2 * *typeOf(*a)->numElements() > mostRandomElements) {
    define(builder_.call("aten.clone.default", contiguous(*a, sizes), {a->node}), boundOf(*a));
    return;
  }
  RandomValue b = partnerOf(*a).value_or(*a);
  sizes[0] *= 2;
  define(builder_.call("aten.cat.default", contiguous(*a, sizes), {std::vector<Node *>{a->node, b.node}}),
         std::max(boundOf(*a), boundOf(b)));
}

/// Makes a step that reads the shape and no element, so it may be placed between any reads and writes, but must not
/// pass a change of shape.
void RandomMaker::metadataReader() {
  std::optional<RandomValue> a = operand();
  if (a)
    define(builder_.call("aten.full_like.default", contiguous(*a, sizesOf(*a)), {a->node, int64_t(3)}), 3);
}

void RandomMaker::writeInPlace() {
  std::optional<RandomValue> target = choose([&](const RandomValue &value) { return writable(value); });
  if (!target)
    return;
  std::optional<RandomValue> source = choose([&](const RandomValue &value) {
    return readable(value) && tensors_[value.tensor].storage != tensors_[target->tensor].storage &&
           dtypeOf(value) == dtypeOf(*target) && sizesOf(value) == sizesOf(*target);
  });
  if (!source)
    return;
  bool add = numbers_.below(2) == 0 && boundOf(*target) + boundOf(*source) < mostRandomBound;
  double &bound = storageOf(*target).bound;
  bound = add ? bound + boundOf(*source) : std::max(bound, boundOf(*source));
  StringRef op = add ? "aten.add_.Tensor" : "aten.copy_.default";
  defineSame(builder_.call(op, typeOf(*target), {target->node, source->node}), *target);
}

void RandomMaker::finish() {
  ProgramBuilder::Nodes results;
  for (const RandomValue &value : values_)
    if (value.node->opcode() == Opcode::CallFunction && (!value.node->hasDataUses() || numbers_.below(3) == 1))
      if (numbers_.below(4) != 3)
        results.push_back(value.node);
  builder_.output(results);
}

RandomProgram makeRandomProgram(Context &context, std::vector<uint32_t> numbers, ProgramFor use) {
  return RandomMaker(context, std::move(numbers), use).make();
}

std::vector<uint32_t> randomNumbers(uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint32_t> numbers(20 + random() % 220);
  for (uint32_t &number : numbers)
    number = static_cast<uint32_t>(random() % (1U << 20));
  return numbers;
}

} // namespace ccgraph::test
