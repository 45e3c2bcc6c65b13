// RankProgram runs a small program, written as FX text, on N ranks with inputs that make results easy to compute by
// hand.
//
//   RankProgram program(2, R"(x: "f32[4]"
//     ar = _c10d_functional.all_reduce.default(x, 'sum', '0')
//     w = _c10d_functional.wait_tensor.default(ar)
//     return (w,))");
//
// The first line holds the parameters, and each other line is a node; `torch.ops.` may be omitted before the namespaces
// that tests use. Group '0' is all ranks by default.
//
// Ownership: owns context, graphs and inputs. Failure: a text that does not parse ends the test; error() returns the
// error of a run that fails. Cost: each call of run(), error() and output() is a run.
#pragma once

#include "ccgraph/runtime/interpreter.h"

#include <memory>
#include <string>
#include <vector>

namespace ccgraph::test {

/// Returns the graph of such a text.
[[nodiscard]] std::unique_ptr<Graph> programGraph(Context &context, llvm::StringRef text);

/// Returns a tensor of numbers, converted to `dtype`.
[[nodiscard]] HostTensor hostTensor(DType dtype, std::vector<int64_t> sizes, const std::vector<double> &values);
/// Returns its elements as doubles.
[[nodiscard]] std::vector<double> numbersOf(const HostTensor &tensor);

class RankProgram {
public:
  explicit RankProgram(size_t ranks) : ranks_(ranks), inputs_(ranks) {}
  RankProgram(size_t ranks, llvm::StringRef text) : RankProgram(ranks) { addGraph(text); }

  /// Adds a graph: one graph serves all ranks, and as many graphs as ranks serve one rank each.
  RankProgram &addGraph(llvm::StringRef text);
  /// Sets the ranks or the partition of a group in every graph.
  RankProgram &group(llvm::StringRef name, std::vector<int64_t> ranks);
  RankProgram &partition(llvm::StringRef name, std::vector<std::vector<int64_t>> cells);
  RankProgram &object(llvm::StringRef name, ObjectMeaning meaning);
  /// Sets `in.<name>` of one rank.
  RankProgram &input(size_t rank, llvm::StringRef name, HostTensor tensor);
  /// Sets in.x of each rank r: f32, with the given sizes, element i = 100 (r + 1) + i.
  RankProgram &legibleInput(std::vector<int64_t> sizes, llvm::StringRef name = "x", DType dtype = DType::F32);

  [[nodiscard]] Context &context() { return *context_; }
  [[nodiscard]] Graph &graph(size_t index = 0) { return *graphs_[index]; }
  [[nodiscard]] runtime::RunRequest request() const;
  [[nodiscard]] llvm::Expected<runtime::RunResult> run() const;
  /// Returns the whole text of the run's error; "" if it succeeds.
  [[nodiscard]] std::string error() const;
  /// Returns the elements of one output of one rank; a run that fails ends the test.
  [[nodiscard]] std::vector<double> output(size_t rank, llvm::StringRef name = "out.0") const;

private:
  size_t ranks_;
  std::unique_ptr<Context> context_ = std::make_unique<Context>();
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<TensorMap> inputs_;
  ObjectMeanings objects_;
};

} // namespace ccgraph::test
