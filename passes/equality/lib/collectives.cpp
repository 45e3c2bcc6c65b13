#include "collectives.h"

#include "distribute.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace ccgraph::equality {
namespace {

using Received = std::vector<std::vector<Array>>;

llvm::Error problem(const llvm::Twine &text) { return llvm::createStringError(llvm::inconvertibleErrorCode(), text); }

Word combineWords(ReduceOp op, Kind kind, Word a, Word b) {
  const bool isFloat = kind == Kind::Float;
  switch (op) {
  case ReduceOp::Sum:
  case ReduceOp::Avg:
    return isFloat ? add(a, b) : a + b;
  case ReduceOp::Product:
    return isFloat ? multiply(a, b) : a * b;
  case ReduceOp::Min:
    return (isFloat ? orderKey(b) < orderKey(a) : static_cast<int64_t>(b) < static_cast<int64_t>(a)) ? b : a;
  case ReduceOp::Max:
    return (isFloat ? orderKey(a) < orderKey(b) : static_cast<int64_t>(a) < static_cast<int64_t>(b)) ? b : a;
  case ReduceOp::Band:
    return a & b;
  case ReduceOp::Bor:
    return a | b;
  case ReduceOp::Bxor:
    return a ^ b;
  }
  llvm_unreachable("all reductions are computed");
}

class Exchange {
public:
  Exchange(llvm::ArrayRef<const Launch *> launches, Field &field) : launches_(launches), field_(field) {}

  llvm::Expected<Received> run() {
    received_.resize(launches_.size());
    for (const Launch *launch : launches_) {
      if (launch->call.spec->kind != first().call.spec->kind || launch->inputs.size() != first().inputs.size())
        return problem("the ranks of its group launch different collectives");
      if (launch->call.root != first().call.root)
        return problem("the ranks of its group name different ranks that send");
      if (launch->gatherDim != first().gatherDim || launch->shardDim != first().shardDim)
        return problem("the ranks of its group exchange different dimensions");
      if (!addsUp(*launch) && launch->call.reduceOp != first().call.reduceOp)
        return problem("the ranks of its group reduce differently: " + first().call.reduceOp + " and " +
                       launch->call.reduceOp);
    }
    for (size_t row = 0; row != first().inputs.size(); ++row)
      if (llvm::Error error = exchange(row))
        return error;
    return std::move(received_);
  }

private:
  [[nodiscard]] const Launch &first() const { return *launches_.front(); }
  [[nodiscard]] int64_t members() const { return static_cast<int64_t>(launches_.size()); }

  /// Ranks of which some take the sum and others the average add the same numbers; each then divides or does not.
  [[nodiscard]] bool addsUp(const Launch &launch) const {
    auto isSum = [](llvm::StringRef op) { return op == "sum" || op == "avg"; };
    return isSum(launch.call.reduceOp) && isSum(first().call.reduceOp);
  }

  llvm::Error exchange(size_t row) {
    switch (first().call.spec->kind) {
    case CollectiveKind::AllReduce:
      return allReduce(row);
    case CollectiveKind::ReduceScatter:
      return reduceScatter(row);
    case CollectiveKind::AllGather:
      return allGather(row);
    case CollectiveKind::AllToAll:
      return allToAll(row);
    case CollectiveKind::Broadcast:
      return broadcast(row);
    case CollectiveKind::ShardDimAllToAll:
      return shardExchange(row);
    default:
      return problem("no rule for a " + collectiveName(first().call.spec->kind));
    }
  }

  llvm::Error checkEqualSizes(size_t row) const {
    for (const Launch *launch : launches_)
      if (launch->inputs[row].sizes != first().inputs[row].sizes ||
          launch->inputs[row].kind != first().inputs[row].kind)
        return problem("the ranks of its group send tensors of different sizes: " +
                       intListText(first().inputs[row].sizes) + " and " + intListText(launch->inputs[row].sizes));
    return llvm::Error::success();
  }

  /// Returns the reduction of all inputs as one rank asks for it.
  llvm::Expected<Array> reduced(size_t row, llvm::StringRef opText) const {
    std::optional<ReduceOp> op = parseReduceOp(opText);
    if (!op)
      return problem("the reduction is not known");
    if (llvm::Error error = checkEqualSizes(row))
      return error;
    const Array &start = first().inputs[row];
    Words words(*start.words);
    unsigned digits = start.digits;
    for (const Launch *launch : launches_.drop_front()) {
      const Array &other = launch->inputs[row];
      digits = std::min<unsigned>(digits, other.digits);
      for (size_t i = 0; i != words.size(); ++i)
        words[i] = combineWords(*op, start.kind, words[i], (*other.words)[i]);
    }
    Array result = makeArray(start.kind, start.sizes, std::move(words), digits);
    if (*op == ReduceOp::Sum)
      result.companion = unityOfSum(inputsOf(row));
    return *op == ReduceOp::Avg ? scaledArray(result, field_.inverse(numberOfInteger(members()))) : result;
  }

  std::vector<Array> inputsOf(size_t row) const {
    std::vector<Array> inputs;
    for (const Launch *launch : launches_)
      inputs.push_back(launch->inputs[row]);
    return inputs;
  }

  void giveAll(const Array &array) {
    for (std::vector<Array> &rows : received_)
      rows.push_back(array);
  }

  llvm::Error allReduce(size_t row) {
    llvm::Expected<std::vector<Array>> sums = reducedByRank(row);
    if (!sums)
      return sums.takeError();
    for (size_t i = 0; i != received_.size(); ++i)
      received_[i].push_back((*sums)[i]);
    return llvm::Error::success();
  }

  /// Returns the reduction for each member; members that reduce alike share its words.
  llvm::Expected<std::vector<Array>> reducedByRank(size_t row) const {
    std::map<std::string, Array> byOp;
    std::vector<Array> sums;
    for (const Launch *launch : launches_) {
      auto known = byOp.find(launch->call.reduceOp);
      if (known == byOp.end()) {
        llvm::Expected<Array> sum = reduced(row, launch->call.reduceOp);
        if (!sum)
          return sum.takeError();
        known = byOp.emplace(launch->call.reduceOp, std::move(*sum)).first;
      }
      sums.push_back(known->second);
    }
    return sums;
  }

  llvm::Error reduceScatter(size_t row) {
    llvm::Expected<std::vector<Array>> sums = reducedByRank(row);
    if (!sums)
      return sums.takeError();
    const IntList &sizes = sums->front().sizes;
    if (sizes.empty() || sizes[0] % members() != 0)
      return problem("the ranks of its group cannot share the rows of " + intListText(sizes));
    const int64_t share = sizes[0] / members();
    for (int64_t i = 0; i != members(); ++i)
      received_[static_cast<size_t>(i)].push_back(
          slicedArray((*sums)[static_cast<size_t>(i)], 0, i * share, (i + 1) * share));
    return llvm::Error::success();
  }

  llvm::Error allGather(size_t row) {
    if (llvm::Error error = checkEqualSizes(row))
      return error;
    std::vector<Array> parts;
    for (const Launch *launch : launches_) {
      Array part = launch->inputs[row];
      parts.push_back(part.sizes.empty() ? reshaped(part, {1}) : part);
    }
    giveAll(concatenated(parts, 0));
    return llvm::Error::success();
  }

  llvm::Error broadcast(size_t row) {
    int64_t root = first().call.root.value_or(-1);
    if (root < 0 || root >= members())
      return problem("the rank that sends is not known");
    giveAll(launches_[static_cast<size_t>(root)]->inputs[row]);
    return llvm::Error::success();
  }

  /// Returns how many rows a member sends to each other one.
  llvm::Expected<IntList> rowsSent(const Launch &launch, size_t row) const {
    const Array &input = launch.inputs[row];
    int64_t rows = input.sizes.empty() ? 0 : input.sizes[0];
    IntList counts;
    if (launch.call.inputSplits && !launch.call.inputSplits->empty())
      counts = toIntList(*launch.call.inputSplits);
    else
      counts.assign(launches_.size(), rows / members());
    if (static_cast<int64_t>(counts.size()) != members() || saturatingSum(counts) != rows || input.sizes.empty() ||
        llvm::any_of(counts, [](int64_t count) { return count < 0; }))
      return problem("the ranks of its group cannot share the rows of " + intListText(input.sizes));
    return counts;
  }

  llvm::Error allToAll(size_t row) {
    std::vector<std::vector<Array>> parts(launches_.size());
    for (const Launch *launch : launches_) {
      llvm::Expected<IntList> counts = rowsSent(*launch, row);
      if (!counts)
        return counts.takeError();
      int64_t start = 0;
      for (size_t to = 0; to != launches_.size(); start += (*counts)[to], ++to)
        parts[to].push_back(slicedArray(launch->inputs[row], 0, start, start + (*counts)[to]));
    }
    for (size_t to = 0; to != launches_.size(); ++to)
      received_[to].push_back(concatenated(parts[to], 0));
    return llvm::Error::success();
  }

  llvm::Error shardExchange(size_t row) {
    if (llvm::Error error = checkEqualSizes(row))
      return error;
    const IntList &sizes = first().inputs[row].sizes;
    auto dims = static_cast<int64_t>(sizes.size());
    int64_t gather = first().gatherDim, shard = first().shardDim;
    if (gather < 0 || gather >= dims || shard < 0 || shard >= dims ||
        sizes[static_cast<size_t>(shard)] % members() != 0)
      return problem("the ranks of its group cannot exchange " + intListText(sizes));
    int64_t share = sizes[static_cast<size_t>(shard)] / members();
    for (int64_t to = 0; to != members(); ++to) {
      std::vector<Array> parts;
      for (const Launch *launch : launches_)
        parts.push_back(slicedArray(launch->inputs[row], static_cast<size_t>(shard), to * share, (to + 1) * share));
      received_[static_cast<size_t>(to)].push_back(concatenated(parts, static_cast<size_t>(gather)));
    }
    return llvm::Error::success();
  }

  llvm::ArrayRef<const Launch *> launches_;
  Field &field_;
  Received received_;
};

} // namespace

llvm::Expected<Received> valuesOf(llvm::ArrayRef<const Launch *> launches, Field &field) {
  return Exchange(launches, field).run();
}

} // namespace ccgraph::equality
