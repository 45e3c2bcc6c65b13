#include "ccgraph/tracer/reductions.h"

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::tracer {
namespace {

Tensor reduced(llvm::StringRef target, const Tensor &self, const std::vector<int64_t> &dim, bool keepdim) {
  return keepdim ? call(target, {self, dim, true}) : call(target, {self, dim});
}

} // namespace

Tensor sum(const Tensor &self) { return call("aten.sum.default", {self}); }
Tensor sum(const Tensor &self, const std::vector<int64_t> &dim, bool keepdim) {
  return reduced("aten.sum.dim_IntList", self, dim, keepdim);
}
Tensor mean(const Tensor &self) { return call("aten.mean.default", {self}); }
Tensor mean(const Tensor &self, const std::vector<int64_t> &dim, bool keepdim) {
  return reduced("aten.mean.dim", self, dim, keepdim);
}
Tensor amax(const Tensor &self, const std::vector<int64_t> &dim, bool keepdim) {
  return reduced("aten.amax.default", self, dim, keepdim);
}
Tensor amin(const Tensor &self, const std::vector<int64_t> &dim, bool keepdim) {
  return reduced("aten.amin.default", self, dim, keepdim);
}
Tensor argmax(const Tensor &self, int64_t dim, bool keepdim) {
  return keepdim ? call("aten.argmax.default", {self, dim, true}) : call("aten.argmax.default", {self, dim});
}

TensorList var_mean(const Tensor &self, const std::vector<int64_t> &dim, int64_t correction, bool keepdim) {
  std::vector<NamedOperand> kwargs = {{"correction", correction}};
  if (keepdim)
    kwargs.push_back({"keepdim", true});
  return callList("aten.var_mean.correction", {self, dim}, std::move(kwargs));
}

Tensor cumsum(const Tensor &self, int64_t dim) { return call("aten.cumsum.default", {self, dim}); }
Tensor softmax(const Tensor &self, int64_t dim) { return call("aten._softmax.default", {self, dim, false}); }
Tensor log_softmax(const Tensor &self, int64_t dim) { return call("aten._log_softmax.default", {self, dim, false}); }

} // namespace ccgraph::tracer
// NOLINTEND(readability-identifier-naming)
