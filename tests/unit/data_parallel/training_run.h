// TrainingRun trains a recorded variant with our graphs, and compares it with the record, iteration by iteration.
//
// Each rank keeps its own parameters and optimizer state between iterations; nothing is taken from the record but the
// initial parameters and the batches. Failure: an error of a trace or a run ends the test. Cost: a trace and a run for
// each iteration, and for each rank where programs differ by rank.
#pragma once

#include "models.h"
#include "records.h"

#include "ccgraph/ir/graph.h"

#include <memory>

namespace ccgraph::test {

/// Mpi: each rank is a process that mpirun has started, and compares the results that it has.
enum class Runner : uint8_t { Interpreter, Local, LocalAfterO2, Mpi };
/// "interpreter", "local", "local -O2", "mpi"
[[nodiscard]] std::string runnerName(Runner runner);

/// Runs one graph that serves all ranks, or one graph a rank.
[[nodiscard]] std::vector<TensorMap> runGraphs(Runner runner, const std::vector<const Graph *> &graphs,
                                               std::vector<TensorMap> inputs);

/// Largest absolute differences over all iterations, and the first one beyond the tolerance.
struct TrainingDifferences {
  double gradient = 0;
  double parameter = 0;
  double oneRank = 0;
  std::string beyond;
};

[[nodiscard]] TrainingDifferences compareTraining(const Json &record, Runner runner);
/// The same for the variant `join`: rank R has R + 1 batches.
[[nodiscard]] TrainingDifferences compareJoin(const Json &record, Runner runner);

} // namespace ccgraph::test
