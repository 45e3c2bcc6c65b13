// RankProgram: a small program written as FX text, run on N ranks with inputs that a test can
// compute with in its head.
//
//   RankProgram program(2, R"(x: "f32[4]"
//     ar = _c10d_functional.all_reduce.default(x, 'sum', '0')
//     w = _c10d_functional.wait_tensor.default(ar)
//     return (w,))");
//
// The first line holds the parameters, each other line a node; `torch.ops.` may be left out
// before the namespaces that occur in tests. Group '0' is all ranks unless a test says otherwise.
//
// Ownership: owns context, graphs and inputs. Failure: a text that does not parse ends the test; a run
// that fails is an error for error() to show. Cost: each of run(), error() and output() is a run.
#pragma once

#include "ccgraph/runtime/interpreter.h"

#include <memory>
#include <string>
#include <vector>

namespace ccgraph::test {

/// The graph of such a text.
[[nodiscard]] std::unique_ptr<Graph> programGraph(Context &context, llvm::StringRef text);

/// A tensor of numbers, converted to `dtype`.
[[nodiscard]] HostTensor hostTensor(DType dtype, std::vector<int64_t> sizes, const std::vector<double> &values);
/// Its elements as doubles.
[[nodiscard]] std::vector<double> numbersOf(const HostTensor &tensor);

class RankProgram {
public:
  explicit RankProgram(size_t ranks) : ranks_(ranks), inputs_(ranks) {}
  RankProgram(size_t ranks, llvm::StringRef text) : RankProgram(ranks) { addGraph(text); }

  /// One graph serves all ranks; as many as ranks serve one each.
  RankProgram &addGraph(llvm::StringRef text);
  /// Gives a group of every graph its ranks, or its partition.
  RankProgram &group(llvm::StringRef name, std::vector<int64_t> ranks);
  RankProgram &partition(llvm::StringRef name, std::vector<std::vector<int64_t>> cells);
  RankProgram &object(llvm::StringRef name, ObjectMeaning meaning);
  /// `in.<name>` of one rank.
  RankProgram &input(size_t rank, llvm::StringRef name, HostTensor tensor);
  /// in.x of each rank r: f32, sizes as given, element i = 100 (r + 1) + i.
  RankProgram &legibleInput(std::vector<int64_t> sizes, llvm::StringRef name = "x", DType dtype = DType::F32);

  [[nodiscard]] Context &context() { return *context_; }
  [[nodiscard]] Graph &graph(size_t index = 0) { return *graphs_[index]; }
  [[nodiscard]] runtime::RunRequest request() const;
  [[nodiscard]] llvm::Expected<runtime::RunResult> run() const;
  /// The whole text of the error that the run ends in; "" if it ends well.
  [[nodiscard]] std::string error() const;
  /// Elements of one output of one rank; a run that fails ends the test.
  [[nodiscard]] std::vector<double> output(size_t rank, llvm::StringRef name = "out.0") const;

private:
  size_t ranks_;
  std::unique_ptr<Context> context_ = std::make_unique<Context>();
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<TensorMap> inputs_;
  ObjectMeanings objects_;
};

} // namespace ccgraph::test
