#include "fx_text/argument_printer.h"

#include "ccgraph/ir/dtype.h"
#include "fx_text/python.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph::fx {
namespace {

class ArgumentPrinter {
public:
  ArgumentPrinter(llvm::raw_ostream &os, OperandPrinter operand) : os_(os), operand_(operand) {}

  void print(const Argument &argument) {
    using Kind = Argument::Kind;
    switch (argument.kind()) {
    case Kind::None:
      os_ << "None";
      return;
    case Kind::Bool:
      os_ << (argument.boolean() ? "True" : "False");
      return;
    case Kind::Int:
      os_ << argument.integer();
      return;
    case Kind::Float:
      printPythonFloat(os_, argument.floating());
      return;
    case Kind::String:
      printPythonString(os_, argument.text());
      return;
    case Kind::Symbolic:
      os_ << argument.symbolic()->text();
      return;
    case Kind::DType:
      os_ << "torch." << torchName(argument.dtype());
      return;
    case Kind::Layout:
    case Kind::MemoryFormat:
      os_ << "torch." << argument.text();
      return;
    case Kind::Python:
      os_ << argument.text();
      return;
    case Kind::Operand:
      operand_(argument.operandIndex());
      return;
    case Kind::Device:
      printDevice(argument.device());
      return;
    case Kind::List:
      printSequence("[", argument.elements(), "]");
      return;
    case Kind::Tuple:
      printSequence("(", argument.elements(), argument.elements().size() == 1 ? ",)" : ")");
      return;
    case Kind::Slice:
      printSequence("slice(", argument.elements(), ")");
      return;
    case Kind::Dict:
      printDict(argument.entries());
      return;
    }
  }

private:
  void printSequence(llvm::StringRef open, llvm::ArrayRef<Argument> elements, llvm::StringRef close) {
    os_ << open;
    llvm::ListSeparator comma;
    for (const Argument &element : elements) {
      os_ << comma;
      print(element);
    }
    os_ << close;
  }

  void printDict(llvm::ArrayRef<NamedArgument> entries) {
    os_ << '{';
    llvm::ListSeparator comma;
    for (const auto &[key, value] : entries) {
      os_ << comma;
      printPythonString(os_, key.str());
      os_ << ": ";
      print(value);
    }
    os_ << '}';
  }

  void printDevice(const Device &device) {
    os_ << "device(type=";
    printPythonString(os_, device.kind.str());
    if (device.index >= 0)
      os_ << ", index=" << device.index;
    os_ << ')';
  }

  llvm::raw_ostream &os_;
  OperandPrinter operand_;
};

} // namespace

void printArgument(llvm::raw_ostream &os, const Argument &argument, OperandPrinter operand) {
  ArgumentPrinter(os, operand).print(argument);
}

void printArguments(llvm::raw_ostream &os, llvm::ArrayRef<Argument> args, llvm::ArrayRef<NamedArgument> kwargs,
                    OperandPrinter operand) {
  llvm::ListSeparator comma;
  for (const Argument &argument : args) {
    os << comma;
    printArgument(os, argument, operand);
  }
  for (const auto &[name, value] : kwargs) {
    os << comma << name.str() << " = ";
    printArgument(os, value, operand);
  }
}

} // namespace ccgraph::fx
