// ArgumentReader: JSON values become argument trees, those of graphs and those of plans.
//
//   null true 3 2.5 [..]            None, bool, int, float, list
//   "%name"                         an operand: the owner defines its meaning
//   {"str": "sum"}                  text; a bare string is never text, so a typing error in a reference is found
//   {"tuple": [..]} {"dict": {..}} {"slice": [start, stop, step]}
//   {"float": "inf"|"-inf"|"nan"}   floats that JSON lacks
//   {"sym": "s0 + 1"} {"dtype": "bf16"} {"device": "cuda:0"} {"layout": ..} {"memory_format": ..} {"py": ..}
//
// Ownership: trees go into the arena of the owner. Failure: reported, with None in place of the wrong value, so one
// call can show several errors. Cost: linear in the values; recursion is as deep as the nesting, which the parser
// bounds.
#pragma once

#include "ccgraph/ir/argument.h"
#include "json/json_report.h"

#include "llvm/ADT/SmallVector.h"

namespace ccgraph {

/// The owner of the trees: it resolves "%name", and its memory holds the trees.
class ArgumentOwner {
public:
  virtual ~ArgumentOwner() = default;
  /// Resolves a string, which may not have the form "%name". Returns None and reports an error where it cannot be
  /// resolved.
  virtual Argument reference(const JsonValue &value) = 0;
  /// Copies the elements into its arena.
  virtual Argument sequence(Argument::Kind kind, llvm::ArrayRef<Argument> elements) = 0;
  virtual Argument dict(llvm::ArrayRef<NamedArgument> entries) = 0;
};

class ArgumentReader {
public:
  ArgumentReader(Context &context, JsonReport &report, ArgumentOwner &owner)
      : context_(context), report_(report), owner_(owner) {}

  /// Reads one argument. Returns None and reports an error where the value is not an argument.
  Argument read(const JsonValue &value);
  /// Reads the elements of `args`; reports an error where it is not an array.
  llvm::SmallVector<Argument, 8> readAll(const JsonValue &args);
  /// Reads the members of `kwargs`; reports an error where it is not an object.
  llvm::SmallVector<NamedArgument, 4> readAllNamed(const JsonValue &kwargs);

private:
  llvm::SmallVector<NamedArgument, 4> readNamed(const JsonValue &object);
  Argument readSequence(Argument::Kind kind, const JsonValue &array);
  Argument readTagged(const JsonValue &object);
  Argument readTuple(const JsonValue &value);
  Argument readDict(const JsonValue &value);
  Argument readSlice(const JsonValue &value);
  Argument readFloat(const JsonValue &value);
  Argument readSymbolic(const JsonValue &value);
  Argument readDType(const JsonValue &value);
  Argument readDevice(const JsonValue &value);
  Argument readWord(Argument::Kind kind, const JsonValue &value);
  Argument readKnown(Argument::Kind kind, bool (*known)(llvm::StringRef), const JsonValue &value);
  Argument readPython(const JsonValue &value);
  Argument reject(const JsonValue &value, const llvm::Twine &what, std::string repair = "");

  Context &context_;
  JsonReport &report_;
  ArgumentOwner &owner_;
};

} // namespace ccgraph
