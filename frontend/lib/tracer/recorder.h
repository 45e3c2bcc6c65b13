// Recorder: the mode of a Trace: a call becomes a node.
//
// Ownership: owns the graph until it is taken. Failure: a failed tensor, and the first failure is kept for finish().
// Cost: a node, and one or two shape rules.
#pragma once

#include "ccgraph/ir/object_meaning.h"
#include "ccgraph/ir/type_inference.h"
#include "ccgraph/tracer/gradient.h"
#include "ccgraph/tracer/trace.h"
#include "tracer/mode.h"

namespace ccgraph::tracer::detail {

/// A writing operator whose result is the tensor that it writes: add_, copy_, all_reduce_.
[[nodiscard]] bool renamesFirstArgument(const OpDef &op);

class Recorder : public Mode {
public:
  Recorder(Context &context, const TraceOptions &options);
  ~Recorder() override;

  [[nodiscard]] Tensor call(const Call &call) override;
  [[nodiscard]] TensorList callList(const Call &call) override;
  [[nodiscard]] Tensor deferWait(const Tensor &inFlight) override;
  [[nodiscard]] Tensor fail(Diagnostic why) override;
  void warnOnce(Diagnostic warning) override;
  void noteFact(Guard guard) override;
  [[nodiscard]] GroupTable &groups() override { return graph_->groups(); }
  [[nodiscard]] std::optional<int64_t> worldSize() const override { return graph_->worldSize; }
  [[nodiscard]] std::optional<int64_t> rank() const override { return graph_->rank; }

  /// The node that yields it, waited for where an in-place collective has it in flight; `where` is for messages.
  [[nodiscard]] llvm::Expected<Node *> nodeOf(const Tensor &tensor, llvm::StringRef where);
  /// A call of this type, or of none, at the end; no rule is asked.
  Node *append(const CallSpec &spec, const Type *type);
  /// The get_attr node of an object of this meaning, one for each.
  [[nodiscard]] Node *object(const ObjectMeaning &meaning);
  /// A handle of what a node of this trace yields.
  [[nodiscard]] Tensor tensorOf(Node *node);
  [[nodiscard]] Tensor input(llvm::StringRef name, const TensorSpec &spec);
  [[nodiscard]] Tensor input(llvm::StringRef name, const Type *type);
  /// Appends the gradients of `loss` by each of `parameters`; absent where it does not depend on one.
  [[nodiscard]] llvm::Expected<std::vector<Tensor>> backward(const Tensor &loss, const std::vector<Tensor> &parameters,
                                                             const Tensor &gradient);
  /// From here on the gradient of `result` becomes that of `input` by this function.
  void giveGradient(const Tensor &result, const Tensor &input, std::function<Tensor(const Tensor &)> backward);
  void addParameter(const Tensor &tensor) { parameters_.push_back(tensor); }
  [[nodiscard]] const std::vector<Tensor> &parameters() const { return parameters_; }
  [[nodiscard]] const Graph &graph() const { return *graph_; }
  [[nodiscard]] llvm::ArrayRef<Diagnostic> warnings() const { return warnings_; }

  [[nodiscard]] llvm::Expected<std::unique_ptr<Graph>> finish(const std::vector<Tensor> &outputs);
  /// No call is recorded any more.
  void close();
  [[nodiscard]] bool isOpen() const override { return graph_ != nullptr; }
  [[nodiscard]] Recorder *recorder() override { return this; }

private:
  [[nodiscard]] llvm::Expected<Node *> record(const Call &call);
  [[nodiscard]] llvm::Expected<Actual> actualOf(const Tensor &tensor, llvm::StringRef where);
  [[nodiscard]] llvm::Expected<Actual> actualOf(const Operand &operand, llvm::StringRef where);
  [[nodiscard]] llvm::Error addArguments(const Call &call, CallSpec &spec);
  [[nodiscard]] llvm::Error giveType(Node *node);
  [[nodiscard]] llvm::Error check(const CallSpec &spec, const Node &node);
  [[nodiscard]] llvm::Error giveTypesAfter(Node *node);
  [[nodiscard]] llvm::Expected<GradientRequest> requestOf(const Tensor &loss, const std::vector<Tensor> &parameters,
                                                          const Tensor &gradient);
  [[nodiscard]] llvm::Expected<Node *> callBackward(const std::function<Tensor(const Tensor &)> &backward,
                                                    const Node *result, Node *gradient);
  void eraseAfter(const Node *node);
  [[nodiscard]] llvm::Expected<Node *> makeOutput(const std::vector<Tensor> &outputs);
  void eraseUnusedElements();
  uint32_t frameHere();
  [[nodiscard]] Node *waitFor(TensorState &state);

  std::unique_ptr<Graph> graph_;
  TypeInference inference_;
  /// before which placeholders come to stand
  Node *firstCall_ = nullptr;
  std::vector<Tensor> parameters_;
  GivenGradients givenGradients_;
  /// while gradients are appended: all nodes up to this one have types
  Node *lastTyped_ = nullptr;
  /// of what is recorded now, instead of the module path's
  std::optional<uint32_t> frameOfResult_;
  std::vector<Diagnostic> warnings_;
  /// what objects mean, by the node that yields each
  std::vector<std::pair<Node *, ObjectMeaning>> objects_;
  std::optional<Diagnostic> firstError_;
  /// of the module path that was asked for last
  std::string framePath_;
  uint32_t frame_ = 0;
};

} // namespace ccgraph::tracer::detail
