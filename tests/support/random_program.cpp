#include "support/random_program.h"

#include "support/program_builder.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

using llvm::StringRef;

namespace ccgraph::test {

namespace {

constexpr int64_t maxElements = 4096;
constexpr unsigned maxSteps = 60;
constexpr size_t numCollectives = 6;

class Numbers {
public:
  explicit Numbers(std::vector<uint32_t> values) : values_(std::move(values)) {}
  [[nodiscard]] bool done() const { return next_ >= values_.size(); }
  /// 0 .. limit - 1; 0 where the list has run out.
  size_t below(size_t limit) { return limit == 0 || done() ? 0 : values_[next_++] % limit; }
  template <typename T>
  const T &pick(const std::vector<T> &from) {
    return from[below(from.size())];
  }

private:
  std::vector<uint32_t> values_;
  size_t next_ = 0;
};

/// Memory behind values. A launch that has not been waited for may be filling it, or reading it.
struct Storage {
  bool inFlight = false;
  unsigned readers = 0;
};

struct Value {
  Node *node = nullptr;
  size_t storage = 0;
};

/// One result that waits to be waited for; coalesced launches have several.
struct Flight {
  Value result;
  std::vector<size_t> reads; ///< storages that the launch reads until then
};

struct Axis {
  std::string name;
  size_t size = 1;
};

std::vector<int64_t> sizesOf(const Node *node) {
  std::vector<int64_t> sizes;
  for (const Dim &dim : node->type()->sizes())
    sizes.push_back(dim.value());
  return sizes;
}

class Maker {
public:
  Maker(Context &context, std::vector<uint32_t> numbers)
      : numbers_(std::move(numbers)), graph_(std::make_unique<Graph>(context, "random")), builder_(*graph_) {}

  RandomProgram make() {
    makeGroups();
    makeInputs();
    for (unsigned step = 0; step != maxSteps && !numbers_.done(); ++step)
      takeStep();
    while (!flights_.empty())
      wait();
    finish();
    return {std::move(graph_), ranks_};
  }

private:
  // --- What there is to begin with --------------------------------------------------------------------------------

  void makeGroups() {
    ranks_ = 2 + numbers_.below(8);
    graph_->worldSize = static_cast<int64_t>(ranks_);
    std::vector<int64_t> all(ranks_);
    std::iota(all.begin(), all.end(), 0);
    addGroup("0", {all});
    std::reverse(all.begin(), all.end());
    addGroup("other", {all});
    for (size_t size = 2; size < ranks_; ++size)
      if (ranks_ % size == 0) {
        addGroup("near" + std::to_string(size), cells(size, 1));
        addGroup("far" + std::to_string(size), cells(size, ranks_ / size));
        break;
      }
  }

  /// Cells of `size` ranks, `stride` apart.
  [[nodiscard]] std::vector<std::vector<int64_t>> cells(size_t size, size_t stride) const {
    std::vector<std::vector<int64_t>> result(ranks_ / size);
    for (size_t rank = 0; rank != ranks_; ++rank)
      result[stride == 1 ? rank / size : rank % stride].push_back(static_cast<int64_t>(rank));
    return result;
  }

  void addGroup(const std::string &name, const std::vector<std::vector<int64_t>> &cells) {
    Group group;
    group.name = name;
    if (cells.size() == 1)
      group.ranks = cells.front();
    else
      group.partition = cells;
    axes_.push_back({name, cells.front().size()});
    graph_->groups().set(std::move(group));
  }

  void makeInputs() {
    auto rows = static_cast<int64_t>(ranks_);
    size_t count = 2 + numbers_.below(3);
    for (size_t i = 0; i != count; ++i)
      define(builder_.input("x" + std::to_string(i), builder_.f32({rows * (1 + static_cast<int64_t>(i % 2)), rows})));
  }

  // --- Values -----------------------------------------------------------------------------------------------------

  Value define(Node *node) {
    storages_.emplace_back();
    return defineIn(node, storages_.size() - 1);
  }
  Value defineIn(Node *node, size_t storage) {
    values_.push_back({node, storage});
    return values_.back();
  }

  [[nodiscard]] bool readable(const Value &value) const { return !storages_[value.storage].inFlight; }
  [[nodiscard]] bool writable(const Value &value) const {
    return readable(value) && storages_[value.storage].readers == 0;
  }

  /// A value that satisfies `test`, later ones more often; null if there is none.
  template <typename Test>
  Value *choose(Test test) {
    std::vector<Value *> candidates;
    for (Value &value : values_)
      if (test(value))
        candidates.push_back(&value);
    if (candidates.empty())
      return nullptr;
    size_t first = numbers_.below(2) == 0 ? candidates.size() - (candidates.size() + 1) / 2 : 0;
    return candidates[first + numbers_.below(candidates.size() - first)];
  }
  /// Contiguous, because then what an operator makes of it is so too.
  Value *operand() {
    return choose([&](const Value &value) { return readable(value) && value.node->type()->isContiguous(); });
  }
  /// Readable, contiguous, and its first size a multiple of `rows`.
  Value *sendable(size_t rows) {
    return choose([&](const Value &value) {
      const Type *type = value.node->type();
      return readable(value) && type->isContiguous() && type->sizes()[0].value() % static_cast<int64_t>(rows) == 0;
    });
  }

  // --- Steps ------------------------------------------------------------------------------------------------------

  void takeStep() {
    switch (numbers_.below(16)) {
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
    default:
      return collective(numbers_.below(numCollectives), numbers_.pick(axes_));
    }
  }

  /// Several of one kind on one group with a step between them now and then: what bucketing looks for.
  void burst() {
    size_t kind = numbers_.below(numCollectives);
    const Axis &axis = numbers_.pick(axes_);
    for (size_t times = 2 + numbers_.below(3); times != 0; --times) {
      collective(kind, axis);
      if (numbers_.below(3) == 2)
        compute();
    }
  }

  void compute() {
    Value *a = operand();
    if (a == nullptr)
      return;
    Value *b = choose([&](const Value &value) {
      return readable(value) && value.node->type()->isContiguous() && sizesOf(value.node) == sizesOf(a->node);
    });
    const Type *type = builder_.f32(sizesOf(a->node));
    switch (numbers_.below(4)) {
    case 0:
      define(builder_.call("aten.sub.Tensor", type, {a->node, b->node}));
      return;
    case 1:
      define(builder_.call("aten.relu.default", type, {a->node}));
      return;
    case 2:
      define(builder_.call("aten.mul.Tensor", type, {a->node, 0.5}));
      return;
    default:
      define(builder_.call("aten.add.Tensor", type, {a->node, b->node}));
    }
  }

  /// What a launch that it feeds may take along when it rises.
  void moveBytes() {
    Value *a = operand();
    if (a == nullptr)
      return;
    std::vector<int64_t> sizes = sizesOf(a->node);
    if (numbers_.below(2) == 0 || 2 * sizes[0] * sizes[1] > maxElements) {
      define(builder_.call("aten.clone.default", builder_.f32(sizes), {a->node}));
      return;
    }
    Value *b = choose([&](const Value &value) {
      return readable(value) && value.node->type()->isContiguous() && sizesOf(value.node) == sizes;
    });
    sizes[0] *= 2;
    define(builder_.call("aten.cat.default", builder_.f32(sizes), {std::vector<Node *>{a->node, b->node}}));
  }

  /// Also of what is in flight: views may read that.
  void view() {
    Value *base = choose([](const Value &) { return true; });
    std::vector<int64_t> sizes = sizesOf(base->node);
    const Type *type = base->node->type();
    std::vector<int64_t> strides;
    for (const Dim &dim : type->strides())
      strides.push_back(dim.value());
    switch (numbers_.below(3)) {
    case 0:
      std::swap(sizes[0], sizes[1]);
      std::swap(strides[0], strides[1]);
      defineIn(builder_.call("aten.permute.default", builder_.strided(type, sizes, strides),
                             {base->node, ProgramBuilder::Numbers{1, 0}}),
               base->storage);
      return;
    case 1:
      if (sizes[0] < 2)
        return;
      sizes[0] /= 2;
      defineIn(builder_.call("aten.slice.Tensor", builder_.strided(type, sizes, strides),
                             {base->node, int64_t(0), int64_t(0), sizes[0]}),
               base->storage);
      return;
    default:
      if (type->isContiguous())
        defineIn(builder_.call("aten.view.default", builder_.f32({sizes[1], sizes[0]}),
                               {base->node, ProgramBuilder::Numbers{sizes[1], sizes[0]}}),
                 base->storage);
    }
  }

  void writeInPlace() {
    Value *target = choose([&](const Value &value) { return writable(value); });
    if (target == nullptr)
      return;
    Value *source = choose([&](const Value &value) {
      return readable(value) && value.storage != target->storage && sizesOf(value.node) == sizesOf(target->node);
    });
    if (source == nullptr)
      return;
    StringRef op = numbers_.below(2) == 0 ? "aten.add_.Tensor" : "aten.copy_.default";
    defineIn(builder_.call(op, target->node->type(), {target->node, source->node}), target->storage);
  }

  // --- Collectives ------------------------------------------------------------------------------------------------

  StringRef reduction() { return numbers_.pick(std::vector<StringRef>{"sum", "max", "min", "avg"}); }
  static int64_t count(const Axis &axis) { return static_cast<int64_t>(axis.size); }

  void launch(Node *node, std::vector<size_t> reads) {
    for (size_t storage : reads)
      ++storages_[storage].readers;
    storages_.push_back({true, 0});
    flights_.push_back({defineIn(node, storages_.size() - 1), std::move(reads)});
  }

  void collective(size_t kind, const Axis &axis) {
    Value *input = kind == 5
                       ? choose([&](const Value &value) { return readable(value); }) // all_reduce copies what it reads.
                       : sendable(kind == 1 || kind == 2 ? axis.size : 1);
    if (input == nullptr)
      return;
    Node *x = input->node;
    std::vector<int64_t> sizes = sizesOf(x);
    switch (kind) {
    case 0:
      sizes[0] *= count(axis);
      if (sizes[0] * sizes[1] <= maxElements)
        launch(builder_.call("_c10d_functional.all_gather_into_tensor.default", builder_.f32(sizes),
                             {x, count(axis), StringRef(axis.name)}),
               {input->storage});
      return;
    case 1: {
      ProgramBuilder::Numbers splits(axis.size, sizes[0] / count(axis));
      launch(builder_.call("_c10d_functional.all_to_all_single.default", builder_.f32(sizes),
                           {x, splits, splits, StringRef(axis.name)}),
             {input->storage});
      return;
    }
    case 2:
      sizes[0] /= count(axis);
      launch(builder_.call("_c10d_functional.reduce_scatter_tensor.default", builder_.f32(sizes),
                           {x, reduction(), count(axis), StringRef(axis.name)}),
             {input->storage});
      return;
    case 3:
      sizes[0] *= count(axis);
      sizes[1] /= count(axis);
      if (sizes[1] * count(axis) == sizesOf(x)[1])
        define(builder_.call("_dtensor.shard_dim_alltoall.default", builder_.f32(sizes),
                             {x, int64_t(0), int64_t(1), StringRef(axis.name)}));
      return;
    case 4:
      launch(builder_.call("_c10d_functional.broadcast.default", builder_.f32(sizes),
                           {x, static_cast<int64_t>(numbers_.below(axis.size)), StringRef(axis.name)}),
             {});
      return;
    default:
      launch(builder_.call("_c10d_functional.all_reduce.default", builder_.f32(sizes),
                           {x, reduction(), StringRef(axis.name)}),
             {});
    }
  }

  /// The result is the input's own storage, which is in flight with all its views.
  void inPlaceCollective() {
    const Axis &axis = numbers_.pick(axes_);
    Value *input = choose([&](const Value &value) { return writable(value) && value.node->type()->isContiguous(); });
    if (input == nullptr)
      return;
    Node *x = input->node;
    Node *node =
        numbers_.below(3) == 0
            ? builder_.call("_c10d_functional.broadcast_.default", x->type(),
                            {x, static_cast<int64_t>(numbers_.below(axis.size)), StringRef(axis.name)})
            : builder_.call("_c10d_functional.all_reduce_.default", x->type(), {x, reduction(), StringRef(axis.name)});
    size_t storage = input->storage;
    storages_[storage].inFlight = true;
    flights_.push_back({defineIn(node, storage), {}});
  }

  void intoBuffer() {
    const Axis &axis = numbers_.pick(axes_);
    bool gather = numbers_.below(2) == 0;
    Value *input = sendable(gather ? 1 : axis.size);
    if (input == nullptr)
      return;
    size_t read = input->storage;
    Node *x = input->node;
    std::vector<int64_t> sizes = sizesOf(x);
    sizes[0] = gather ? sizes[0] * count(axis) : sizes[0] / count(axis);
    if (sizes[0] * sizes[1] > maxElements)
      return;
    const Type *type = builder_.f32(sizes);
    Value buffer = define(builder_.call("aten.full.default", type, {sizes, 0.0}));
    Node *node = gather ? builder_.call("_c10d_functional.all_gather_into_tensor_out.default", type,
                                        {x, count(axis), StringRef(axis.name)}, buffer.node)
                        : builder_.call("_c10d_functional.reduce_scatter_tensor_out.default", type,
                                        {x, reduction(), count(axis), StringRef(axis.name)}, buffer.node);
    storages_[buffer.storage].inFlight = true;
    ++storages_[read].readers;
    flights_.push_back({defineIn(node, buffer.storage), {read}});
  }

  void coalesced() {
    const Axis &axis = numbers_.pick(axes_);
    size_t kind = numbers_.below(3);
    std::vector<Value> members;
    for (size_t wanted = 1 + numbers_.below(3); members.size() != wanted;) {
      Value *member = sendable(kind == 2 ? axis.size : 1);
      if (member == nullptr)
        return;
      members.push_back(*member);
    }
    launchList(kind, axis, members);
  }

  void launchList(size_t kind, const Axis &axis, const std::vector<Value> &members) {
    ProgramBuilder::Nodes inputs;
    std::vector<const Type *> types;
    for (const Value &member : members) {
      std::vector<int64_t> sizes = sizesOf(member.node);
      sizes[0] = kind == 1 ? sizes[0] * count(axis) : kind == 2 ? sizes[0] / count(axis) : sizes[0];
      if (sizes[0] * sizes[1] > maxElements)
        return;
      inputs.push_back(member.node);
      types.push_back(builder_.f32(sizes));
    }
    const Type *list = graph_->context().list(types);
    StringRef group = axis.name;
    Node *node =
        kind == 0   ? builder_.call("_c10d_functional.all_reduce_coalesced.default", list, {inputs, reduction(), group})
        : kind == 1 ? builder_.call("_c10d_functional.all_gather_into_tensor_coalesced.default", list,
                                    {inputs, count(axis), group})
                    : builder_.call("_c10d_functional.reduce_scatter_tensor_coalesced.default", list,
                                    {inputs, reduction(), count(axis), group});
    takeElements(node, members, kind != 0);
  }

  /// Either a wait on each element, later and in any order, or one on the list of all of them, now.
  void takeElements(Node *list, const std::vector<Value> &members, bool readsInFlight) {
    llvm::ArrayRef<const Type *> types = list->type()->elements();
    bool together = numbers_.below(3) == 0;
    ProgramBuilder::Nodes elements;
    for (size_t i = 0; i != members.size(); ++i) {
      Node *element = builder_.call("operator.getitem", types[i], {list, static_cast<int64_t>(i)});
      elements.push_back(element);
      if (!together)
        launch(element, readsInFlight ? readsOf(members) : std::vector<size_t>());
    }
    if (!together)
      return;
    Node *waited = builder_.call("_c10d_functional.wait_tensors.default", list->type(), {elements});
    for (size_t i = 0; i != members.size(); ++i)
      define(builder_.call("operator.getitem", types[i], {waited, static_cast<int64_t>(i)}));
  }

  static std::vector<size_t> readsOf(const std::vector<Value> &members) {
    std::vector<size_t> reads;
    reads.reserve(members.size());
    for (const Value &member : members)
      reads.push_back(member.storage);
    return reads;
  }

  /// On the launch, or on a view of it; now and then a second time.
  void wait() {
    if (flights_.empty())
      return;
    size_t index = numbers_.below(flights_.size());
    Flight flight = flights_[index];
    flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(index));
    Value *waited = choose([&](const Value &value) {
      return value.storage == flight.result.storage && value.node->id() >= flight.result.node->id();
    });
    storages_[flight.result.storage].inFlight = false;
    for (size_t storage : flight.reads)
      --storages_[storage].readers;
    size_t storage = flight.result.storage;
    Node *first = waited->node;
    for (size_t times = numbers_.below(8) == 1 ? 2 : 1; times != 0; --times)
      defineIn(builder_.call("_c10d_functional.wait_tensor.default", first->type(), {first}), storage);
  }

  void finish() {
    ProgramBuilder::Nodes results;
    for (const Value &value : values_)
      if (value.node->opcode() == Opcode::CallFunction && (!value.node->hasDataUses() || numbers_.below(3) == 1))
        if (numbers_.below(4) != 3)
          results.push_back(value.node);
    builder_.output(results);
  }

  Numbers numbers_;
  std::unique_ptr<Graph> graph_;
  ProgramBuilder builder_;
  size_t ranks_ = 2;
  std::vector<Axis> axes_;
  std::vector<Storage> storages_;
  std::vector<Value> values_;
  std::vector<Flight> flights_;
};

} // namespace

RandomProgram makeRandomProgram(Context &context, std::vector<uint32_t> numbers) {
  return Maker(context, std::move(numbers)).make();
}

} // namespace ccgraph::test
