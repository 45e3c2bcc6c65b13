#include "kernels/kernel_args.h"

#include "tensor/elements.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {

static DType dtypeOf(const Value &number) {
  if (number.is(Value::Kind::Bool))
    return DType::Bool;
  if (number.is(Value::Kind::Int))
    return DType::I64;
  return number.is(Value::Kind::Complex) ? DType::C128 : DType::F64;
}

static Tensor scalarTensor(const Value &number) {
  Tensor result = Tensor::zeros(dtypeOf(number), {});
  if (number.is(Value::Kind::Complex))
    *reinterpret_cast<std::complex<double> *>(result.data()) = number.complex();
  else if (number.is(Value::Kind::Float))
    *reinterpret_cast<double *>(result.data()) = number.floating();
  else if (number.is(Value::Kind::Int))
    *reinterpret_cast<int64_t *>(result.data()) = number.integer();
  else
    *result.data() = std::byte(number.boolean());
  return result;
}

static bool isNumber(const Value &value) {
  return value.is(Value::Kind::Bool) || value.is(Value::Kind::Int) || value.is(Value::Kind::Float);
}

static double toDouble(const Value &number) {
  if (number.is(Value::Kind::Float))
    return number.floating();
  return number.is(Value::Kind::Int) ? static_cast<double>(number.integer()) : number.boolean();
}

static PromotedOperand promoted(const Operand &operand) {
  if (operand.isNumber)
    return {operand.tensor.dtype(), OperandKind::Number};
  return {operand.tensor.dtype(), operand.tensor.rank() == 0 ? OperandKind::ZeroDim : OperandKind::Tensor};
}

DType resultType(llvm::ArrayRef<Operand> operands) {
  llvm::SmallVector<PromotedOperand, 4> all;
  for (const Operand &operand : operands)
    all.push_back(promoted(operand));
  return ccgraph::resultType(all);
}

DType resultType(llvm::ArrayRef<Tensor> tensors) {
  llvm::SmallVector<PromotedOperand, 4> all;
  for (const Tensor &tensor : tensors)
    all.push_back(promoted({tensor, false}));
  return ccgraph::resultType(all);
}

llvm::Expected<unsigned> parameterIndex(llvm::StringRef target, llvm::StringRef parameters, llvm::StringRef keyword) {
  llvm::SmallVector<llvm::StringRef, 8> names;
  parameters.split(names, ',', -1, false);
  auto *at = llvm::find(names, keyword);
  if (at != names.end())
    return static_cast<unsigned>(at - names.begin());
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 target + ": got an argument '" + keyword + "', expected one of: " + parameters);
}

// Merges arguments by position and by keyword into one list in the order of kernel.parameters. With "self,other,alpha",
// the call add(x, y, alpha=2) is [x, y, 2], and add(x, alpha=2) is [x, None, 2]. From here on, None means left out.
KernelArgs::KernelArgs(const Kernel &kernel, KernelCall call, Destinations destinations)
    : kernel_(&kernel), destinations_(destinations), owned_(std::move(call.positional)) {
  values_ = owned_;
  checkCount();
  for (auto &[name, value] : call.keywords) {
    llvm::Expected<unsigned> index = parameterIndex(kernel.target, kernel.parameters, name);
    if (!index) {
      std::string message = llvm::toString(index.takeError());
      message_ = failed_ ? message_ : message;
      failed_ = true;
      continue;
    }
    if (owned_.size() <= *index)
      owned_.resize(*index + 1);
    owned_[*index] = std::move(value);
  }
  values_ = owned_;
}

KernelArgs::KernelArgs(const Kernel &kernel, llvm::ArrayRef<Value> values, Destinations destinations)
    : kernel_(&kernel), destinations_(destinations), values_(values) {
  checkCount();
}

void KernelArgs::checkCount() {
  auto most = kernel_->parameters.empty() ? 0 : kernel_->parameters.count(',') + 1;
  check(values_.size() <= most, "got " + llvm::Twine(values_.size()) + " positional arguments, expected at most " +
                                    llvm::Twine(most) + " (" + kernel_->parameters + ")");
}

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, TypeInWords words) { return os << words.tensor->typeText(); }
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, DimsInWords words) { return os << intListText(words.dims); }

/// A dimension of size 1 has no stride to speak of.
static bool hasLayout(const Tensor &tensor, DType dtype, const Window &window) {
  if (tensor.dtype() != dtype || tensor.sizes() != IntListRef(window.sizes))
    return false;
  for (size_t dim = 0; dim < window.sizes.size(); ++dim)
    if (window.sizes[dim] > 1 && tensor.strides()[dim] != window.strides[dim])
      return false;
  return true;
}

/// New memory where the caller has no window that fits, or where it is taken: what a kernel makes on the way to its
/// result may look like it.
Tensor KernelArgs::resultInto(unsigned index, DType dtype, const Window &window) {
  uint64_t bit = index < 64 ? uint64_t{1} << index : 0;
  bool fits = index < destinations_.size() && bit != 0 && (taken_ & bit) == 0 &&
              destinations_[index].storage() != nullptr && hasLayout(destinations_[index], dtype, window);
  if (!fits)
    return Tensor::zeros(dtype, window.sizes, window.strides);
  taken_ |= bit;
  return destinations_[index];
}

// An operator with several results requests each by its number, so its intermediate tensors get no destination.
Tensor KernelArgs::result(DType dtype, IntListRef sizes, IntListRef strides) {
  return resultInto(destinations_.size() == 1 ? 0 : noArgument, dtype, {toIntList(sizes), toIntList(strides), 0});
}

Tensor KernelArgs::resultOf(unsigned index, DType dtype, IntListRef sizes) {
  return resultInto(index, dtype, {toIntList(sizes), contiguousStrides(sizes), 0});
}

Tensor KernelArgs::zeroResult(DType dtype, IntListRef sizes, IntListRef strides) {
  Tensor zeros = result(dtype, sizes, strides);
  setToZeros(zeros);
  return zeros;
}

const Value &KernelArgs::at(unsigned index) const {
  static const Value none;
  return index < values_.size() ? values_[index] : none;
}

bool KernelArgs::has(unsigned index) const { return !at(index).isNone(); }

llvm::StringRef KernelArgs::parameter(unsigned index) const {
  llvm::SmallVector<llvm::StringRef, 8> names;
  kernel_->parameters.split(names, ',', -1, false);
  return index < names.size() ? names[index] : "?";
}

// A failure does not end the kernel: the first message is kept, and every later accessor returns a harmless value (0,
// an empty tensor). So a kernel reads all its arguments and tests failed() once, before it computes.
Value KernelArgs::fail(const llvm::Twine &message) {
  if (!failed_)
    message_ = (kernel_->target + ": " + message).str();
  failed_ = true;
  return {};
}

Value KernelArgs::wrong(unsigned index, const Value &got, llvm::StringRef expected) {
  return fail("argument '" + parameter(index) + "': got " + got.describe() + ", expected " + expected);
}

const Value &KernelArgs::required(unsigned index, llvm::StringRef expected) {
  const Value &value = at(index);
  if (value.isNone())
    wrong(index, value, expected);
  return value;
}

llvm::Error KernelArgs::error() const {
  return failed_ ? llvm::createStringError(llvm::inconvertibleErrorCode(), message_) : llvm::Error::success();
}

Tensor KernelArgs::take(llvm::Expected<Tensor> result) {
  if (result)
    return std::move(*result);
  fail(llvm::toString(result.takeError()));
  return {};
}

const Tensor &KernelArgs::tensor(unsigned index) {
  static const Tensor empty;
  const Value &value = at(index);
  if (value.is(Value::Kind::Tensor))
    return value.tensor();
  wrong(index, value, "a tensor");
  return empty;
}

std::optional<Tensor> KernelArgs::optionalTensor(unsigned index) {
  return has(index) ? std::optional(tensor(index)) : std::nullopt;
}

Tensors KernelArgs::tensors(unsigned index) {
  Tensors result;
  for (std::optional<Tensor> &element : optionalTensors(index))
    if (element)
      result.push_back(std::move(*element));
    else
      wrong(index, Value(), "a list of tensors");
  return result;
}

OptionalTensors KernelArgs::optionalTensors(unsigned index) {
  OptionalTensors result;
  const Value &value = at(index);
  if (!value.is(Value::Kind::List))
    return wrong(index, value, "a list of tensors"), result;
  for (const Value &element : value.list())
    if (element.is(Value::Kind::Tensor))
      result.emplace_back(element.tensor());
    else if (element.isNone())
      result.emplace_back();
    else
      wrong(index, element, "a tensor or None in the list");
  return result;
}

Operand KernelArgs::operand(unsigned index, std::optional<int64_t> otherwise) {
  const Value &value = at(index);
  if (value.isNone() && otherwise)
    return {scalarTensor(Value::integer(*otherwise)), true};
  if (isNumber(value) || value.is(Value::Kind::Complex))
    return {scalarTensor(value), true};
  if (value.is(Value::Kind::Tensor))
    return {value.tensor(), false};
  wrong(index, value, "a tensor or a number");
  return {};
}

int64_t KernelArgs::integer(unsigned index, std::optional<int64_t> otherwise) {
  const Value &value = at(index);
  if (value.isNone() && otherwise)
    return *otherwise;
  if (value.is(Value::Kind::Bool))
    return value.boolean();
  if (value.is(Value::Kind::Int))
    return value.integer();
  wrong(index, value, "an integer");
  return 0;
}

double KernelArgs::number(unsigned index, std::optional<double> otherwise) {
  const Value &value = at(index);
  if (value.isNone() && otherwise)
    return *otherwise;
  if (isNumber(value))
    return toDouble(value);
  wrong(index, value, "a number");
  return 0;
}

std::complex<double> KernelArgs::factor(unsigned index, double otherwise) {
  return at(index).is(Value::Kind::Complex) ? at(index).complex() : number(index, otherwise);
}

bool KernelArgs::boolean(unsigned index, bool otherwise) { return integer(index, otherwise) != 0; }

llvm::StringRef KernelArgs::text(unsigned index, llvm::StringRef otherwise) {
  const Value &value = at(index);
  if (value.isNone())
    return otherwise;
  if (value.is(Value::Kind::String))
    return value.string();
  wrong(index, value, "a string");
  return {};
}

DType KernelArgs::dtype(unsigned index, DType otherwise) {
  const Value &value = at(index);
  if (value.is(Value::Kind::DType))
    return value.dtype();
  if (!value.isNone())
    wrong(index, value, "a dtype");
  return otherwise;
}

IntList KernelArgs::integers(unsigned index) {
  const Value &value = required(index, "a list of integers");
  if (value.is(Value::Kind::Int))
    return {value.integer()};
  IntList result;
  if (!value.is(Value::Kind::List)) {
    wrong(index, value, "a list of integers");
    return result;
  }
  for (const Value &element : value.list())
    if (element.is(Value::Kind::Int))
      result.push_back(element.integer());
    else
      wrong(index, element, "an integer in the list");
  return result;
}

// A 0-d tensor counts as having one dimension here: PyTorch accepts dim 0 and -1 for it.
int64_t KernelArgs::wrapDim(int64_t dim, int64_t rank) {
  int64_t limit = std::max<int64_t>(rank, 1);
  if (check(dim >= -limit && dim < limit, "got dimension " + llvm::Twine(dim) + ", expected one between " +
                                              llvm::Twine(-limit) + " and " + llvm::Twine(limit - 1)))
    return dim < 0 ? dim + limit : dim;
  return 0;
}

int64_t KernelArgs::dim(unsigned index, int64_t rank, std::optional<int64_t> otherwise) {
  return wrapDim(integer(index, otherwise), rank);
}

IntList KernelArgs::dims(unsigned index, int64_t rank) {
  IntList result = has(index) ? integers(index) : IntList();
  if (result.empty())
    for (int64_t i = 0; i < rank; ++i)
      result.push_back(i);
  for (int64_t &dim : result)
    dim = wrapDim(dim, rank);
  llvm::sort(result);
  check(std::adjacent_find(result.begin(), result.end()) == result.end(),
        "got dimensions " + dimsOf(result) + ", expected each once");
  if (rank == 0)
    result.clear();
  return result;
}

} // namespace ccgraph::runtime
