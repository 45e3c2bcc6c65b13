// Gradient buckets: which gradients are reduced together in data-parallel training.
//
// PyTorch's DistributedDataParallel copies gradients into flat buffers, its buckets, and reduces each buffer with one
// all_reduce. This file contains its rules for the choice of buckets (c10d: reducer.cpp,
// `compute_bucket_assignment_by_size` and `rebuildBuckets`; torch/nn/parallel/distributed.py), so that a graph has the
// buckets of a DDP job. The rules:
//   assignment  Tensors are visited in the given order. Each dtype and device has one open bucket. A bucket is closed
//               as soon as it has at least the current limit of bytes; the dtype and device then use the next limit,
//               and the last limit for ever. A limit of 0 closes a bucket after each tensor. A tensor whose gradient is
//               sparse is a bucket of its own.
//   order       Without indices, buckets are sorted by their smallest index. With indices, buckets stay in the order in
//               which they were closed; open buckets follow.
//   before the  All parameters of one dtype and device are one bucket; with `findUnused`, the limits are used. Buckets
//   first step  are launched in reverse order.
//   later       The parameters are assigned again, in the order in which their gradients became ready. The first limit
//               is 1 MiB, so that the first launch is early.
//
// Ownership: plain values. Failure: a DiagnosticError with rule [buckets]; no function has undefined results for any
// input. Results depend on the arguments alone, so ranks with equal arguments have equal buckets. Cost: linear in the
// tensors, and a sort of the buckets.
#pragma once

#include "ccgraph/ir/context.h"
#include "ccgraph/ir/dtype.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ccgraph {

/// The properties of a tensor that determine its bucket.
struct BucketTensor {
  DType dtype = DType::F32;
  Device device = {};
  uint64_t elements = 0;
};

/// Lists of tensor indices; the buckets in the order of their launches.
using Buckets = std::vector<std::vector<size_t>>;

struct BucketRules {
  /// bytes; at least one limit
  std::vector<uint64_t> limits;
  /// by tensor index: its gradient is sparse; empty: none is
  std::vector<bool> sparse = {};
  /// the index of each tensor; empty: 0, 1, 2, ...
  std::vector<size_t> indices = {};
};

struct BucketAssignment {
  Buckets buckets;
  /// by bucket: the limit of its dtype and device when it was closed; 0 for a sparse tensor
  std::vector<uint64_t> limits;
  /// With indices: number of buckets at the end that no limit closed. c10d leaves the order of these undefined; here
  /// they are in the order in which their dtypes and devices appear.
  size_t leftover = 0;
};

/// Assigns tensors to buckets. Fails if there are no tensors or no limits, or if the lists have different lengths.
[[nodiscard]] llvm::Expected<BucketAssignment> assignBuckets(llvm::ArrayRef<BucketTensor> tensors,
                                                             const BucketRules &rules);

/// The arguments of DistributedDataParallel that determine its buckets.
struct GradientBucketOptions {
  /// `bucket_cap_mb`: largest bucket in MiB, rounded down to bytes. Empty: 25 MiB, and 1 MiB for the first bucket.
  std::optional<double> capMegabytes = std::nullopt;
  /// `bucket_cap_mb_list`: the limits one after the other; empty: capMegabytes
  std::vector<double> capList = {};
  /// `find_unused_parameters`
  bool findUnused = false;
  /// `static_graph`
  bool staticGraph = false;
  /// DDP_SET_LAST_BUCKET_CAP=1: the first limit applies to the last bucket
  bool firstLimitLast = false;
};

/// The parameters that have gradients. An index is a position in this list.
struct GradientParameters {
  std::vector<BucketTensor> tensors;
  /// by index: the gradient is sparse; empty: none is
  std::vector<bool> sparse = {};
};

/// Returns the limits in bytes: the first and all later ones, or those of the list. A negative limit is as large as an
/// unsigned number of 64 bits makes it, as in c10d.
[[nodiscard]] std::vector<uint64_t> bucketLimits(const GradientBucketOptions &options);

/// Returns the buckets before the first step.
[[nodiscard]] llvm::Expected<Buckets> initialBuckets(const GradientParameters &parameters,
                                                     const GradientBucketOptions &options);
/// Returns the buckets after the first step, given the order in which gradients became ready. Fails if an index is
/// repeated or out of range, or if one is missing (with `staticGraph`, missing ones follow in the order of their
/// indices).
[[nodiscard]] llvm::Expected<Buckets> rebuiltBuckets(const GradientParameters &parameters,
                                                     llvm::ArrayRef<size_t> readyOrder,
                                                     const GradientBucketOptions &options);
/// Returns the first iteration, counted from 0, that uses the rebuilt buckets: 1, or 2 with `staticGraph`; empty if
/// unused parameters are searched for, since the order of readiness may then differ in each iteration.
[[nodiscard]] std::optional<int64_t> iterationOfRebuild(const GradientBucketOptions &options);

/// The place of a parameter's gradient in the flat buffer of its bucket, in elements. There is no padding.
struct BucketSlice {
  int64_t offset = 0;
  int64_t length = 0;
  friend bool operator==(const BucketSlice &, const BucketSlice &) = default;
};
/// Returns the slices of a bucket whose tensors have these numbers of elements.
[[nodiscard]] std::vector<BucketSlice> bucketSlices(llvm::ArrayRef<int64_t> elements);

} // namespace ccgraph
