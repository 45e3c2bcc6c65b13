#include "rank_sums.h"

#include "call_text.h"
#include "exact_steps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph::numerics {
namespace {

using Rows = std::vector<std::vector<ReceivedRow>>;

llvm::Error problem(const llvm::Twine &text) { return llvm::createStringError(llvm::inconvertibleErrorCode(), text); }

/// Combines the rows of all ranks, element by element.
class RankReduction {
public:
  RankReduction(TermTable &table, SumOrder order, const RankLaunch &launch, ReduceOp op, DType dtype)
      : table_(table), order_(order), launch_(launch), op_(op), dtype_(dtype) {}

  RunList run(llvm::ArrayRef<RunList> rows, size_t row) {
    if (rows.size() == 1 || rows.front().size() == 0)
      return rows.front();
    const bool areEqual = llvm::all_of(rows, [&](const RunList &other) { return sameElements(rows.front(), other); });
    if (areEqual && (op_ == ReduceOp::Min || op_ == ReduceOp::Max))
      return rows.front();
    // The sum of n equal numbers of at most 24 digits is exact in f64, and so is the product with n.
    if (areEqual && op_ == ReduceOp::Sum && isFloat(dtype_) && dtype_ != DType::F64 &&
        (rows.size() == 2 || order_ == SumOrder::Ranks))
      return multiples(table_, rows.front(), dtype_, static_cast<double>(rows.size()));
    if (!isFloat(dtype_) && !isComplex(dtype_))
      return combine(rows, Rule::Unknown, /*isOrdered=*/false);
    const bool isSum = op_ == ReduceOp::Sum || op_ == ReduceOp::Avg;
    if (isSum && order_ == SumOrder::Ranks && isFloat(dtype_))
      return sumInOrder(rows);
    if (rows.size() == 2 && op_ == ReduceOp::Sum)
      return add(rows[0], rows[1]);
    if (rows.size() == 2 && (op_ == ReduceOp::Avg || op_ == ReduceOp::Product))
      return combine(rows, op_ == ReduceOp::Avg ? Rule::RankMean : Rule::Multiply, /*isOrdered=*/false);
    if (order_ == SumOrder::Ranks)
      return combine(rows, ruleOf(), /*isOrdered=*/true);
    return call(rows, row);
  }

private:
  [[nodiscard]] Rule ruleOf() const {
    switch (op_) {
    case ReduceOp::Sum:
      return Rule::RankSum;
    case ReduceOp::Avg:
      return Rule::RankMean;
    case ReduceOp::Min:
    case ReduceOp::Max:
      return Rule::Extreme;
    case ReduceOp::Product:
    case ReduceOp::Band:
    case ReduceOp::Bor:
    case ReduceOp::Bxor:
      return Rule::Unknown;
    }
    return Rule::Unknown;
  }

  [[nodiscard]] Operation operation(Rule rule, int64_t addends) const {
    Operation result;
    result.rule = isFloat(dtype_) ? rule : Rule::Unknown;
    result.dtype = dtype_;
    result.addends = addends;
    result.addsInF64 = order_ == SumOrder::Ranks;
    result.collective = collectiveName(launch_.call.spec->kind).str();
    result.members = launch_.members;
    return result;
  }

  /// Applies one operation to the elements of all ranks.
  RunList combine(llvm::ArrayRef<RunList> rows, Rule rule, bool isOrdered) {
    Operation result = operation(rule, static_cast<int64_t>(rows.size()));
    result.text = reduceOpName(op_).str() + " over " + std::to_string(rows.size()) + " ranks " +
                  shortName(dtype_).str() + (isOrdered ? " in order" : "");
    return perElement(std::move(result), rows, !isOrdered);
  }

  RunList add(const RunList &a, const RunList &b) {
    const std::string dtype = shortName(dtype_).str();
    Operation sum = operation(Rule::Add, 2);
    sum.text = elementwiseText("aten.add", {dtype, dtype}, dtype_);
    return perElement(std::move(sum), {a, b}, /*isCommutative=*/true);
  }

  /// Sums in f64, in the order of the ranks, rounded once; a mean is that sum divided by the number of ranks.
  RunList sumInOrder(llvm::ArrayRef<RunList> rows) {
    RunList sum;
    if (rows.size() == 2) {
      sum = add(rows[0], rows[1]);
    } else {
      Operation result = operation(Rule::RankSum, static_cast<int64_t>(rows.size()));
      result.text = "sum over " + std::to_string(rows.size()) + " ranks " + shortName(dtype_).str() + " in order";
      sum = perElement(std::move(result), rows, /*isCommutative=*/false);
    }
    if (op_ == ReduceOp::Sum)
      return sum;
    Operation division;
    division.text = elementwiseText("aten.div", {shortName(dtype_).str(), "number"}, dtype_);
    division.rule = Rule::Divide;
    division.dtype = dtype_;
    const RunList count = constantElements(table_, static_cast<double>(rows.size()), DType::F64, sum.size());
    return perElement(std::move(division), {sum, count}, /*isCommutative=*/false);
  }

  RunList perElement(Operation operation, llvm::ArrayRef<RunList> rows, bool isCommutative) {
    const std::string text = operation.text;
    const uint32_t number = table_.operation(std::move(operation));
    if (std::optional<RunList> elements = elementwise(table_, {number, rows, isCommutative, mostRuns}))
      return *elements;
    Operation whole;
    whole.text = text + " of whole rows";
    whole.dtype = dtype_;
    return callResult(table_, table_.operation(std::move(whole)), rows, rows.front().size());
  }

  /// A collective whose order is that of its whole call.
  RunList call(llvm::ArrayRef<RunList> rows, size_t row) {
    Operation result = operation(ruleOf(), static_cast<int64_t>(rows.size()));
    result.elements = rows.front().size();
    result.text = result.collective + " " + reduceOpName(op_).str() + " " + shortName(dtype_).str() + " of " +
                  std::to_string(result.elements) + " elements on ranks";
    for (int64_t rank : launch_.members)
      result.text += " " + std::to_string(rank);
    if (launch_.inputs.size() > 1) {
      result.text += ", tensor " + std::to_string(row) + " of";
      for (const HeldTensor &input : launch_.inputs)
        result.text += " " + shortName(input.dtype).str() + "[" + std::to_string(input.count()) + "]";
      result.elements = 0;
      for (const HeldTensor &input : launch_.inputs)
        result.elements += input.count();
    }
    return callResult(table_, table_.operation(std::move(result)), rows, rows.front().size());
  }

  TermTable &table_;
  SumOrder order_;
  const RankLaunch &launch_;
  ReduceOp op_;
  DType dtype_;
};

class RankExchange {
public:
  RankExchange(TermTable &table, SumOrder order, llvm::ArrayRef<const RankLaunch *> launches)
      : table_(table), order_(order), launches_(launches), received_(launches.size()) {}

  llvm::Expected<Rows> run() {
    for (const RankLaunch *launch : launches_)
      if (launch->call.spec->kind != first().call.spec->kind || launch->inputs.size() != first().inputs.size() ||
          launch->call.reduceOp != first().call.reduceOp || launch->call.root != first().call.root)
        return problem("the ranks of its group launch different collectives");
    for (size_t row = 0; row != first().inputs.size(); ++row)
      if (llvm::Error error = exchange(row))
        return error;
    return std::move(received_);
  }

private:
  [[nodiscard]] const RankLaunch &first() const { return *launches_.front(); }
  [[nodiscard]] int64_t members() const { return static_cast<int64_t>(launches_.size()); }
  [[nodiscard]] const HeldTensor &input(size_t member, size_t row) const { return launches_[member]->inputs[row]; }

  llvm::Error exchange(size_t row) {
    switch (first().call.spec->kind) {
    case CollectiveKind::AllReduce:
    case CollectiveKind::ReduceScatter:
      return reduce(row);
    case CollectiveKind::AllGather:
      return gather(row);
    case CollectiveKind::AllToAll:
      return exchangeRows(row);
    case CollectiveKind::Broadcast:
      return broadcast(row);
    case CollectiveKind::ShardDimAllToAll:
      return exchangeDims(row);
    default:
      return problem("there is no rule for a " + collectiveName(first().call.spec->kind));
    }
  }

  llvm::Error checkEqualRows(size_t row) const {
    for (size_t member = 0; member != launches_.size(); ++member)
      if (input(member, row).count() != input(0, row).count() || input(member, row).dtype != input(0, row).dtype)
        return problem("the ranks of its group send tensors of different sizes or dtypes");
    return llvm::Error::success();
  }

  std::vector<RunList> rowsOf(size_t row) {
    std::vector<RunList> rows;
    for (size_t member = 0; member != launches_.size(); ++member)
      rows.push_back(elementsOf(table_, input(member, row)));
    return rows;
  }

  void give(size_t member, size_t row, IntList sizes, RunList elements) {
    received_[member].push_back({input(member, row).dtype, std::move(sizes), std::move(elements)});
  }

  llvm::Error reduce(size_t row) {
    std::optional<ReduceOp> op = parseReduceOp(first().call.reduceOp);
    if (!op)
      return problem("the reduction is not known");
    if (llvm::Error error = checkEqualRows(row))
      return error;
    const HeldTensor &sent = input(0, row);
    const RunList sum = RankReduction(table_, order_, first(), *op, sent.dtype).run(rowsOf(row), row);
    const bool scatters = first().call.spec->kind == CollectiveKind::ReduceScatter;
    IntList sizes = sent.sizes;
    if (scatters && (sizes.empty() || sizes[0] % members() != 0))
      return problem("the ranks of its group cannot share the rows of " + intListText(sizes));
    if (scatters)
      sizes[0] /= members();
    const int64_t share = scatters ? sum.size() / members() : sum.size();
    for (size_t member = 0; member != launches_.size(); ++member)
      give(member, row, sizes, scatters ? sum.slice(static_cast<int64_t>(member) * share, share) : sum);
    return llvm::Error::success();
  }

  llvm::Error gather(size_t row) {
    if (llvm::Error error = checkEqualRows(row))
      return error;
    RunList all;
    for (const RunList &part : rowsOf(row))
      all.append(part);
    IntList sizes = input(0, row).sizes;
    if (sizes.empty())
      sizes.push_back(1);
    sizes[0] *= members();
    for (size_t member = 0; member != launches_.size(); ++member)
      give(member, row, sizes, all);
    return llvm::Error::success();
  }

  llvm::Error broadcast(size_t row) {
    const int64_t root = first().call.root.value_or(-1);
    if (root < 0 || root >= members())
      return problem("the rank that sends is not known");
    const RunList sent = elementsOf(table_, input(static_cast<size_t>(root), row));
    for (size_t member = 0; member != launches_.size(); ++member)
      give(member, row, input(static_cast<size_t>(root), row).sizes, sent);
    return llvm::Error::success();
  }

  /// Returns how many rows a member sends to each other one.
  llvm::Expected<IntList> rowsSent(size_t member, size_t row) const {
    const HeldTensor &sent = input(member, row);
    const CollectiveCall &call = launches_[member]->call;
    const Argument *stated = argumentAt(*launches_[member]->node, call.spec->inputSplits);
    const bool isStated =
        stated && !(stated->isSequence() && stated->elements().empty()) && !stated->is(Argument::Kind::None);
    if (isStated && !call.inputSplits)
      return problem("the rows that each rank sends are no numbers");
    IntList counts;
    if (isStated)
      counts = toIntList(*call.inputSplits);
    else if (!sent.sizes.empty())
      counts.assign(launches_.size(), sent.sizes[0] / members());
    const bool areCounts = llvm::none_of(counts, [](int64_t count) { return count < 0; });
    if (sent.sizes.empty() || counts.size() != launches_.size() || !areCounts || saturatingSum(counts) != sent.sizes[0])
      return problem("the ranks of its group cannot share the rows of " + intListText(sent.sizes));
    return counts;
  }

  llvm::Error exchangeRows(size_t row) {
    std::vector<RunList> parts(launches_.size());
    IntList rows(launches_.size(), 0);
    for (size_t from = 0; from != launches_.size(); ++from) {
      llvm::Expected<IntList> counts = rowsSent(from, row);
      if (!counts)
        return counts.takeError();
      const RunList sent = elementsOf(table_, input(from, row));
      const int64_t width = input(from, row).sizes[0] == 0 ? 0 : sent.size() / input(from, row).sizes[0];
      int64_t start = 0;
      for (size_t to = 0; to != launches_.size(); start += (*counts)[to], ++to) {
        sent.copyTo(parts[to], start * width, (*counts)[to] * width);
        rows[to] += (*counts)[to];
      }
    }
    for (size_t to = 0; to != launches_.size(); ++to) {
      IntList sizes = input(to, row).sizes;
      sizes[0] = rows[to];
      give(to, row, sizes, std::move(parts[to]));
    }
    return llvm::Error::success();
  }

  llvm::Error exchangeDims(size_t row) {
    if (llvm::Error error = checkEqualRows(row))
      return error;
    const Node &node = *first().node;
    const Argument *gather = argumentAt(node, 1), *shard = argumentAt(node, 2);
    const auto dims = static_cast<int64_t>(input(0, row).sizes.size());
    auto isDim = [&](const Argument *argument) {
      return argument && argument->is(Argument::Kind::Int) && argument->integer() >= 0 && argument->integer() < dims;
    };
    if (!isDim(gather) || !isDim(shard))
      return problem("its dimensions are no numbers");
    const auto gatherDim = static_cast<size_t>(gather->integer()), shardDim = static_cast<size_t>(shard->integer());
    const int64_t share = input(0, row).sizes[shardDim] / members();
    if (share * members() != input(0, row).sizes[shardDim])
      return problem("the ranks of its group cannot exchange " + intListText(input(0, row).sizes));
    for (size_t to = 0; to != launches_.size(); ++to) {
      std::vector<HeldTensor> parts;
      for (size_t from = 0; from != launches_.size(); ++from)
        parts.push_back(narrowed(input(from, row), shardDim, static_cast<int64_t>(to) * share,
                                 (static_cast<int64_t>(to) + 1) * share));
      std::optional<RunList> elements = joined(table_, parts, gatherDim);
      if (!elements)
        return problem("it cuts the tensor into more than " + std::to_string(mostRuns) + " pieces");
      IntList sizes = parts.front().sizes;
      sizes[gatherDim] *= members();
      give(to, row, sizes, std::move(*elements));
    }
    return llvm::Error::success();
  }

  TermTable &table_;
  SumOrder order_;
  llvm::ArrayRef<const RankLaunch *> launches_;
  Rows received_;
};

} // namespace

llvm::Expected<Rows> receivedRows(TermTable &table, SumOrder order, llvm::ArrayRef<const RankLaunch *> launches) {
  return RankExchange(table, order, launches).run();
}

} // namespace ccgraph::numerics
