#include "tracer/comm_recorder.h"

#include "tracer/comm_checks.h"
#include "tracer/groups.h"

namespace ccgraph::tracer::detail {
namespace {

class CommRecorder {
public:
  CommRecorder(Recorder &recorder, CommCall call) : recorder_(recorder), call_(std::move(call)) {}

  llvm::Error record() {
    if (llvm::Error error = checkTensors())
      return error;
    if (llvm::Error error = checkWritten())
      return error;
    llvm::Expected<CallGroup> group = groupOfCall(recorder_, call_.group, "");
    if (!group)
      return group.takeError();
    if (llvm::Error error = checkComm(call_, group->size))
      return error;
    if (llvm::Error error = premultiply())
      return error;
    llvm::Expected<std::vector<Actual>> tensors = tensorArguments();
    if (!tensors)
      return tensors.takeError();
    std::vector<Actual> args = std::move(*tensors);
    args.emplace_back(recorder_.object({.group = group->name}));
    if (call_.reduceOp)
      args.emplace_back(recorder_.object({.reduceOp = call_.reduceOp->name()}));
    args.insert(args.end(), call_.rest.begin(), call_.rest.end());
    launch(std::move(args));
    return llvm::Error::success();
  }

private:
  [[nodiscard]] llvm::Error checkTensors() const {
    for (const CommOperand *operand : {&call_.written, call_.read ? &*call_.read : nullptr})
      for (size_t i = 0; operand && i != operand->tensors.size(); ++i) {
        const Tensor &tensor = operand->tensors[i];
        if (tensor.isAbsent())
          return makeError(problem("trace.absent", call_.target, "is given a tensor that was never given a value"));
        if (const Diagnostic *error = tensor.error())
          return makeError(*error);
      }
    return llvm::Error::success();
  }

  [[nodiscard]] llvm::Error checkWritten() const {
    for (const Tensor &tensor : call_.written.tensors)
      if (tensor.isValid() && !tensor.state()->isWrapped)
        return makeError(problem("trace.not-wrapped", call_.target,
                                 "writes " + tensor.typeText() + ", which is not wrapped: its readers would not wait",
                                 "give it comm_tensor(tensor)"));
    return llvm::Error::success();
  }

  /// A graph has no premul_sum (collectives.h), so the summed tensor is multiplied first: in place where the call
  /// reduces in place.
  llvm::Error premultiply() {
    if (!call_.reduceOp || !call_.reduceOp->factor())
      return llvm::Error::success();
    llvm::StringRef target = call_.read ? "aten.mul.Tensor" : "aten.mul_.Tensor";
    for (Tensor &tensor : (call_.read ? *call_.read : call_.written).tensors) {
      tensor = recorder_.call({target, {tensor, *call_.reduceOp->factor()}});
      if (const Diagnostic *error = tensor.error())
        return makeError(*error);
    }
    return llvm::Error::success();
  }

  llvm::Expected<Actual> argument(const CommOperand &operand) {
    std::vector<Actual> elements;
    for (const Tensor &tensor : operand.tensors) {
      llvm::Expected<Node *> node = recorder_.nodeOf(tensor, call_.target);
      if (!node)
        return node.takeError();
      elements.emplace_back(*node);
    }
    if (operand.depth == 0)
      return elements.front();
    Actual list = Actual::list(std::move(elements));
    return operand.depth == 1 ? std::move(list) : Actual::list({std::move(list)});
  }

  llvm::Expected<std::vector<Actual>> tensorArguments() {
    std::vector<Actual> arguments;
    for (const CommOperand *operand : {&call_.written, call_.read ? &*call_.read : nullptr}) {
      if (!operand)
        continue;
      llvm::Expected<Actual> one = argument(*operand);
      if (!one)
        return one.takeError();
      arguments.push_back(std::move(*one));
    }
    return arguments;
  }

  void launch(std::vector<Actual> args) {
    // Such values are lists beside a Work, for which there is no type.
    Node *call = recorder_.append({.target = call_.target, .args = std::move(args)}, nullptr);
    Node *list = recorder_.append({.target = "torch.distributed._spmd.comm_tensor._wrap_comm_result",
                                   .args = {call},
                                   .name = "_wrap_comm_result"},
                                  nullptr);
    for (int level = 0; level < call_.written.depth; ++level)
      list = recorder_.append({.target = "operator.getitem", .args = {list, int64_t{0}}}, nullptr);
    int64_t index = 0;
    for (const Tensor &tensor : call_.written.tensors) {
      TensorState &state = *tensor.state();
      state.node = recorder_.append({.target = "operator.getitem", .args = {list, index++}}, state.type);
      state.isInFlight = true;
    }
  }

  Recorder &recorder_;
  CommCall call_;
};

} // namespace

llvm::Error recordComm(Recorder &recorder, CommCall call) { return CommRecorder(recorder, std::move(call)).record(); }

} // namespace ccgraph::tracer::detail
