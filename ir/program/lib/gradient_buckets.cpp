#include "ccgraph/ir/gradient_buckets.h"

#include "ccgraph/ir/diagnostic.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

namespace ccgraph {
namespace {

constexpr double bytesInMebibyte = 1 << 20;
constexpr double defaultCap = 25;
constexpr double defaultFirst = 1;

llvm::Error refuse(std::string message, std::string repair) {
  Diagnostic diagnostic = diagnose("buckets", std::move(message), std::move(repair));
  diagnostic.where = "gradient buckets";
  return makeError(std::move(diagnostic));
}

llvm::Error check(llvm::ArrayRef<BucketTensor> tensors, const BucketRules &rules) {
  if (tensors.empty())
    return refuse("got no tensors, expected at least one", "leave out a model without trained parameters");
  if (rules.limits.empty())
    return refuse("got no limits, expected at least one", "give the limit of a bucket in bytes; the last one repeats");
  if (!rules.sparse.empty() && rules.sparse.size() != tensors.size())
    return refuse("got " + std::to_string(rules.sparse.size()) + " flags of sparse gradients for " +
                      std::to_string(tensors.size()) + " tensors",
                  "give one flag for each tensor, or none");
  if (!rules.indices.empty() && rules.indices.size() != tensors.size())
    return refuse("got " + std::to_string(rules.indices.size()) + " indices for " + std::to_string(tensors.size()) +
                      " tensors",
                  "give one index for each tensor, or none");
  for (size_t index : rules.indices)
    if (!rules.sparse.empty() && index >= rules.sparse.size())
      return refuse("got index " + std::to_string(index) + " with flags for " + std::to_string(rules.sparse.size()) +
                        " tensors",
                    "an index is less than the number of tensors");
  return llvm::Error::success();
}

/// The buckets of one dtype and device.
struct OpenKey {
  DType dtype;
  Device device;
  std::vector<size_t> open = {};
  uint64_t bytes = 0;
  /// position of the current limit
  size_t limit = 0;
};

class Assigner {
public:
  Assigner(llvm::ArrayRef<BucketTensor> tensors, const BucketRules &rules) : tensors_(tensors), rules_(rules) {}

  BucketAssignment run() {
    for (size_t i = 0; i != tensors_.size(); ++i)
      place(tensors_[i], rules_.indices.empty() ? i : rules_.indices[i]);
    size_t closed = result_.buckets.size();
    for (OpenKey &key : keys_)
      if (!key.open.empty())
        close(key);
    if (rules_.indices.empty())
      sortBySmallestIndex();
    else
      result_.leftover = result_.buckets.size() - closed;
    return std::move(result_);
  }

private:
  void place(const BucketTensor &tensor, size_t index) {
    if (!rules_.sparse.empty() && rules_.sparse[index])
      return add({index}, 0);
    OpenKey &key = keyOf(tensor);
    key.open.push_back(index);
    key.bytes += tensor.elements * sizeInBytes(tensor.dtype);
    if (key.bytes < rules_.limits[key.limit])
      return;
    close(key);
    key.limit = std::min(key.limit + 1, rules_.limits.size() - 1);
  }

  OpenKey &keyOf(const BucketTensor &tensor) {
    auto *known = llvm::find_if(
        keys_, [&](const OpenKey &key) { return key.dtype == tensor.dtype && key.device == tensor.device; });
    return known != keys_.end() ? *known : keys_.emplace_back(OpenKey{tensor.dtype, tensor.device});
  }

  void close(OpenKey &key) {
    add(std::move(key.open), rules_.limits[key.limit]);
    key.open.clear();
    key.bytes = 0;
  }

  void add(std::vector<size_t> bucket, uint64_t limit) {
    result_.buckets.push_back(std::move(bucket));
    result_.limits.push_back(limit);
  }

  void sortBySmallestIndex() {
    std::vector<size_t> order(result_.buckets.size());
    for (size_t i = 0; i != order.size(); ++i)
      order[i] = i;
    llvm::sort(order, [&](size_t a, size_t b) { return result_.buckets[a].front() < result_.buckets[b].front(); });
    BucketAssignment sorted;
    for (size_t i : order) {
      sorted.buckets.push_back(std::move(result_.buckets[i]));
      sorted.limits.push_back(result_.limits[i]);
    }
    result_ = std::move(sorted);
  }

  llvm::ArrayRef<BucketTensor> tensors_;
  const BucketRules &rules_;
  /// few, since a model has few dtypes and devices
  llvm::SmallVector<OpenKey, 4> keys_;
  BucketAssignment result_;
};

uint64_t bytesOf(double megabytes) {
  constexpr double beyond = 9223372036854775808.0; // 2^63
  double bytes = megabytes * bytesInMebibyte;
  if (!(bytes > -beyond && bytes < beyond))
    return static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  return static_cast<uint64_t>(static_cast<int64_t>(bytes));
}

/// Returns the ready order, completed with the indices that it lacks; fails if it is no such order.
llvm::Expected<std::vector<size_t>> completeOrder(llvm::ArrayRef<size_t> readyOrder, size_t count, bool mayLack) {
  std::vector<bool> seen(count);
  for (size_t index : readyOrder) {
    if (index >= count || seen[index])
      return refuse("got parameter " + std::to_string(index) + (index >= count ? " of " : " twice in the order of ") +
                        std::to_string(count) + " parameters",
                    "the ready order lists each parameter once, by its position");
    seen[index] = true;
  }
  std::vector<size_t> order(readyOrder.begin(), readyOrder.end());
  for (size_t index = 0; index != count; ++index)
    if (!seen[index])
      order.push_back(index);
  if (order.size() != readyOrder.size() && !mayLack)
    return refuse("the ready order lacks parameter " + std::to_string(order[readyOrder.size()]) +
                      ", whose gradient was not computed",
                  "use findUnused where a step may leave out parameters, or staticGraph where each step leaves out "
                  "the same ones");
  return order;
}

} // namespace

llvm::Expected<BucketAssignment> assignBuckets(llvm::ArrayRef<BucketTensor> tensors, const BucketRules &rules) {
  if (llvm::Error error = check(tensors, rules))
    return error;
  return Assigner(tensors, rules).run();
}

std::vector<uint64_t> bucketLimits(const GradientBucketOptions &options) {
  std::vector<uint64_t> limits;
  for (double megabytes : options.capList)
    limits.push_back(bytesOf(megabytes));
  if (limits.empty())
    limits = {bytesOf(options.capMegabytes.value_or(defaultFirst)), bytesOf(options.capMegabytes.value_or(defaultCap))};
  return limits;
}

llvm::Expected<Buckets> initialBuckets(const GradientParameters &parameters, const GradientBucketOptions &options) {
  BucketRules rules{{static_cast<uint64_t>(std::numeric_limits<int64_t>::max())}, parameters.sparse};
  if (!options.capList.empty() || (options.findUnused && !options.staticGraph))
    rules.limits = bucketLimits(options);
  llvm::Expected<BucketAssignment> assigned = assignBuckets(parameters.tensors, rules);
  if (!assigned)
    return assigned.takeError();
  std::reverse(assigned->buckets.begin(), assigned->buckets.end());
  return std::move(assigned->buckets);
}

llvm::Expected<Buckets> rebuiltBuckets(const GradientParameters &parameters, llvm::ArrayRef<size_t> readyOrder,
                                       const GradientBucketOptions &options) {
  llvm::Expected<std::vector<size_t>> order = completeOrder(readyOrder, parameters.tensors.size(), options.staticGraph);
  if (!order)
    return order.takeError();
  if (options.firstLimitLast)
    std::reverse(order->begin(), order->end());
  std::vector<BucketTensor> tensors;
  for (size_t index : *order)
    tensors.push_back(parameters.tensors[index]);
  llvm::Expected<BucketAssignment> assigned =
      assignBuckets(tensors, {bucketLimits(options), parameters.sparse, *order});
  if (!assigned)
    return assigned.takeError();
  if (options.firstLimitLast)
    std::reverse(assigned->buckets.begin(), assigned->buckets.end());
  return std::move(assigned->buckets);
}

std::optional<int64_t> iterationOfRebuild(const GradientBucketOptions &options) {
  if (options.staticGraph)
    return 2;
  return options.findUnused ? std::nullopt : std::optional<int64_t>(1);
}

std::vector<BucketSlice> bucketSlices(llvm::ArrayRef<int64_t> elements) {
  std::vector<BucketSlice> slices;
  int64_t offset = 0;
  for (int64_t length : elements) {
    slices.push_back({offset, length});
    offset += length;
  }
  return slices;
}

} // namespace ccgraph
