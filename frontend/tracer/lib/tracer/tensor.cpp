#include "ccgraph/tracer/tensor.h"

#include "ccgraph/ir/int_list.h"
#include "tracer/mode.h"

namespace ccgraph::tracer {
namespace {

std::vector<int64_t> numbers(llvm::ArrayRef<Dim> dims) {
  std::optional<IntList> known = staticDims(dims);
  return known ? std::vector<int64_t>(known->begin(), known->end()) : std::vector<int64_t>();
}

} // namespace

Tensor Tensor::failed(Diagnostic why) {
  auto state = std::make_shared<detail::TensorState>();
  state->error = std::move(why);
  return Tensor(std::move(state));
}

bool Tensor::isValid() const { return state_ && !state_->error; }

const Diagnostic *Tensor::error() const { return state_ && state_->error ? &*state_->error : nullptr; }

const Type *Tensor::type() const { return isValid() ? state_->type : nullptr; }

DType Tensor::dtype() const { return type() ? type()->dtype() : DType::F32; }

Device Tensor::device() const { return type() ? type()->device() : Device(); }

int64_t Tensor::dim() const { return type() ? static_cast<int64_t>(type()->sizes().size()) : 0; }

int64_t Tensor::size(int64_t at) const {
  std::vector<int64_t> all = sizes();
  auto rank = static_cast<int64_t>(all.size());
  int64_t index = at < 0 ? at + rank : at;
  return index >= 0 && index < rank ? all[static_cast<size_t>(index)] : 0;
}

std::vector<int64_t> Tensor::sizes() const { return type() ? numbers(type()->sizes()) : std::vector<int64_t>(); }

std::vector<int64_t> Tensor::strides() const { return type() ? numbers(type()->strides()) : std::vector<int64_t>(); }

int64_t Tensor::numel() const { return type() ? type()->numElements().value_or(0) : 0; }

bool Tensor::isContiguous() const { return type() && type()->isContiguous(); }

std::string Tensor::typeText() const {
  if (isAbsent())
    return "absent";
  return isValid() ? ccgraph::typeText(type()) : "failed";
}

TensorList TensorList::failed(Diagnostic why) {
  TensorList list;
  list.failure_ = Tensor::failed(std::move(why));
  return list;
}

Tensor TensorList::operator[](size_t index) const {
  if (index < tensors_.size())
    return tensors_[index];
  if (error())
    return failure_;
  return detail::fail(detail::problem("trace.element", "",
                                      "element " + std::to_string(index) + " of a list of " +
                                          std::to_string(tensors_.size()) + " tensors"));
}

} // namespace ccgraph::tracer
