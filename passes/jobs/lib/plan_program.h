// Reads the communication of one plan into a Program.
//
// A plan states what each step follows: the step before on its stream, the steps whose events it waits for, and the
// host steps before. So the input of a launch "is computed from" all launches that it follows in one of these ways, and
// the verdict under dataflow is that of the plan as it runs. A step of the compute stream that waits for a launch is a
// wait, and a step of the host is a read, which gives the other semantics their meaning.
//
// Ownership: writes into the pools of `data`. Failure: none; a plan that its verifier accepts can be read. Cost: linear
// in the steps and their waits.
#pragma once

#include "job_data.h"

#include "ccgraph/ir/plan.h"

namespace ccgraph::jobs {

[[nodiscard]] ReadProgram readPlanProgram(const Plan &plan, JobData &data);

} // namespace ccgraph::jobs
