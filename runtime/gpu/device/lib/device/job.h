// Job: a complete computation of a kernel on a device: an operator, the places of its operands, and the places of its
// results.
//
// A kernel is one job or a few, in order. A job is a plain value that is an argument of a launch; it refers only to
// device memory. It consists of units (team.h), which may run in any order, or concurrently.
//
// Ownership: none. Failure: a job with an invalid reference (an index out of range) fails while it runs. Cost: a job
// takes up to some kilobytes.
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
