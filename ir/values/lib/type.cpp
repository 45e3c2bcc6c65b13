#include "ccgraph/ir/type.h"

#include "symbolic_sum.h"

#include "ccgraph/ir/device.h"
#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/internal/names.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MathExtras.h"

namespace ccgraph {

// A type is parsed from front to back, and printed in the same form: dtype, sizes, strides and device, of which the
// last two may be missing. "bf16[8, s0][s0, 1]cuda:0" has both, "f32[2, 3]" neither, and "f32[][]cpu" is a tensor
// without dimensions. A size that is no plain number is kept as an unparsed expression; only its evaluation shows
// whether it is valid.
std::optional<int64_t> Type::numElements() const {
  if (!isTensor())
    return std::nullopt;
  int64_t product = 1;
  for (const Dim &size : sizes())
    if (!size.isStatic() || llvm::MulOverflow(product, size.value(), product))
      return std::nullopt;
  return product;
}

std::optional<int64_t> Type::numBytes() const {
  auto count = numElements();
  int64_t bytes = 0;
  if (!count || llvm::MulOverflow(*count, static_cast<int64_t>(sizeInBytes(dtype_)), bytes))
    return std::nullopt;
  return bytes;
}

namespace {

/// Returns true if the strides of a tensor are the texts that PyTorch writes for a row-major one.
bool isRowMajorText(DimListRef sizes, DimListRef strides) {
  std::optional<SymbolicSum> expected = SymbolicSum(1);
  for (size_t i = sizes.size(); i-- > 0 && expected;) {
    if (sizes[i] == Dim(1))
      continue;
    if (strides[i].str() != expected->text())
      return false;
    std::optional<SymbolicSum> size = SymbolicSum::parse(sizes[i].str());
    expected = size && i != 0 ? expected->times(size->atLeastOne()) : std::nullopt;
    if (!expected)
      return i == 0;
  }
  return true;
}

} // namespace

// From the innermost dimension outwards, `expected` is the stride that a row-major tensor has there. The outermost size
// may be any expression, because no stride depends on it: [s0, 4] with strides [4, 1] is contiguous.
bool Type::isContiguous() const {
  if (!isTensor() || !stridesKnown_)
    return false;
  if (numElements() == 0)
    return true;
  int64_t expected = 1;
  for (size_t i = rank_; i-- > 0;) {
    const Dim &size = sizes()[i];
    const Dim &stride = strides()[i];
    if (size == Dim(1))
      continue;
    if (!stride.isStatic() || stride.value() != expected)
      return false;
    if (!size.isStatic())
      return i == 0 || isRowMajorText(sizes(), strides());
    if (llvm::MulOverflow(expected, size.value(), expected))
      return i == 0; // no other stride can be as large
  }
  return true;
}

namespace {

void appendDims(std::string &text, llvm::ArrayRef<Dim> dims) {
  text += '[';
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + dims[i].str();
  text += ']';
}

std::string listText(llvm::ArrayRef<const Type *> elements) {
  std::string text = "(";
  for (size_t i = 0; i < elements.size(); ++i)
    text += (i ? ", " : "") + typeText(elements[i]);
  return text + (elements.size() == 1 ? ",)" : ")");
}

std::string tensorText(const Type &type) {
  std::string text = shortName(type.dtype()).str();
  appendDims(text, type.sizes());
  if (type.stridesKnown())
    appendDims(text, type.strides());
  return text + deviceText(type.device());
}

/// Parses a tensor type front to back; `rest_` is the unread part.
class TypeParser {
public:
  TypeParser(Context &context, llvm::StringRef text) : context_(context), text_(text), rest_(text) {}

  llvm::Expected<const Type *> run() {
    if (rest_.consume_front("Sym(")) {
      if (!rest_.consume_back(")") || !isSymbolText(rest_))
        return expected("an expression and ')' after 'Sym('");
      return context_.symbolicScalar(context_.symbolic(rest_));
    }
    if (rest_ == "None")
      return context_.noneType();
    return tensor();
  }

private:
  llvm::Expected<const Type *> tensor() {
    size_t length = rest_.find('[');
    auto dtype = parseShortDType(rest_.take_front(length));
    if (!dtype)
      return expected("a dtype such as bf16, f32, i64, b8, followed by '['");
    rest_ = rest_.substr(length);
    llvm::SmallVector<Dim, 8> sizes;
    llvm::SmallVector<Dim, 8> strides;
    if (auto error = dims(sizes))
      return error;
    bool stridesKnown = rest_.startswith("[");
    if (stridesKnown)
      if (auto error = dims(strides))
        return error;
    if (stridesKnown && sizes.size() != strides.size())
      return expected("as many strides (" + llvm::utostr(strides.size()) + " given) as sizes (" +
                      llvm::utostr(sizes.size()) + ")");
    Device where;
    if (auto error = device(where))
      return error;
    return context_.tensor(*dtype, {sizes, strides, stridesKnown}, where);
  }

  llvm::Error dims(llvm::SmallVectorImpl<Dim> &out) {
    if (!rest_.consume_front("["))
      return expected("'[' before the sizes");
    if (rest_.consume_front("]"))
      return llvm::Error::success();
    while (true) {
      size_t length = endOfDim();
      if (length == llvm::StringRef::npos || !isSymbolText(rest_.take_front(length)))
        return expected("a size and then ',' or ']'");
      out.push_back(dim(rest_.take_front(length).trim()));
      bool last = rest_[length] == ']';
      rest_ = rest_.substr(length + 1);
      if (last)
        return llvm::Error::success();
    }
  }

  /// Returns the next ',' or ']' outside parentheses: expressions may contain calls such as Max(1, u0).
  [[nodiscard]] size_t endOfDim() const {
    int depth = 0;
    for (size_t i = 0; i < rest_.size(); ++i) {
      char c = rest_[i];
      depth += (c == '(') - (c == ')');
      if (depth == 0 && (c == ',' || c == ']'))
        return i;
    }
    return llvm::StringRef::npos;
  }

  Dim dim(llvm::StringRef text) {
    int64_t value = 0;
    return text.getAsInteger(10, value) ? Dim(context_.symbolic(text)) : Dim(value);
  }

  llvm::Error device(Device &out) {
    std::optional<Device> device = parseDevice(context_, rest_);
    if (!device)
      return expected("a device such as cpu or cuda:0 after the sizes and strides");
    out = *device;
    rest_ = {};
    return llvm::Error::success();
  }

  llvm::Error expected(const llvm::Twine &what) const {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "type '" + text_ + "', column " +
                                                                       llvm::Twine(text_.size() - rest_.size() + 1) +
                                                                       ": expected " + what);
  }

  Context &context_;
  llvm::StringRef text_;
  llvm::StringRef rest_;
};

} // namespace

std::string Type::str() const {
  switch (kind_) {
  case Kind::Tensor:
    return tensorText(*this);
  case Kind::List:
    return listText(elements());
  case Kind::Symbolic:
    return "Sym(" + symbol_->text().str() + ")";
  case Kind::None:
    return "None";
  }
  llvm_unreachable("all kinds are handled");
}

std::string typeText(const Type *type) { return type ? type->str() : "-"; }

llvm::Expected<const Type *> parseType(Context &context, llvm::StringRef text) {
  return TypeParser(context, text).run();
}

} // namespace ccgraph
