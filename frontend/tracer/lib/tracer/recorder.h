// Recorder: the mode of a Trace; each call becomes a node.
//
// Ownership: owns the graph until it is taken. Failure: a failed tensor, and the first failure is kept for finish().
// Cost: a node, and one type rule.
#pragma once

#include "ccgraph/ir/object_meaning.h"
#include "ccgraph/ir/type_inference.h"
#include "ccgraph/tracer/gradient.h"
#include "ccgraph/tracer/trace.h"
#include "tracer/mode.h"

namespace ccgraph::tracer::detail {

/// Returns whether a writing operator returns the tensor that it writes: add_, copy_, all_reduce_.
[[nodiscard]] bool renamesFirstArgument(const OpDef &op);

/// Returns the gradient of each input, given that of the result.
using GradientFunction = std::function<std::vector<Tensor>(const Tensor &)>;

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

  /// Returns the node that yields the tensor. A tensor that an in-place collective has in flight is waited for first.
  /// `where` is for messages.
  [[nodiscard]] llvm::Expected<Node *> nodeOf(const Tensor &tensor, llvm::StringRef where);
  /// Appends a call of this type, or without a type; no rule is applied.
  Node *append(const CallSpec &spec, const Type *type);
  /// Returns the get_attr node of an object of this meaning, one for each meaning.
  [[nodiscard]] Node *object(const ObjectMeaning &meaning);
  /// Returns a handle to the result of a node of this trace.
  [[nodiscard]] Tensor tensorOf(Node *node);
  [[nodiscard]] Tensor input(llvm::StringRef name, const TensorSpec &spec);
  [[nodiscard]] Tensor input(llvm::StringRef name, const Type *type);
  /// Appends the gradients of `loss` by each of `parameters`; absent where it does not depend on one.
  [[nodiscard]] llvm::Expected<std::vector<Tensor>> backward(const Tensor &loss, const std::vector<Tensor> &parameters,
                                                             const Tensor &gradient);
  /// From here on, this function computes the gradients of `inputs` from that of `result`.
  void giveGradient(const Tensor &result, const std::vector<Tensor> &inputs, GradientFunction backward);
  /// Later calls are recorded before this node; null: at the end.
  void setPosition(Node *before) { position_ = before; }
  void addParameter(const Tensor &tensor) { parameters_.push_back(tensor); }
  [[nodiscard]] const std::vector<Tensor> &parameters() const { return parameters_; }
  [[nodiscard]] const Graph &graph() const { return *graph_; }
  [[nodiscard]] llvm::ArrayRef<Diagnostic> warnings() const { return warnings_; }

  [[nodiscard]] llvm::Expected<std::unique_ptr<Graph>> finish(const std::vector<Tensor> &outputs);
  /// Ends the recording of calls.
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
  [[nodiscard]] llvm::Expected<std::vector<Node *>> callBackward(const GradientFunction &backward, const Node *result,
                                                                 Node *gradient);
  void eraseAfter(const Node *node);
  [[nodiscard]] llvm::Expected<Node *> makeOutput(const std::vector<Tensor> &outputs);
  void eraseUnusedElements();
  uint32_t frameHere();
  [[nodiscard]] Node *waitFor(TensorState &state);

  std::unique_ptr<Graph> graph_;
  TypeInference inference_;
  /// placeholders are inserted before this node
  Node *firstCall_ = nullptr;
  /// calls are inserted before this node; null: at the end
  Node *position_ = nullptr;
  std::vector<Tensor> parameters_;
  GivenGradients givenGradients_;
  /// while gradients are appended: all nodes up to this one have types
  Node *lastTyped_ = nullptr;
  /// for nodes that are recorded now, instead of the module path's frame
  std::optional<uint32_t> frameOfResult_;
  std::vector<Diagnostic> warnings_;
  /// the meanings of objects, by the node that yields each
  std::vector<std::pair<Node *, ObjectMeaning>> objects_;
  std::optional<Diagnostic> firstError_;
  /// the module path of frame_
  std::string framePath_;
  uint32_t frame_ = 0;
};

} // namespace ccgraph::tracer::detail
