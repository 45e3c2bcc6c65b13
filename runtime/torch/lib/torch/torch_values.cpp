#include "torch/torch_values.h"

#include "ccgraph/ir/strides.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {
namespace {

/// Numbers of c10::ScalarType, which PyTorch writes into files, so that they do not change.
struct DTypeNumber {
  DType dtype;
  int number;
};
constexpr DTypeNumber dtypeNumbers[] = {
    {DType::U8, 0},          {DType::I8, 1},          {DType::I16, 2},   {DType::I32, 3},     {DType::I64, 4},
    {DType::F16, 5},         {DType::F32, 6},         {DType::F64, 7},   {DType::C32, 8},     {DType::C64, 9},
    {DType::C128, 10},       {DType::Bool, 11},       {DType::BF16, 15}, {DType::F8E5M2, 23}, {DType::F8E4M3FN, 24},
    {DType::F8E5M2FNUZ, 25}, {DType::F8E4M3FNUZ, 26}, {DType::U16, 27},  {DType::U32, 28},    {DType::U64, 29},
    {DType::F8E8M0FNU, 44},  {DType::F4E2M1FNX2, 45},
};

Tensor foreign(const TorchTensor &value, DType dtype) {
  Window window{IntList(value.sizes, value.sizes + value.rank), IntList(value.strides, value.strides + value.rank), 0};
  auto storage = std::make_shared<Storage>(0);
  storage->lookAt(value.data, extentOf(window.sizes, window.strides) * static_cast<int64_t>(sizeInBytes(dtype)));
  return Tensor::over(std::move(storage), dtype, std::move(window));
}

} // namespace

std::optional<int> torchDType(DType dtype) {
  const auto *found = llvm::find_if(dtypeNumbers, [&](const DTypeNumber &row) { return row.dtype == dtype; });
  return found == std::end(dtypeNumbers) ? std::nullopt : std::optional(found->number);
}

std::optional<DType> dtypeOfTorch(int dtype) {
  const auto *found = llvm::find_if(dtypeNumbers, [&](const DTypeNumber &row) { return row.number == dtype; });
  return found == std::end(dtypeNumbers) ? std::nullopt : std::optional(found->dtype);
}

TorchTensor torchTensor(const Tensor &tensor) {
  return {tensor.data(), torchDType(tensor.dtype()).value_or(-1), tensor.sizes().size(), tensor.sizes().data(),
          tensor.strides().data()};
}

// --- There -----------------------------------------------------------------------------------------------------

TorchArguments::TorchArguments(llvm::ArrayRef<Value> values) {
  for (const Value &value : values)
    arguments_.push_back(convert(value));
}

TorchArgument TorchArguments::convert(const Value &value) {
  using Kind = TorchArgument::Kind;
  TorchArgument made;
  switch (value.kind()) {
  case Value::Kind::None:
    return made;
  case Value::Kind::Bool:
    made.kind = Kind::Bool, made.integer = value.boolean() ? 1 : 0;
    return made;
  case Value::Kind::Int:
    made.kind = Kind::Int, made.integer = value.integer();
    return made;
  case Value::Kind::Float:
    made.kind = Kind::Float, made.real = value.floating();
    return made;
  case Value::Kind::Complex:
    made.kind = Kind::Complex, made.real = value.complex().real(), made.imaginary = value.complex().imag();
    return made;
  case Value::Kind::String:
    made.kind = Kind::String, made.text = value.string().c_str();
    return made;
  case Value::Kind::DType:
    made.kind = Kind::DType, made.integer = torchDType(value.dtype()).value_or(-1);
    unknown_ = made.integer < 0 ? &value : unknown_;
    return made;
  case Value::Kind::Device:
    made.kind = Kind::Device;
    return made;
  case Value::Kind::Tensor:
    made.kind = Kind::Tensor, made.tensor = torchTensor(value.tensor());
    unknown_ = made.tensor.dtype < 0 ? &value : unknown_;
    tensors_.push_back(value.tensor());
    return made;
  case Value::Kind::List:
    return convertList(value.list());
  case Value::Kind::Slice:
  case Value::Kind::Opaque:
    unknown_ = &value;
    return made;
  }
  return made;
}

TorchArgument TorchArguments::convertList(const Value::List &values) {
  llvm::SmallVector<TorchArgument, 4> elements;
  for (const Value &element : values)
    elements.push_back(convert(element));
  lists_.push_back(std::move(elements));
  TorchArgument made;
  made.kind = TorchArgument::Kind::List;
  made.elements = lists_.back().data();
  made.count = lists_.back().size();
  return made;
}

// --- Back ------------------------------------------------------------------------------------------------------

Value ResultValues::take() { return std::move(value_); }

void ResultValues::add(Value value) {
  // Destinations belong to results, and a list within a list is one result.
  if (open_.size() <= 1)
    ++next_;
  if (open_.empty())
    value_ = std::move(value);
  else
    open_.back().push_back(std::move(value));
}

void ResultValues::endList() {
  Value list = Value::list(std::move(open_.back()));
  open_.pop_back();
  if (open_.empty())
    value_ = std::move(list);
  else
    open_.back().push_back(std::move(list));
}

void ResultValues::tensor(const TorchTensor &value) {
  std::optional<DType> dtype = dtypeOfTorch(value.dtype);
  if (!dtype) {
    unknown_ = value.dtype;
    return add(Value());
  }
  if (std::optional<Tensor> ours = withinOurs(value, *dtype))
    return add(std::move(*ours));
  add(copied(value, *dtype));
}

std::optional<Tensor> ResultValues::withinOurs(const TorchTensor &value, DType dtype) const {
  auto size = static_cast<int64_t>(sizeInBytes(dtype));
  for (llvm::ArrayRef<Tensor> tensors : {destinations_, arguments_})
    for (const Tensor &tensor : tensors) {
      const Storage *storage = tensor.storage();
      if (!storage || value.data < storage->data() || value.data >= storage->data() + storage->size())
        continue;
      int64_t offset = value.data - storage->data();
      if (offset % size == 0)
        return Tensor::over(tensor.sharedStorage(), dtype,
                            {IntList(value.sizes, value.sizes + value.rank),
                             IntList(value.strides, value.strides + value.rank), offset / size});
    }
  return std::nullopt;
}

Tensor ResultValues::copied(const TorchTensor &value, DType dtype) const {
  Tensor there = foreign(value, dtype);
  if (next_ < destinations_.size() && open_.size() <= 1) {
    const Tensor &destination = destinations_[next_];
    bool fits = destination.storage() && destination.dtype() == dtype && destination.sizes() == there.sizes();
    if (fits) {
      destination.copyFrom(there);
      return destination;
    }
  }
  Tensor here = Tensor::zeros(dtype, there.sizes(), there.strides());
  here.copyFrom(there);
  return here;
}

} // namespace ccgraph::runtime
