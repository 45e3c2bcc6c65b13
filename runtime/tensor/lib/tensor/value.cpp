#include "ccgraph/runtime/value.h"

namespace ccgraph::runtime {

// Words for the "got" of an error: "got the integer 3, expected a tensor".
std::string Value::describe() const {
  switch (kind()) {
  case Kind::None:
    return "None";
  case Kind::Bool:
    return boolean() ? "True" : "False";
  case Kind::Int:
    return "the integer " + std::to_string(integer());
  case Kind::Float:
    return "the number " + std::to_string(floating());
  case Kind::String:
    return "the text '" + string() + "'";
  case Kind::DType:
    return "the dtype torch." + torchName(dtype()).str();
  case Kind::Device:
    return "a device";
  case Kind::Tensor:
    return tensor().typeText();
  case Kind::List:
    return "a list of " + std::to_string(list().size());
  case Kind::Slice:
    return "a slice";
  case Kind::Opaque:
    return opaque().text;
  case Kind::Complex:
    return "the number " + std::to_string(complex().real()) + " + " + std::to_string(complex().imag()) + "j";
  }
  llvm_unreachable("kind of value");
}

} // namespace ccgraph::runtime
