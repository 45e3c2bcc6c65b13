// SmallModel generates a model of a few thousand numbers for some ranks and interprets it. The weights and tokens are
// the same for every distribution: each rank's values are parts of one model's whole tensors.
//
// Ownership: owns context, graphs and values. Failure: a graph that cannot be generated or run ends the test. Cost: a
// run interprets the programs.
#pragma once

#include "ccgraph/runtime/interpreter.h"
#include "models/training_step.h"

#include <map>

namespace ccgraph::test {

/// The numbers of a tensor, and its sizes.
struct Numbers {
  std::vector<int64_t> sizes;
  std::vector<double> values;

  [[nodiscard]] int64_t rows() const { return sizes.front(); }
  /// Returns rows [first, first + count), with zeros beyond the end.
  [[nodiscard]] Numbers rowsFrom(int64_t first, int64_t count) const;
  /// Returns one of `parts` equal parts along dimension 1.
  [[nodiscard]] Numbers columnPart(int64_t part, int64_t parts) const;
};
[[nodiscard]] Numbers below(const std::vector<Numbers> &tensors);

/// Returns the pieces of sequences that a rank has which shares them with others (Parallelism::context).
[[nodiscard]] Numbers piecesOf(const Numbers &sequences, int64_t rank, int64_t ranks);

/// Returns small sizes for the model of that name.
[[nodiscard]] models::ModelConfig smallConfig(llvm::StringRef name);

/// A model with one distribution.
class SmallModel {
public:
  /// `request.shape.batch` is the batch of all data ranks together.
  explicit SmallModel(models::GenerateRequest request);

  /// The results of rank r's program by name: "loss", or the name of a parameter for its gradient or its value after a
  /// step.
  using Results = std::vector<std::map<std::string, Numbers>>;
  /// Runs one step; the next step begins with its parameters and averages.
  [[nodiscard]] Results run();
  /// Returns the loss of one rank's program if `parameter` is changed by `step` times `direction`. The model stays
  /// unchanged.
  [[nodiscard]] double lossAt(const std::string &parameter, const Numbers &direction, double step) const;
  /// Returns a rank's part of a whole parameter.
  [[nodiscard]] Numbers partOf(const std::string &name, const Numbers &whole, int64_t rank) const;
  /// Returns the sum of the data ranks' losses.
  [[nodiscard]] double loss(const Results &results) const;

  [[nodiscard]] const runtime::RunRequest &request() const { return run_; }
  [[nodiscard]] const Graph &graph(size_t rank = 0) const { return *graphs_[graphs_.size() == 1 ? 0 : rank]; }
  [[nodiscard]] const models::Parallelism &parallel() const { return request_.parallel; }
  [[nodiscard]] const std::vector<std::string> &parameterNames() const { return parameters_; }

private:
  [[nodiscard]] Numbers tensorPart(const std::string &name, const Numbers &whole, int64_t tensorRank) const;
  [[nodiscard]] Numbers expertPart(const std::string &name, const Numbers &whole, int64_t rank) const;
  [[nodiscard]] Numbers initial(const std::string &name, const Node &placeholder, int64_t rank) const;
  [[nodiscard]] Numbers wholeOf(const std::string &name, const Node &placeholder) const;
  void keepResults(const runtime::RunResult &results);

  models::GenerateRequest request_;
  Context context_;
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<std::string> parameters_;
  runtime::RunRequest run_;
};

/// Runs the passes of -O2 on the programs of a step, and returns how its results then differ, or the error; "" if they
/// are the same.
[[nodiscard]] std::string differencesAfterO2(const SmallModel &model);
/// The same after chunk-collectives with two pieces a region; also an error if some program has no such region.
[[nodiscard]] std::string differencesInPieces(const SmallModel &model);

} // namespace ccgraph::test
