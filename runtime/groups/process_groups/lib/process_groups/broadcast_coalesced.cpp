#include "ccgraph/runtime/broadcast_coalesced.h"

#include "collectives/buffer.h"
#include "process_groups/group_error.h"

#include "llvm/ADT/STLExtras.h"

#include <deque>

namespace ccgraph::runtime {
namespace {

constexpr size_t mostInFlight = 2;

/// A bucket in flight.
struct Flying {
  size_t bucket = 0;
  Buffer tensors;
  Tensor flat;
  WorkPtr work;
};

class Broadcasting {
public:
  Broadcasting(ProcessGroup &group, int64_t root, const std::function<void(const BroadcastEvent &)> &observe)
      : group_(group), root_(root), observe_(observe) {}

  llvm::Error launch(size_t bucket, std::vector<Tensor> tensors) {
    if (inFlight_.size() == mostInFlight)
      if (llvm::Error error = completeOldest())
        return error;
    Buffer buffer(std::move(tensors));
    Tensor flat = buffer.read();
    note(BroadcastEvent::Kind::Broadcast, bucket);
    llvm::Expected<WorkPtr> work = group_.broadcast(flat, root_);
    if (!work)
      return work.takeError();
    inFlight_.push_back({bucket, std::move(buffer), std::move(flat), std::move(*work)});
    return llvm::Error::success();
  }

  llvm::Error completeAll() {
    while (!inFlight_.empty())
      if (llvm::Error error = completeOldest())
        return error;
    return llvm::Error::success();
  }

private:
  llvm::Error completeOldest() {
    Flying oldest = std::move(inFlight_.front());
    inFlight_.pop_front();
    note(BroadcastEvent::Kind::Wait, oldest.bucket);
    if (oldest.work)
      if (llvm::Error error = oldest.work->wait())
        return error;
    if (group_.rank() != root_)
      oldest.tensors.write(oldest.flat);
    return llvm::Error::success();
  }

  void note(BroadcastEvent::Kind kind, size_t bucket) const {
    if (observe_)
      observe_({kind, bucket});
  }

  ProcessGroup &group_;
  int64_t root_;
  const std::function<void(const BroadcastEvent &)> &observe_;
  std::deque<Flying> inFlight_;
};

} // namespace

std::vector<std::vector<size_t>> broadcastBuckets(llvm::ArrayRef<Tensor> tensors, int64_t bytes) {
  struct Open {
    std::vector<size_t> indices;
    int64_t bytes = 0;
  };
  std::map<DType, Open> open;
  std::vector<std::vector<size_t>> buckets;
  for (size_t i = 0; i < tensors.size(); ++i) {
    Open &bucket = open[tensors[i].dtype()];
    bucket.indices.push_back(i);
    bucket.bytes += tensors[i].numElements() * tensors[i].elementSize();
    if (bucket.bytes < bytes)
      continue;
    buckets.push_back(std::move(bucket.indices));
    bucket = Open();
  }
  for (auto &[dtype, bucket] : open)
    if (!bucket.indices.empty())
      buckets.push_back(std::move(bucket.indices));
  llvm::sort(buckets, [](const auto &a, const auto &b) { return a.front() < b.front(); });
  return buckets;
}

llvm::Error broadcastCoalesced(ProcessGroup &group, llvm::ArrayRef<Tensor> tensors, int64_t bytes, int64_t root,
                               const std::function<void(const BroadcastEvent &)> &observe) {
  if (tensors.empty())
    return groupError("group.argument", "broadcast_coalesced", "got no tensors, expected at least one");
  Broadcasting broadcasting(group, root, observe);
  std::vector<std::vector<size_t>> buckets = broadcastBuckets(tensors, bytes);
  for (size_t i = 0; i < buckets.size(); ++i) {
    std::vector<Tensor> members;
    for (size_t index : buckets[i])
      members.push_back(tensors[index]);
    if (llvm::Error error = broadcasting.launch(i, std::move(members)))
      return error;
  }
  return broadcasting.completeAll();
}

} // namespace ccgraph::runtime
