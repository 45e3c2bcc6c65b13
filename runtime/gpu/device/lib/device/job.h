// Job: what a kernel has a device compute, whole: an operator, where its operands lie, and where its results go.
//
// A kernel is one job or a few, in order. A job is a plain value that a launch takes along; the device's memory is all that it refers
// to. It falls into units (team.h), any of which may run before any other, or at once.
//
// Ownership: none. Failure: a job that refers to what is not there (an index out of range) fails while it runs. Cost: a job takes
// up to some kilobytes.
#pragma once

#include "device/adam_job.h"
#include "device/attention_job.h"
#include "device/complex_job.h"
#include "device/matmul_job.h"
#include "device/pick_job.h"
#include "device/scan_job.h"

#include <variant>

namespace ccgraph::runtime::device {

using Job = std::variant<MapJob, ComplexJob, RowJob, ScanJob, PickJob, EmbeddingJob, EmbeddingGradJob, ClassLossJob,
                         ClassLossGradJob, AdamJob, MatmulJob, AttentionJob, QueryGradJob, KeyGradJob>;

/// body(C()) for the type C of the job's arithmetic.
template <typename Job, typename Body>
auto inArithmetic(const Job &job, Body body) {
  if constexpr (Job::hasWhole)
    if (job.arithmetic == Arithmetic::Whole)
      return body(int64_t());
  return job.arithmetic == Arithmetic::Double ? body(double()) : body(float());
}

} // namespace ccgraph::runtime::device
