// Stages files: the graphs of the stages of a pipeline, to which the actions of a schedule are bound.
//
//   {"stages": [{"forward": "stage0.py", "backward": "stage0_backward.py"},
//               {"forward": "stage1.py", "input": "x", "output": 0,
//                "backward": "stage1_backward.py", "output_gradient": "tangents_1", "input_gradient": 2}],
//    "microbatches": 8, "groups": "groups.json", "pipeline": "pp"}
//
// There is one entry for each stage, in the order of the stages. Paths are relative to the folder of the stages file.
// A schedule that divides the backward needs "backward_input" and "backward_weight". "unshard" and "reduce_grad" are
// the graphs of the actions UNSHARD and REDUCE_GRAD of a stage with sharded parameters. "input" and "output_gradient"
// name placeholders, "output" and "input_gradient" are places in the list of results, from 0. "microbatches" is the
// number for which the graphs were made. "pipeline" names the group of the group file that contains one rank of each
// stage, in the order of the schedule's ranks ("pp"). Other members are errors, because a misspelt one would change the
// job.
//
// Ownership: plain values. Errors: up to 20, each with its place: a member that is unknown, has another kind, or is out
// of range; an entry without a forward; a file without stages; a text that is not JSON. Cost: linear in the file.
#pragma once

#include "ccgraph/frontend/source_text.h"

#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace ccgraph {

struct StagesFileEntry {
  /// paths as written in the file; empty: the stage has no such graph
  std::string forward;
  std::string backward;
  std::string backwardInput;
  std::string backwardWeight;
  std::string unshard;
  std::string reduceGradient;
  /// placeholder of the forward graph; empty: the only one with the type of what the stage before sends
  std::string input;
  /// place in the results of the forward graph
  int64_t output = 0;
  /// placeholder of the backward graph; empty: the only one with the type of the output that is no value of the forward
  std::string outputGradient;
  /// place in the results of the backward graph; empty: the place of the input among the forward's placeholders, or the
  /// only result with its type
  std::optional<int64_t> inputGradient;
};

struct StagesFile {
  std::vector<StagesFileEntry> stages;
  std::optional<int64_t> microbatches;
  /// as written; empty: none
  std::string groups;
  std::string pipeline = "pp";
};

[[nodiscard]] llvm::Expected<StagesFile> readStagesFile(const SourceText &source);

} // namespace ccgraph
