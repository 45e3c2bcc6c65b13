#include "support/random_maker.h"

using llvm::StringRef;

namespace ccgraph::test {

namespace {

enum Kind : size_t { AllGather, AllToAll, ReduceScatter, ShardDim, Broadcast, AllReduce, numKinds };

int64_t count(const RandomAxis &axis) { return static_cast<int64_t>(axis.size); }

} // namespace

StringRef RandomMaker::reduction(const RandomValue &input, const RandomAxis &axis) {
  bool large = boundOf(input) * static_cast<double>(axis.size) > 4 * mostRandomBound;
  if (isComplex(dtypeOf(input)))
    return "sum";
  std::vector<StringRef> words =
      large ? std::vector<StringRef>{"max", "min"} : std::vector<StringRef>{"sum", "max", "min"};
  if (use_ == ProgramFor::Interpreter && dtypeOf(input) == DType::F32)
    words.push_back("avg");
  return numbers_.pick(words);
}

/// Averages exist only for floating-point numbers, and a list may hold others.
StringRef RandomMaker::listReduction(const std::vector<RandomValue> &members, const RandomValue &largest,
                                     const RandomAxis &axis) {
  StringRef word = reduction(largest, axis);
  bool floats = llvm::all_of(members, [&](const RandomValue &member) { return dtypeOf(member) == DType::F32; });
  return word == "avg" && !floats ? "max" : word;
}

Actual RandomMaker::groupOf(const RandomAxis &axis) const {
  if (axis.node != nullptr)
    return axis.node;
  return graph_->context().identifier(axis.name).str();
}

void RandomMaker::launch(Node *node, double bound, std::vector<ByteRange> reads) {
  RandomValue result = define(node, bound);
  asyncPairs_.push_back({result, rangeOf(result), std::move(reads), {}});
}

/// Makes several collectives of one kind on one group with occasional steps in between, for bucketing.
void RandomMaker::burst() {
  size_t kind = numbers_.below(numKinds);
  const RandomAxis axis = numbers_.pick(axes_);
  for (size_t times = 2 + numbers_.below(3); times != 0; --times) {
    collective(kind, axis);
    if (numbers_.below(3) == 2)
      compute();
  }
}

void RandomMaker::collective(size_t kind, const RandomAxis &axis) {
  if (kind == ShardDim)
    return shardDim(axis);
  std::optional<RandomValue> input =
      kind == AllReduce
          ? choose([&](const RandomValue &value) { return readable(value); }) // it copies the memory that it reads
          : sendable(kind == AllToAll || kind == ReduceScatter ? axis.size : 1,
                     [&](const RandomValue &value) { return kind != AllToAll || !isComplex(dtypeOf(value)); });
  if (!input)
    return;
  double bound = boundOf(*input);
  Sizes sizes = sizesOf(*input);
  std::vector<ByteRange> reads;
  if (kind != AllReduce && kind != Broadcast)
    reads.push_back(rangeOf(*input));
  if (kind == AllGather && *typeOf(*input)->numElements() * count(axis) > mostRandomElements)
    return;
  bool exact = isComplex(dtypeOf(*input)) && bound * static_cast<double>(axis.size) > 16 * mostRandomBound;
  if (exact && (kind == AllReduce || kind == ReduceScatter))
    return; // sums of complex numbers have no other reduction as a replacement
  Node *node = makeCollective(kind, axis, *input, sizes);
  bool sums = kind == AllReduce || kind == ReduceScatter;
  double result = sums ? bound * static_cast<double>(axis.size) : bound;
  launched_.push_back({node, *input, typeOf(*input), bound, result, !reads.empty()});
  launch(node, result, std::move(reads));
}

Node *RandomMaker::makeCollective(size_t kind, const RandomAxis &axis, const RandomValue &input, Sizes &sizes) {
  Node *x = input.node;
  Actual group = groupOf(axis);
  switch (kind) {
  case AllGather:
    sizes[0] *= count(axis);
    return builder_.call("_c10d_functional.all_gather_into_tensor.default", contiguous(input, sizes),
                         {x, count(axis), group});
  case AllToAll: {
    Sizes splits(axis.size, sizes[0] / count(axis));
    return builder_.call("_c10d_functional.all_to_all_single.default", contiguous(input, sizes),
                         {x, splits, splits, group});
  }
  case ReduceScatter:
    sizes[0] /= count(axis);
    return builder_.call("_c10d_functional.reduce_scatter_tensor.default", contiguous(input, sizes),
                         {x, reduction(input, axis), count(axis), group});
  case Broadcast:
    return builder_.call("_c10d_functional.broadcast.default", contiguous(input, sizes),
                         {x, static_cast<int64_t>(numbers_.below(axis.size)), group});
  default:
    return builder_.call("_c10d_functional.all_reduce.default", contiguous(input, sizes),
                         {x, reduction(input, axis), group});
  }
}

void RandomMaker::shardDim(const RandomAxis &axis) {
  std::optional<RandomValue> input = sendable(1, [&](const RandomValue &value) {
    Sizes sizes = sizesOf(value);
    return sizes.size() == 2 && sizes[1] % count(axis) == 0 && !isComplex(dtypeOf(value));
  });
  if (!input || axis.node != nullptr)
    return;
  Sizes sizes = sizesOf(*input);
  sizes[0] *= count(axis);
  sizes[1] /= count(axis);
  define(builder_.call("_dtensor.shard_dim_alltoall.default", contiguous(*input, sizes),
                       {input->node, int64_t(0), int64_t(1), groupOf(axis)}),
         boundOf(*input));
}

/// Makes a collective whose result is the input's own storage, which is in flight with all its views.
void RandomMaker::inPlaceCollective() {
  const RandomAxis &axis = numbers_.pick(axes_);
  std::optional<RandomValue> input =
      choose([&](const RandomValue &value) { return writable(value) && settled(value) && isContiguous(value); });
  if (!input)
    return;
  Node *x = input->node;
  const Type *type = typeOf(*input);
  Node *node = nullptr;
  if (numbers_.below(3) == 0) {
    node = builder_.call("_c10d_functional.broadcast_.default", type,
                         {x, static_cast<int64_t>(numbers_.below(axis.size)), groupOf(axis)});
  } else {
    double bound = boundOf(*input) * static_cast<double>(axis.size);
    if (isComplex(dtypeOf(*input)) && bound > 16 * mostRandomBound)
      return;
    node = builder_.call("_c10d_functional.all_reduce_.default", type, {x, reduction(*input, axis), groupOf(axis)});
    storageOf(*input).bound = bound;
  }
  asyncPairs_.push_back({defineSame(node, *input), rangeOf(*input), {}, {}});
}

void RandomMaker::intoBuffer() {
  const RandomAxis &axis = numbers_.pick(axes_);
  bool gather = numbers_.below(2) == 0;
  std::optional<RandomValue> input =
      sendable(gather ? 1 : axis.size, [&](const RandomValue &value) { return dtypeOf(value) == DType::F32; });
  if (!input)
    return;
  Sizes sizes = sizesOf(*input);
  sizes[0] = gather ? sizes[0] * count(axis) : sizes[0] / count(axis);
  const Type *type = builder_.f32(sizes);
  if (*type->numElements() <= mostRandomElements)
    fill(*input, define(builder_.call("aten.full.default", type, {sizes, 0.0}), 0), gather, axis);
}

void RandomMaker::fill(const RandomValue &input, const RandomValue &buffer, bool gather, const RandomAxis &axis) {
  Node *node = gather ? builder_.call("_c10d_functional.all_gather_into_tensor_out.default", typeOf(buffer),
                                      {input.node, count(axis), groupOf(axis)}, buffer.node)
                      : builder_.call("_c10d_functional.reduce_scatter_tensor_out.default", typeOf(buffer),
                                      {input.node, reduction(input, axis), count(axis), groupOf(axis)}, buffer.node);
  double &bound = storageOf(buffer).bound;
  bound = std::max(bound, boundOf(input) * (gather ? 1 : static_cast<double>(axis.size)));
  asyncPairs_.push_back({defineSame(node, buffer), rangeOf(buffer), {rangeOf(input)}, {}});
}

/// Makes several gathers into the parts of one buffer, which may overlap; a part in flight is left alone.
void RandomMaker::intoSlices() {
  const RandomAxis &axis = numbers_.pick(axes_);
  std::optional<RandomValue> input =
      sendable(1, [&](const RandomValue &value) { return dtypeOf(value) == DType::F32; });
  if (!input || 3 * *typeOf(*input)->numElements() * count(axis) > mostRandomElements)
    return;
  Sizes sizes = sizesOf(*input), part = sizes;
  part[0] *= count(axis);
  sizes[0] = 2 * part[0] + 1;
  RandomValue buffer = define(builder_.call("aten.full.default", builder_.f32(sizes), {sizes, 0.0}), 0);
  const Type *type = builder_.f32(part);
  int64_t row = stridesOf(buffer)[0] * itemSize(buffer);
  for (size_t times = 1 + numbers_.below(3); times != 0; --times) {
    int64_t begin = numbers_.pick(Sizes{0, part[0], part[0] + 1, 1});
    Node *node = builder_.call("aten.slice.Tensor", type, {buffer.node, int64_t(0), begin, begin + part[0]});
    RandomValue slice = defineView(node, buffer, type, begin * row);
    if (writable(slice) && readable(*input))
      fill(*input, slice, /*gather=*/true, axis);
  }
}

void RandomMaker::coalesced() {
  const RandomAxis &axis = numbers_.pick(axes_);
  size_t kind = numbers_.pick(std::vector<size_t>{AllReduce, AllGather, ReduceScatter});
  // gloo fills a list of gathers of several dtypes incorrectly.
  bool mayMix = kind == ReduceScatter || (kind == AllGather && use_ == ProgramFor::Interpreter);
  std::vector<RandomValue> members;
  for (size_t wanted = 1 + numbers_.below(3); members.size() != wanted;) {
    std::optional<RandomValue> member = sendable(kind == ReduceScatter ? axis.size : 1, [&](const RandomValue &value) {
      return !isComplex(dtypeOf(value)) && (mayMix || members.empty() || dtypeOf(value) == dtypeOf(members.front()));
    });
    if (!member)
      return;
    members.push_back(*member);
  }
  launchList(kind, axis, members);
}

void RandomMaker::launchList(size_t kind, const RandomAxis &axis, const std::vector<RandomValue> &members) {
  ProgramBuilder::Nodes inputs;
  std::vector<const Type *> types;
  const RandomValue *largest = &members.front();
  for (const RandomValue &member : members) {
    Sizes sizes = sizesOf(member);
    if (kind == AllGather)
      sizes[0] *= count(axis);
    if (kind == ReduceScatter)
      sizes[0] /= count(axis);
    types.push_back(contiguous(member, sizes));
    if (*types.back()->numElements() > mostRandomElements)
      return;
    inputs.push_back(member.node);
    largest = boundOf(member) > boundOf(*largest) ? &member : largest;
  }
  const Type *list = graph_->context().list(types);
  Actual group = groupOf(axis);
  Node *node = nullptr;
  if (kind == AllReduce)
    node = builder_.call("_c10d_functional.all_reduce_coalesced.default", list,
                         {inputs, reduction(*largest, axis), group});
  else if (kind == AllGather)
    node =
        builder_.call("_c10d_functional.all_gather_into_tensor_coalesced.default", list, {inputs, count(axis), group});
  else
    node = builder_.call("_c10d_functional.reduce_scatter_tensor_coalesced.default", list,
                         {inputs, listReduction(members, *largest, axis), count(axis), group});
  takeElements(node, kind, axis, members);
}

/// Waits either on each element, later and in any order, or on the whole list, now.
void RandomMaker::takeElements(Node *list, size_t kind, const RandomAxis &axis,
                               const std::vector<RandomValue> &members) {
  llvm::ArrayRef<const Type *> types = list->type()->elements();
  bool together = use_ == ProgramFor::Interpreter && numbers_.below(3) == 0;
  std::vector<ByteRange> reads;
  double bound = 0;
  for (const RandomValue &member : members) {
    bound = std::max(bound, boundOf(member) * (kind == AllGather ? 1 : static_cast<double>(axis.size)));
    if (kind != AllReduce)
      reads.push_back(rangeOf(member));
  }
  ProgramBuilder::Nodes elements;
  for (size_t i = 0; i != members.size(); ++i) {
    Node *element = builder_.call("operator.getitem", types[i], {list, static_cast<int64_t>(i)});
    elements.push_back(element);
    if (!together)
      launch(element, bound, reads);
  }
  if (!together && kind == ReduceScatter)
    shareCopies(members.size());
  if (!together)
    return;
  Node *waited = builder_.call("_c10d_functional.wait_tensors.default", list->type(), {elements});
  for (size_t i = 0; i != members.size(); ++i)
    define(builder_.call("operator.getitem", types[i], {waited, static_cast<int64_t>(i)}), bound);
}

/// Joins the last async pairs, which belong to one list: the wait on each copies the results of all.
void RandomMaker::shareCopies(size_t count) {
  std::vector<ByteRange> all;
  llvm::MutableArrayRef<RandomAsyncPair> list = llvm::MutableArrayRef(asyncPairs_).take_back(count);
  for (const RandomAsyncPair &pair : list)
    all.push_back(*pair.fills);
  for (RandomAsyncPair &pair : list)
    pair.copies = all;
}

/// Makes a control_deps whose body launches; in some, the body waits as well.
void RandomMaker::wrapped() {
  const RandomAxis &axis = numbers_.pick(axes_);
  std::optional<RandomValue> after = operand(), input = operand();
  if (!after || !input || axis.node != nullptr || boundOf(*input) > mostRandomBound)
    return;
  const Type *type = contiguous(*input, sizesOf(*input));
  bool waits = numbers_.below(2) == 0;
  std::string name = "wrapped_" + std::to_string(graph_->subgraphs().size());
  ProgramBuilder body(graph_->addSubgraph(graph_->context().identifier(name)));
  Node *result = body.input("a", type);
  result = body.call("_c10d_functional.all_reduce.default", type, {result, StringRef("sum"), groupOf(axis)});
  if (waits)
    result = body.call("_c10d_functional.wait_tensor.default", type, {result});
  body.result(result);
  Node *node = builder_.call("higher_order.control_deps", type,
                             {ProgramBuilder::Nodes{after->node}, builder_.attribute(name), input->node});
  double bound = boundOf(*input) * static_cast<double>(axis.size);
  if (waits)
    define(node, bound);
  else
    launch(node, bound, {});
}

/// Makes a wait on the launch, or on a view of it; sometimes waits a second time.
void RandomMaker::wait() {
  if (asyncPairs_.empty())
    return;
  size_t index = numbers_.below(asyncPairs_.size());
  RandomAsyncPair pair = asyncPairs_[index];
  asyncPairs_.erase(asyncPairs_.begin() + static_cast<std::ptrdiff_t>(index));
  std::optional<RandomValue> waited = choose([&](const RandomValue &value) {
    ByteRange range = rangeOf(value);
    return value.node->id() >= pair.result.node->id() && range.overlaps(*pair.fills) &&
           range.begin >= pair.fills->begin && range.end <= pair.fills->end;
  });
  if (!waited)
    waited = pair.result;
  for (size_t times = numbers_.below(8) == 1 ? 2 : 1; times != 0; --times)
    defineSame(builder_.call("_c10d_functional.wait_tensor.default", typeOf(*waited), {waited->node}), *waited);
}

} // namespace ccgraph::test
