// ArgumentReader: JSON values become argument trees, those of graphs and those of plans.
//
//   null true 3 2.5 [..]            None, bool, int, float, list
//   "%name"                         an operand: what it means is the owner's affair
//   {"str": "sum"}                  text; a bare string is never text, so that no reference is lost to a typing error
//   {"tuple": [..]} {"dict": {..}} {"slice": [start, stop, step]}
//   {"float": "inf"|"-inf"|"nan"}   floats that JSON lacks
//   {"sym": "s0 + 1"} {"dtype": "bf16"} {"device": "cuda:0"} {"layout": ..} {"memory_format": ..} {"py": ..}
//
// Ownership: trees go into the arena of the owner. Failure: reported, with None in the place of what
// was wrong, so that one call can show several errors.
// Cost: linear in the values; recursion is as deep as the nesting, which the parser bounds.
#pragma once

#include "ccgraph/ir/argument.h"
#include "json/json_report.h"

#include "llvm/ADT/SmallVector.h"

namespace ccgraph {

/// Whose trees are read: it knows what "%name" means, and its memory holds the trees.
class ArgumentOwner {
public:
  virtual ~ArgumentOwner() = default;
  /// A string, which may not be "%name" at all; None, with an error reported, where it means nothing.
  virtual Argument reference(const JsonValue &value) = 0;
  /// Copies the elements into its arena.
  virtual Argument sequence(Argument::Kind kind, llvm::ArrayRef<Argument> elements) = 0;
  virtual Argument dict(llvm::ArrayRef<NamedArgument> entries) = 0;
};

class ArgumentReader {
public:
  ArgumentReader(Context &context, JsonReport &report, ArgumentOwner &owner)
      : context_(context), report_(report), owner_(owner) {}

  /// None, with an error reported, where the value is no argument.
  Argument read(const JsonValue &value);
  /// The elements of `args`; an error where it is no array.
  llvm::SmallVector<Argument, 8> readAll(const JsonValue &args);
  /// The members of `kwargs`; an error where it is no object.
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
