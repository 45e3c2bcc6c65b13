#include "ccgraph/tracer/data_parallel.h"

#include "ccgraph/ir/device.h"
#include "ccgraph/tracer/backward.h"
#include "ccgraph/tracer/collectives.h"
#include "ccgraph/tracer/ops.h"
#include "tracer/data_parallel/rank_agreement.h"
#include "tracer/recorder.h"

namespace ccgraph::tracer {

using detail::Batch;
using detail::problem;
using detail::Recorder;

namespace {

llvm::Expected<Recorder *> openRecorder() {
  detail::Mode *mode = detail::Mode::current();
  Recorder *recorder = mode ? mode->recorder() : nullptr;
  if (!recorder)
    return makeError(detail::noModeProblem("DataParallel"));
  return recorder;
}

Tensor flat(const Tensor &tensor) { return tensor.dim() == 1 ? tensor : reshape(tensor, {-1}); }

/// Returns the elements in the order of the parameter's memory (memoryOrder).
Tensor flatInMemory(const Tensor &tensor, const std::vector<int64_t> &order) {
  bool isMoved = !order.empty() && tensor.dim() != 1;
  return flat(isMoved ? call("aten.permute.default", {tensor, order}) : tensor);
}

BucketTensor bucketTensorOf(const Tensor &tensor) {
  return {tensor.dtype(), tensor.device(), static_cast<uint64_t>(tensor.numel())};
}

TensorList failedList(const std::vector<Tensor> &parameters, Diagnostic why) {
  Tensor failed = detail::fail(std::move(why));
  return TensorList(std::vector<Tensor>(parameters.size(), failed));
}

} // namespace

llvm::Expected<GradientUse> useOf(const std::vector<Tensor> &parameters, const std::vector<Tensor> &gradients) {
  llvm::Expected<Recorder *> recorder = openRecorder();
  if (!recorder)
    return recorder.takeError();
  if (gradients.size() != parameters.size())
    return makeError(problem("ddp.gradients", "DataParallel",
                             "got " + std::to_string(gradients.size()) + " gradients of " +
                                 std::to_string(parameters.size()) + " parameters",
                             "give one gradient for each parameter, absent where there is none"));
  GradientUse use;
  std::vector<Node *> nodes(gradients.size());
  for (size_t i = 0; i != gradients.size(); ++i) {
    llvm::Expected<Node *> parameter = (*recorder)->nodeOf(parameters[i], "DataParallel");
    if (!parameter)
      return parameter.takeError();
    use.parameters.push_back({(*parameter)->name().str().str(), parameters[i].typeText(), !gradients[i].isAbsent()});
    if (gradients[i].isAbsent())
      continue;
    llvm::Expected<Node *> gradient = (*recorder)->nodeOf(gradients[i], "DataParallel");
    if (!gradient)
      return gradient.takeError();
    nodes[i] = *gradient;
    use.readyOrder.push_back(i);
  }
  llvm::stable_sort(use.readyOrder, [&](size_t a, size_t b) { return nodes[a]->isBefore(nodes[b]); });
  return use;
}

/// One reduction: chooses the buckets, and records each at its place.
class DataParallel::Reduction {
public:
  /// The gradients of one parameter that are added before they are reduced.
  using Addends = llvm::SmallVector<Tensor, 2>;

  Reduction(DataParallel &owner, std::vector<Addends> addends, Batch batch)
      : owner_(owner), addends_(std::move(addends)), batch_(batch) {}

  llvm::Expected<std::vector<Tensor>> run() {
    llvm::Expected<Recorder *> recorder = openRecorder();
    if (!recorder)
      return recorder.takeError();
    recorder_ = *recorder;
    if (llvm::Error error = readGroup())
      return error;
    if (llvm::Error error = readUse())
      return error;
    if (llvm::Error error = chooseBuckets())
      return error;
    placeBuckets();
    std::vector<Tensor> results(owner_.parameters_.size());
    for (GradBucket &bucket : owner_.buckets_)
      record(bucket, results);
    recorder_->setPosition(nullptr);
    return results;
  }

private:
  llvm::Error readGroup() {
    llvm::Expected<ExpandedGroup> group = expandGroup(owner_.options_.group);
    if (!group)
      return group.takeError();
    group_ = std::move(*group);
    return llvm::Error::success();
  }

  /// Determines which parameters some rank uses.
  llvm::Error readUse() {
    std::vector<Tensor> gradients;
    for (const Addends &addends : addends_)
      gradients.push_back(addends.empty() ? Tensor() : addends.back());
    llvm::Expected<GradientUse> own = useOf(owner_.parameters_, gradients);
    if (!own)
      return own.takeError();
    const DataParallelOptions &options = owner_.options_;
    detail::RankAgreement agreement{*own, options.ranks, group_.size, options.buckets};
    llvm::Expected<GradientUse> agreed = detail::agreedUse(agreement, batch_);
    if (!agreed)
      return agreed.takeError();
    use_ = std::move(*agreed);
    return llvm::Error::success();
  }

  llvm::Error chooseBuckets() {
    const DataParallelOptions &options = owner_.options_;
    GradientParameters parameters;
    for (const Tensor &parameter : owner_.parameters_)
      parameters.tensors.push_back(bucketTensorOf(parameter));
    std::optional<int64_t> rebuild = iterationOfRebuild(options.buckets);
    bool rebuilt = rebuild && options.iteration.value_or(*rebuild) >= *rebuild;
    llvm::ArrayRef<size_t> order = options.readyOrder.empty() ? use_.readyOrder : options.readyOrder;
    llvm::Expected<Buckets> buckets =
        rebuilt ? rebuiltBuckets(parameters, order, options.buckets) : initialBuckets(parameters, options.buckets);
    if (!buckets)
      return buckets.takeError();
    owner_.buckets_.clear();
    for (std::vector<size_t> &members : *buckets)
      owner_.buckets_.push_back(describe(std::move(members)));
    owner_.buckets_.back().isLast = true;
    return llvm::Error::success();
  }

  GradBucket describe(std::vector<size_t> members) const {
    GradBucket bucket{.index = owner_.buckets_.size(), .parameters = std::move(members)};
    std::vector<int64_t> elements;
    for (size_t parameter : bucket.parameters) {
      bucket.shapes.push_back(owner_.parameters_[parameter].sizes());
      bucket.orders.push_back(memoryOrder(owner_.parameters_[parameter]));
      elements.push_back(owner_.parameters_[parameter].numel());
    }
    bucket.slices = bucketSlices(elements);
    bucket.group = group_.name;
    bucket.ranks = group_.size;
    bucket.divisor = owner_.options_.divisor.value_or(group_.size);
    return bucket;
  }

  /// Determines the node before which each bucket is recorded: the one after the last gradient of this bucket and of
  /// all earlier buckets.
  void placeBuckets() {
    Node *last = nullptr, *first = nullptr;
    std::vector<Node *> lasts;
    for (const GradBucket &bucket : owner_.buckets_) {
      for (size_t parameter : bucket.parameters)
        for (const Tensor &addend : addends_[parameter]) {
          Node *node = addend.state()->node;
          last = !last || last->isBefore(node) ? node : last;
          first = !first || node->isBefore(first) ? node : first;
        }
      lasts.push_back(last);
    }
    // A bucket in front that no gradient belongs to needs no node of the backward pass.
    for (Node *node : lasts)
      places_.push_back(node ? node->next() : first);
  }

  void record(GradBucket &bucket, std::vector<Tensor> &results) {
    recorder_->setPosition(places_[bucket.index]);
    GradBucket filled = bucket;
    std::vector<Tensor> pieces;
    for (size_t i = 0; i != bucket.parameters.size(); ++i)
      pieces.push_back(flatInMemory(gradientOf(bucket.parameters[i]), bucket.orders[i]));
    filled.buffer = pieces.size() == 1 ? pieces.front() : cat(pieces);
    std::vector<Tensor> views = filled.viewsOf(runHook(owner_.options_.hook, filled));
    for (size_t i = 0; i != views.size(); ++i)
      if (use_.parameters[bucket.parameters[i]].used)
        results[bucket.parameters[i]] = views[i];
  }

  Tensor gradientOf(size_t parameter) const {
    const Addends &addends = addends_[parameter];
    if (addends.empty()) {
      const Tensor &like = owner_.parameters_[parameter];
      return zeros({like.numel()}, like.dtype(), deviceText(like.device()));
    }
    return addends.size() == 1 ? addends.front() : addends[0] + addends[1];
  }

  DataParallel &owner_;
  std::vector<Addends> addends_;
  Batch batch_;
  Recorder *recorder_ = nullptr;
  ExpandedGroup group_;
  GradientUse use_;
  /// by bucket; null: at the end
  std::vector<Node *> places_;
};

DataParallel::DataParallel(std::vector<Tensor> parameters, DataParallelOptions options)
    : parameters_(std::move(parameters)), options_(std::move(options)) {}

TensorList DataParallel::backward(const Tensor &loss, const std::vector<Tensor> &accumulated) {
  TensorList gradients = tracer::backward(loss, parameters_);
  if (const Diagnostic *error = gradients.error())
    return failedList(parameters_, *error);
  if (!accumulated.empty() && accumulated.size() != parameters_.size())
    return failedList(parameters_, problem("ddp.gradients", "DataParallel",
                                           "got " + std::to_string(accumulated.size()) + " accumulated gradients of " +
                                               std::to_string(parameters_.size()) + " parameters",
                                           "give one gradient for each parameter, absent where there is none"));
  std::vector<Reduction::Addends> addends(parameters_.size());
  for (size_t i = 0; i != parameters_.size(); ++i)
    for (const Tensor &addend : {accumulated.empty() ? Tensor() : accumulated[i], gradients[i]})
      if (!addend.isAbsent())
        addends[i].push_back(addend);
  return reduced(std::move(addends), Batch::Some);
}

TensorList DataParallel::reduce(const std::vector<Tensor> &gradients) {
  if (gradients.size() != parameters_.size())
    return failedList(parameters_, detail::firstOf(useOf(parameters_, gradients).takeError()));
  std::vector<Reduction::Addends> addends(parameters_.size());
  for (size_t i = 0; i != parameters_.size(); ++i)
    if (!gradients[i].isAbsent())
      addends[i].push_back(gradients[i]);
  return reduced(std::move(addends), Batch::Some);
}

TensorList DataParallel::reduceNothing() {
  return reduced(std::vector<Reduction::Addends>(parameters_.size()), Batch::None);
}

TensorList DataParallel::reduced(std::vector<llvm::SmallVector<Tensor, 2>> addends, Batch batch) {
  llvm::Expected<std::vector<Tensor>> results = Reduction(*this, std::move(addends), batch).run();
  if (!results)
    return failedList(parameters_, detail::firstOf(results.takeError()));
  return TensorList(std::move(*results));
}

std::vector<Tensor> accumulate(const std::vector<Tensor> &gradients, const std::vector<Tensor> &more) {
  std::vector<Tensor> sums = gradients;
  sums.resize(std::max(gradients.size(), more.size()));
  for (size_t i = 0; i != more.size(); ++i)
    if (!more[i].isAbsent())
      sums[i] = sums[i].isAbsent() ? more[i] : sums[i] + more[i];
  return sums;
}

// --- Broadcasts ------------------------------------------------------------------------------------------------------

namespace {
struct Broadcast {
  const GroupLike &group;
  int64_t src = 0;
};
} // namespace

/// The tensors of one bucket, in one broadcast; writes the results of those that have elements.
static void broadcastBucket(const std::vector<Tensor> &tensors, const std::vector<size_t> &members,
                            const Broadcast &broadcast, std::vector<Tensor> &results) {
  GradBucket bucket;
  std::vector<Tensor> pieces;
  std::vector<int64_t> elements;
  for (size_t member : members) {
    bucket.shapes.push_back(tensors[member].sizes());
    elements.push_back(tensors[member].numel());
    pieces.push_back(flat(tensors[member]));
  }
  bucket.slices = bucketSlices(elements);
  Tensor buffer = pieces.size() == 1 ? pieces.front() : cat(pieces);
  std::vector<Tensor> views = bucket.viewsOf(collectives::broadcast(buffer, broadcast.src, broadcast.group));
  for (size_t i = 0; i != members.size(); ++i)
    results[members[i]] = views[i];
}

// Tensors without elements are assigned to buckets too: buckets are in the order of their first tensors.
TensorList broadcastCoalesced(const std::vector<Tensor> &tensors, const GroupLike &group, int64_t src,
                              uint64_t bufferBytes) {
  std::vector<size_t> present;
  std::vector<BucketTensor> described;
  for (size_t i = 0; i != tensors.size(); ++i)
    if (!tensors[i].isAbsent()) {
      present.push_back(i);
      described.push_back(bucketTensorOf(tensors[i]));
    }
  if (present.empty())
    return TensorList(tensors);
  llvm::Expected<BucketAssignment> assigned = assignBuckets(described, {{bufferBytes}});
  if (!assigned)
    return failedList(tensors, detail::firstOf(assigned.takeError()));
  std::vector<Tensor> results = tensors;
  for (const std::vector<size_t> &bucket : assigned->buckets) {
    std::vector<size_t> members;
    for (size_t member : bucket)
      if (tensors[present[member]].numel() != 0)
        members.push_back(present[member]);
    if (!members.empty())
      broadcastBucket(tensors, members, {group, src}, results);
  }
  return TensorList(std::move(results));
}

} // namespace ccgraph::tracer
