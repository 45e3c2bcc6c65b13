// SmallModel: a model of a few thousand numbers, generated for some ranks and run by the interpreter, with the same weights and
// tokens however it is spread: what lies on a rank is cut out of one model's whole tensors.
//
// Ownership: owns context, graphs and values. Failure: a graph that cannot be made or run ends the test. Cost: a run interprets.
#pragma once

#include "ccgraph/runtime/interpreter.h"
#include "models/training_step.h"

#include <map>

namespace ccgraph::test {

/// Numbers of a tensor, and its sizes.
struct Numbers {
  std::vector<int64_t> sizes;
  std::vector<double> values;

  [[nodiscard]] int64_t rows() const { return sizes.front(); }
  /// Rows [first, first + count), zeros where there are none.
  [[nodiscard]] Numbers rowsFrom(int64_t first, int64_t count) const;
  /// One of `parts` equal parts along dimension 1.
  [[nodiscard]] Numbers columnPart(int64_t part, int64_t parts) const;
};
[[nodiscard]] Numbers below(const std::vector<Numbers> &tensors);

/// Small sizes of a model of that name.
[[nodiscard]] models::ModelConfig smallConfig(llvm::StringRef name);

/// One spread of a model.
class SmallModel {
public:
  /// `request.shape.batch` is that of all data ranks together.
  explicit SmallModel(models::GenerateRequest request);

  /// By name of the results of rank r's program: "loss", or a parameter's name, for its gradient or what it is after a step.
  using Results = std::vector<std::map<std::string, Numbers>>;
  /// Runs one step; what it makes of parameters and averages is what the next one begins with.
  [[nodiscard]] Results run();
  /// The loss of one rank's program where `parameter` is moved by `step` times `direction`. The model stays as it is.
  [[nodiscard]] double lossAt(const std::string &parameter, const Numbers &direction, double step) const;
  /// What a rank has of a whole parameter.
  [[nodiscard]] Numbers partOf(const std::string &name, const Numbers &whole, int64_t rank) const;
  /// Sum of the data ranks' losses.
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

} // namespace ccgraph::test
