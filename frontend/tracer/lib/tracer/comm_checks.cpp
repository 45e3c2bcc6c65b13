#include "tracer/comm_checks.h"

#include "tracer/call_checks.h"

namespace ccgraph::tracer::detail {
namespace {

llvm::Error refusal(llvm::StringRef function, llvm::StringRef rule, std::string message) {
  return makeError(problem(rule, function, std::move(message)));
}

std::string sizesText(const Tensor &tensor) {
  std::string text;
  for (int64_t size : tensor.sizes())
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

/// Checks one call, by the name of its operator.
class CommCheck {
public:
  CommCheck(const CommCall &call, int64_t ranks)
      : call_(call), name_(call.target.split('.').second.split('.').first), ranks_(ranks) {}

  llvm::Error check() const {
    if (name_ == "_allgather_base_")
      return checkBase(read().front(), written().front(),
                       /*what=*/"output tensor size must be equal to world_size times input tensor size");
    if (name_ == "_reduce_scatter_base_")
      return checkBase(written().front(), read().front(),
                       "input tensor must be the same size as output size times world size");
    if (name_ == "broadcast_")
      if (llvm::Error error = checkRoot(call_.target, rootOf(0), ranks_))
        return error;
    if (name_ == "broadcast_" && (rootOf(1) < 0 || rootOf(1) >= static_cast<int64_t>(written().size())))
      return refusal(call_.target, "trace.root", "invalid root tensor: " + std::to_string(rootOf(1)));
    if (name_ == "scatter_")
      if (llvm::Error error = checkRoot(call_.target, rootOf(0), ranks_))
        return error;
    if (name_ == "allgather_")
      return checkList(written(), read().front(), "output");
    if ((name_ == "reduce_scatter_" || name_ == "scatter_") && !read().empty())
      return checkList(read(), written().front(), "input");
    return name_ == "alltoall_" ? checkExchange() : llvm::Error::success();
  }

private:
  [[nodiscard]] const std::vector<Tensor> &written() const { return call_.written.tensors; }
  [[nodiscard]] const std::vector<Tensor> &read() const { return call_.read->tensors; }
  /// Returns the number that follows the group among the arguments.
  [[nodiscard]] int64_t rootOf(size_t index) const { return call_.roots[index]; }

  /// Checks that one tensor has room for the other tensor of all ranks.
  [[nodiscard]] llvm::Error checkBase(const Tensor &part, const Tensor &whole, const char *what) const {
    if (part.dtype() != whole.dtype())
      return refusal(call_.target, "trace.comm-dtype", "output tensor must have the same type as input tensor");
    return part.numel() * ranks_ == whole.numel()
               ? llvm::Error::success()
               : refusal(call_.target, "trace.comm-size",
                         std::string(what) + ": got " + whole.typeText() + " and " + part.typeText() + " for " +
                             std::to_string(ranks_) + " ranks");
  }

  /// Checks that a list has a tensor for each rank, all like the other one.
  [[nodiscard]] llvm::Error checkList(const std::vector<Tensor> &list, const Tensor &one, const char *which) const {
    if (static_cast<int64_t>(list.size()) != ranks_)
      return refusal(call_.target, "trace.comm-list",
                     "invalid " + std::string(which) + " tensor list at index 0 (expected length " +
                         std::to_string(ranks_) + ", got " + std::to_string(list.size()) + ")");
    for (size_t i = 0; i != list.size(); ++i)
      if (llvm::Error error = checkAlike(list[i], one, i))
        return error;
    return llvm::Error::success();
  }

  [[nodiscard]] llvm::Error checkAlike(const Tensor &tensor, const Tensor &like, size_t index) const {
    std::string at = " at index " + std::to_string(index);
    if (tensor.dtype() != like.dtype())
      return refusal(call_.target, "trace.comm-dtype",
                     "invalid tensor type" + at + " (expected " + scalarTypeName(like.dtype()).str() + ", got " +
                         scalarTypeName(tensor.dtype()).str() + ")");
    return tensor.sizes() == like.sizes() ? llvm::Error::success()
                                          : refusal(call_.target, "trace.comm-size",
                                                    "invalid tensor size" + at + " (expected " + sizesText(like) +
                                                        ", got " + sizesText(tensor) + ")");
  }

  // Checks that the rank's own part fits; only the other ranks determine the sizes that arrive.
  [[nodiscard]] llvm::Error checkExchange() const {
    for (const std::vector<Tensor> *list : {&written(), &read()})
      if (static_cast<int64_t>(list->size()) != ranks_)
        return refusal(call_.target, "trace.comm-list",
                       "invalid tensor list (expected length " + std::to_string(ranks_) + ", got " +
                           std::to_string(list->size()) + ")");
    for (const std::vector<Tensor> *list : {&written(), &read()})
      for (size_t i = 0; i != list->size(); ++i)
        if ((*list)[i].dtype() != written().front().dtype())
          return refusal(call_.target, "trace.comm-dtype",
                         "invalid tensor type at index " + std::to_string(i) + " (expected " +
                             scalarTypeName(written().front().dtype()).str() + ", got " +
                             scalarTypeName((*list)[i].dtype()).str() + ")");
    return llvm::Error::success();
  }

  const CommCall &call_;
  llvm::StringRef name_;
  int64_t ranks_;
};

} // namespace

llvm::Error checkComm(const CommCall &call, int64_t ranks) { return CommCheck(call, ranks).check(); }

llvm::Error checkRoot(llvm::StringRef function, int64_t root, int64_t ranks) {
  if (root >= 0 && root < ranks)
    return llvm::Error::success();
  return refusal(function, "trace.root",
                 "invalid root rank: " + std::to_string(root) + " in a group of " + std::to_string(ranks) + " ranks");
}

} // namespace ccgraph::tracer::detail
