// ArgumentReader: JSON values become argument trees.
//
//   null true 3 2.5 [..]            None, bool, int, float, list
//   "%name"                         the node of that name
//   {"str": "sum"}                  text; a bare string is never text, so that no reference is lost to a typing error
//   {"tuple": [..]} {"dict": {..}} {"slice": [start, stop, step]}
//   {"float": "inf"|"-inf"|"nan"}   floats that JSON lacks
//   {"sym": "s0 + 1"} {"dtype": "bf16"} {"device": "cuda:0"} {"layout": ..} {"memory_format": ..} {"py": ..}
//
// Ownership: trees go into the arena of the graph that the builder is of. Failure: reported through
// the scope, with None in the place of what was wrong, so that one node can show several errors.
// Cost: linear in the values; recursion is as deep as the nesting, which the parser bounds.
#pragma once

#include "json/graph_scope.h"

namespace ccgraph {

class ArgumentReader {
public:
  /// `user` names the node that is being read.
  ArgumentReader(GraphScope &scope, ArgumentBuilder &builder, llvm::StringRef user)
      : scope_(scope), builder_(builder), user_(user) {}

  /// None, with an error reported, where the value is no argument.
  Argument read(const JsonValue &value);
  /// The members of kwargs or of a dict.
  llvm::SmallVector<NamedArgument, 4> readNamed(const JsonValue &object);

private:
  Argument readReference(const JsonValue &value);
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
  Argument reject(const JsonValue &value, const llvm::Twine &what, std::string repair = "");

  GraphScope &scope_;
  ArgumentBuilder &builder_;
  llvm::StringRef user_;
};

} // namespace ccgraph
