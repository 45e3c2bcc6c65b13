#include "sum_program.h"

#include "ccgraph/ir/builder.h"

namespace ccgraph::test {
namespace {

constexpr llvm::StringLiteral wait = "_c10d_functional.wait_tensor.default";

class Maker {
public:
  Maker(Context &context, const SumSeeds &seeds, SumNumbers numbers)
      : graph_(std::make_unique<Graph>(context)), builder_(*graph_), what_(seeds.values), how_(seeds.forms),
        moves_(seeds.moves), changes_(seeds.changes), isChanged_(seeds.changes != 0), numbers_(numbers) {
    ranks_ = std::vector<size_t>{2, 3, 4, 5, 6}[what_.below(5)];
    dtype_ = std::vector<DType>{DType::F32, DType::BF16, DType::F32, DType::F64}[what_.below(4)];
    own_ = numbers == SumNumbers::Own ? dtype_ : DType::F64;
    addGroups();
  }

  SumProgram run() {
    const size_t count = 1 + what_.below(3);
    for (size_t i = 0; i != count; ++i)
      sizes_.push_back(static_cast<int64_t>(ranks_ * (1 + what_.below(3))));
    for (size_t i = 0; i != count; ++i)
      addInputs(i);
    std::vector<Node *> values;
    for (size_t i = 0; i != count; ++i)
      values.push_back(moved(gradient(i)));
    values = summed(values);
    std::vector<Actual> outputs;
    for (size_t i = 0; i != count; ++i)
      outputs.emplace_back(updated(i, moved(values[i])));
    builder_.output(std::move(outputs));
    return {std::move(graph_), ranks_};
  }

private:
  /// All ranks, and for 4 and 6 ranks two levels: neighbours, and those that have one place among neighbours.
  void addGroups() {
    Group world{"0"}, inner{"inner"}, outer{"outer"};
    for (size_t rank = 0; rank != ranks_; ++rank)
      world.ranks.push_back(static_cast<int64_t>(rank));
    outer.partition.resize(2);
    for (int64_t rank = 0; rank + 1 < static_cast<int64_t>(ranks_); rank += 2) {
      inner.partition.push_back({rank, rank + 1});
      outer.partition[0].push_back(rank);
      outer.partition[1].push_back(rank + 1);
    }
    graph_->groups().set(world);
    if (ranks_ % 2 == 0) {
      graph_->groups().set(inner);
      graph_->groups().set(outer);
    }
    graph_->worldSize = static_cast<int64_t>(ranks_);
  }

  Node *call(llvm::StringRef target, std::vector<Actual> arguments) { return builder_.call(target, arguments); }
  Node *collective(llvm::StringRef name, std::vector<Actual> arguments) {
    return call(wait, {call(("_c10d_functional." + name).str(), std::move(arguments))});
  }
  Node *add(Node *a, Node *b) {
    const bool swaps = moves_.below(3) == 0;
    return call("aten.add.Tensor", {swaps ? b : a, swaps ? a : b});
  }
  /// Returns numbers that differ in some bits, in a way that a wrong rule could take for a move.
  Node *changed(Node *value) {
    const int64_t size = sizeOf(value), half = size / 2;
    switch (changes_.below(7)) {
    case 0: {
      const DType low = own_ == DType::F64 ? DType::F32 : own_ == DType::F32 ? DType::BF16 : DType::F16;
      return call("prims.convert_element_type.default",
                  {call("prims.convert_element_type.default", {value, low}), own_});
    }
    case 1:
      return cat({slice(value, half, size), slice(value, 0, half)});
    case 2: {
      Node *copy = call("aten.clone.default", {value});
      call("aten.add_.Tensor", {slice(copy, 0, half), slice(value, 0, half)});
      return copy;
    }
    case 3:
      return call("aten.mul.Tensor", {value, 1.5});
    case 4:
      return call("aten.sub.Tensor", {value, inputs_.front().x->type() == value->type() ? inputs_.front().x : value});
    case 5:
      return cat({slice(value, 1, size), slice(value, 0, 1)});
    default:
      return collective("broadcast.default", {value, 0, "0"});
    }
  }
  /// Returns the same numbers, perhaps copied, joined or cast to more digits and back.
  Node *moved(Node *value) {
    const DType wide = own_ == DType::BF16 ? DType::F32 : DType::F64;
    if (isChanged_ && changes_.below(2) == 0)
      value = changed(value);
    switch (moves_.below(8)) {
    case 0:
      return call("aten.clone.default", {value});
    case 1:
      return slice(cat({value, value}), sizeOf(value), 2 * sizeOf(value));
    case 2:
      return call("prims.convert_element_type.default",
                  {call("prims.convert_element_type.default", {value, wide}), own_});
    case 3:
      return cat({slice(value, 0, sizeOf(value) / 2), slice(value, sizeOf(value) / 2, sizeOf(value))});
    default:
      return value;
    }
  }
  Node *slice(Node *of, int64_t start, int64_t end) { return call("aten.slice.Tensor", {of, 0, start, end}); }
  Node *cat(const std::vector<Node *> &parts) { return call("aten.cat.default", {parts}); }
  [[nodiscard]] static int64_t sizeOf(Node *value, size_t dim = 0) { return value->type()->sizes()[dim].value(); }

  struct Inputs {
    Node *x, *y, *rows, *a, *b;
  };
  void addInputs(size_t i) {
    const std::string number = std::to_string(i);
    const int64_t size = sizes_[i], inner = 2 + static_cast<int64_t>(what_.below(5)) * 2;
    auto input = [&](const char *name, std::vector<int64_t> sizes) {
      return builder_.input(name + number, builder_.tensor(own_, sizes));
    };
    inputs_.push_back({input("x", {size}), input("y", {size}), input("rows", {inner, size}), input("a", {1, inner}),
                       input("b", {inner, size})});
  }

  Node *gradient(size_t i) {
    const Inputs &in = inputs_[i];
    switch (what_.below(5)) {
    case 0:
      return in.x;
    case 1:
      return call(numbers_ == SumNumbers::Magnitudes ? "aten.add.Tensor" : "aten.sub.Tensor", {in.x, in.y});
    case 2:
      return call("aten.mul.Tensor", {in.x, in.y});
    case 3:
      return sumOfRows(in.rows);
    default:
      return productOf(in.a, in.b);
    }
  }

  Node *rowSum(Node *rows) {
    return builder_.call("aten.sum.dim_IntList", {rows, std::vector<int64_t>{0}},
                         builder_.tensor(own_, {sizeOf(rows, 1)}));
  }

  Node *sumOfRows(Node *rows) {
    const int64_t count = sizeOf(rows);
    if (how_.below(3) != 0)
      return rowSum(rows);
    return add(rowSum(slice(rows, 0, count / 2)), rowSum(slice(rows, count / 2, count)));
  }

  Node *productOf(Node *a, Node *b) {
    const int64_t inner = sizeOf(b), size = sizeOf(b, 1);
    auto flat = [&](Node *matrix) { return call("aten.view.default", {matrix, std::vector<int64_t>{size}}); };
    if (how_.below(3) != 0)
      return flat(call("aten.mm.default", {a, b}));
    Node *low = call("aten.mm.default", {call("aten.slice.Tensor", {a, 1, 0, inner / 2}), slice(b, 0, inner / 2)});
    Node *high =
        call("aten.mm.default", {call("aten.slice.Tensor", {a, 1, inner / 2, inner}), slice(b, inner / 2, inner)});
    return flat(add(low, high));
  }

  std::vector<Node *> summed(std::vector<Node *> values) {
    if (values.size() > 1 && how_.below(3) == 0)
      return inOneCall(values);
    for (Node *&value : values)
      value = sumOverRanks(value);
    return values;
  }

  /// A bucket, or a list.
  std::vector<Node *> inOneCall(const std::vector<Node *> &values) {
    std::vector<Node *> results;
    if (how_.below(2) == 0) {
      Node *bucket = sumOverRanks(cat(values));
      int64_t start = 0;
      for (Node *value : values) {
        results.push_back(slice(bucket, start, start + sizeOf(value)));
        start += sizeOf(value);
      }
      return results;
    }
    Node *list = call("_c10d_functional.all_reduce_coalesced.default", {values, "sum", "0"});
    for (size_t i = 0; i != values.size(); ++i)
      results.push_back(call(wait, {call("operator.getitem", {list, static_cast<int64_t>(i)})}));
    return results;
  }

  Node *sumOverRanks(Node *value) {
    const int64_t size = sizeOf(value), ranks = static_cast<int64_t>(ranks_);
    switch (how_.below(12)) {
    case 0:
      return cat({allReduce(slice(value, 0, size / 2)), allReduce(slice(value, size / 2, size))});
    case 1:
      return collective("all_gather_into_tensor.default",
                        {collective("reduce_scatter_tensor.default", {value, "sum", ranks, "0"}), ranks, "0"});
    case 2:
      if (ranks_ % 2 != 0)
        return allReduce(value);
      return collective("all_reduce.default",
                        {collective("all_reduce.default", {value, "sum", "inner"}), "sum", "outer"});
    case 3:
      return ring(value);
    case 4:
      return tree(gathered(value));
    case 5:
      return rowSum(call("aten.view.default", {collective("all_gather_into_tensor.default", {value, ranks, "0"}),
                                               std::vector<int64_t>{ranks, size}}));
    case 6:
      return exchanged(value);
    case 7:
      return rounded(value);
    default:
      return allReduce(value);
    }
  }

  Node *allReduce(Node *value) { return collective("all_reduce.default", {value, "sum", "0"}); }

  /// The values of all ranks, in their order.
  std::vector<Node *> gathered(Node *value) {
    const int64_t size = sizeOf(value);
    Node *all = collective("all_gather_into_tensor.default", {value, static_cast<int64_t>(ranks_), "0"});
    std::vector<Node *> parts;
    for (int64_t rank = 0; rank != static_cast<int64_t>(ranks_); ++rank)
      parts.push_back(slice(all, rank * size, (rank + 1) * size));
    return parts;
  }

  /// Each part of the value is added along the ring, beginning with another rank.
  Node *ring(Node *value) {
    std::vector<Node *> all = gathered(value), parts;
    const int64_t share = sizeOf(value) / static_cast<int64_t>(ranks_);
    for (size_t part = 0; part != ranks_; ++part) {
      auto partOf = [&](size_t rank) {
        return slice(all[rank % ranks_], static_cast<int64_t>(part) * share, static_cast<int64_t>(part + 1) * share);
      };
      Node *sum = partOf(part + 1);
      for (size_t step = 2; step <= ranks_; ++step)
        sum = add(sum, partOf(part + step));
      parts.push_back(sum);
    }
    return cat(parts);
  }

  Node *tree(std::vector<Node *> values) {
    while (values.size() > 1) {
      std::vector<Node *> next;
      for (size_t i = 0; i + 1 < values.size(); i += 2)
        next.push_back(add(values[i], values[i + 1]));
      if (values.size() % 2 != 0)
        next.push_back(values.back());
      values = std::move(next);
    }
    return values.front();
  }

  /// A reduce_scatter made of an all_to_all and a sum, then an all_gather.
  Node *exchanged(Node *value) {
    const int64_t ranks = static_cast<int64_t>(ranks_), share = sizeOf(value) / ranks;
    const std::vector<int64_t> splits(ranks_, share);
    Node *received = collective("all_to_all_single.default", {value, splits, splits, "0"});
    Node *rows = call("aten.view.default", {received, std::vector<int64_t>{ranks, share}});
    return collective("all_gather_into_tensor.default", {rowSum(rows), ranks, "0"});
  }

  /// A sum in bf16 of a value in f32.
  Node *rounded(Node *value) {
    if (dtype_ != DType::F32)
      return allReduce(value);
    const DType low = numbers_ == SumNumbers::Own ? DType::BF16 : DType::F64;
    Node *sum = allReduce(call("prims.convert_element_type.default", {value, low}));
    return call("prims.convert_element_type.default", {sum, own_});
  }

  Node *updated(size_t i, Node *sum) {
    const Inputs &in = inputs_[i];
    const double ranks = static_cast<double>(ranks_);
    switch (what_.below(5)) {
    case 0:
      return call("aten.div.Tensor", {sum, ranks});
    case 1:
      return call(numbers_ == SumNumbers::Magnitudes ? "aten.add.Tensor" : "aten.sub.Tensor",
                  {in.y, call("aten.mul.Tensor", {sum, 0.125})});
    case 2:
      return call("aten.mul.Tensor", {add(sum, in.x), in.y});
    case 3:
      return numbers_ == SumNumbers::Magnitudes ? sum : call("aten.relu.default", {sum});
    default:
      return sum;
    }
  }

  std::unique_ptr<Graph> graph_;
  GraphBuilder builder_;
  Random what_, how_, moves_, changes_;
  bool isChanged_ = false;
  SumNumbers numbers_;
  size_t ranks_ = 2;
  /// of the program, and of what is written
  DType dtype_ = DType::F32, own_ = DType::F32;
  std::vector<int64_t> sizes_;
  std::vector<Inputs> inputs_;
};

} // namespace

SumProgram makeSumProgram(Context &context, const SumSeeds &seeds, SumNumbers numbers) {
  return Maker(context, seeds, numbers).run();
}

} // namespace ccgraph::test
