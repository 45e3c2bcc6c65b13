#include "conversion.h"

#include <ATen/ATen.h>

#include <map>
#include <optional>
#include <string_view>

namespace ccgraph::runtime {
namespace {

/// A word of the text that names a layout or a memory format, in the dispatcher's form.
std::optional<int64_t> wordNumber(const std::string &word) {
  static const std::map<std::string, int64_t> words = {
      {"strided", static_cast<int64_t>(c10::Layout::Strided)},
      {"contiguous_format", static_cast<int64_t>(c10::MemoryFormat::Contiguous)},
      {"preserve_format", static_cast<int64_t>(c10::MemoryFormat::Preserve)},
      {"channels_last", static_cast<int64_t>(c10::MemoryFormat::ChannelsLast)},
      {"channels_last_3d", static_cast<int64_t>(c10::MemoryFormat::ChannelsLast3d)}};
  constexpr std::string_view module = "torch.";
  bool qualified = std::string_view(word).substr(0, module.size()) == module;
  auto found = words.find(qualified ? word.substr(module.size()) : word);
  return found == words.end() ? std::nullopt : std::optional(found->second);
}

} // namespace

at::Tensor tensorOver(const TorchTensor &window, c10::Device device) {
  // Memory without elements may have a null address, which PyTorch would treat as no memory.
  static std::byte nothing[16];
  // Without a device, PyTorch would query the driver for the device of an address.
  return at::for_blob(window.data ? window.data : nothing, c10::IntArrayRef(window.sizes, window.rank))
      .strides(c10::IntArrayRef(window.strides, window.rank))
      .options(at::TensorOptions(static_cast<c10::ScalarType>(window.dtype)).device(device))
      .target_device(device)
      .make_tensor();
}

namespace {

at::Scalar scalarOf(const TorchArgument &argument, c10::Device device) {
  switch (argument.kind) {
  case TorchArgument::Kind::Bool:
    return {argument.integer != 0};
  case TorchArgument::Kind::Int:
    return {argument.integer};
  case TorchArgument::Kind::Float:
    return {argument.real};
  case TorchArgument::Kind::Complex:
    return {c10::complex<double>(argument.real, argument.imaginary)};
  case TorchArgument::Kind::Tensor:
    return tensorOver(argument.tensor, device).item();
  default:
    TORCH_CHECK(false, "got an argument that is no number, expected one");
  }
}

int64_t integerOf(const TorchArgument &argument, c10::Device device) {
  if (argument.kind == TorchArgument::Kind::Int || argument.kind == TorchArgument::Kind::Bool)
    return argument.integer;
  return scalarOf(argument, device).toLong();
}

/// A number where a tensor is wanted promotes by its class alone.
at::Tensor tensorOf(const TorchArgument &argument, c10::Device device) {
  if (argument.kind == TorchArgument::Kind::Tensor)
    return tensorOver(argument.tensor, device);
  at::Tensor number = at::scalar_tensor(scalarOf(argument, device), [&] {
    switch (argument.kind) {
    case TorchArgument::Kind::Bool:
      return c10::kBool;
    case TorchArgument::Kind::Int:
      return c10::kLong;
    case TorchArgument::Kind::Complex:
      return c10::kComplexDouble;
    default:
      return c10::kDouble;
    }
  }());
  number.unsafeGetTensorImpl()->set_wrapped_number(true);
  return number;
}

c10::IValue convert(const TorchArgument &argument, const c10::TypePtr &type, c10::Device device);

/// One value for a list of it too: int[2] takes 3.
template <typename Take>
void forEachElement(const TorchArgument &argument, const Take &take) {
  if (argument.kind != TorchArgument::Kind::List)
    return take(argument);
  for (size_t i = 0; i < argument.count; ++i)
    take(argument.elements[i]);
}

c10::IValue convertList(const TorchArgument &argument, const c10::ListType &type, c10::Device device) {
  c10::impl::GenericList list(type.getElementType());
  forEachElement(
      argument, [&](const TorchArgument &element) { list.push_back(convert(element, type.getElementType(), device)); });
  return c10::IValue(std::move(list));
}

/// Behaves as PyTorch's own parser: one value stands for all elements of a list of stated length.
c10::IValue repeated(c10::IValue list, std::optional<int32_t> length) {
  c10::impl::GenericList elements = list.toList();
  while (length && elements.size() < static_cast<size_t>(*length))
    elements.push_back(elements.get(0));
  return list;
}

bool isDevice(const c10::Type &type) {
  if (type.kind() == c10::TypeKind::OptionalType)
    return isDevice(*type.expectRef<c10::OptionalType>().getElementType());
  return type.kind() == c10::TypeKind::DeviceObjType;
}

c10::IValue convert(const TorchArgument &argument, const c10::TypePtr &type, c10::Device device) {
  using c10::TypeKind;
  switch (type->kind()) {
  case TypeKind::OptionalType:
    return argument.kind == TorchArgument::Kind::None
               ? c10::IValue()
               : convert(argument, type->expectRef<c10::OptionalType>().getElementType(), device);
  case TypeKind::TensorType:
    return argument.kind == TorchArgument::Kind::None ? c10::IValue(at::Tensor())
                                                      : c10::IValue(tensorOf(argument, device));
  case TypeKind::IntType:
  case TypeKind::SymIntType:
    if (argument.kind == TorchArgument::Kind::String) {
      std::optional<int64_t> number = wordNumber(argument.text);
      TORCH_CHECK(number, "got the word '", argument.text, "', of which nothing is known");
      return *number;
    }
    return argument.kind == TorchArgument::Kind::DType ? c10::IValue(argument.integer)
                                                       : c10::IValue(integerOf(argument, device));
  case TypeKind::FloatType:
    return scalarOf(argument, device).toDouble();
  case TypeKind::BoolType:
    return argument.kind == TorchArgument::Kind::Tensor ? scalarOf(argument, device).toBool()
                                                        : integerOf(argument, device) != 0;
  case TypeKind::NumberType:
    return c10::IValue(scalarOf(argument, device));
  case TypeKind::StringType:
    return std::string(argument.text ? argument.text : "");
  case TypeKind::DeviceObjType:
    return device;
  case TypeKind::ListType:
    return convertList(argument, type->expectRef<c10::ListType>(), device);
  default:
    TORCH_CHECK(argument.kind == TorchArgument::Kind::None, "takes a ", type->str(), ", which nothing here is");
    return {};
  }
}

} // namespace

c10::IValue convert(const TorchArgument &argument, const c10::Argument &parameter, c10::Device device) {
  const c10::TypePtr &type = parameter.type();
  // A factory function creates tensors on the host unless it has a device argument.
  if (isDevice(*type))
    return device;
  if (argument.kind == TorchArgument::Kind::None && parameter.default_value())
    return *parameter.default_value();
  if (type->kind() != c10::TypeKind::ListType)
    return convert(argument, type, device);
  c10::IValue list = convertList(argument, type->expectRef<c10::ListType>(), device);
  return argument.kind == TorchArgument::Kind::List ? list : repeated(std::move(list), parameter.N());
}

} // namespace ccgraph::runtime
