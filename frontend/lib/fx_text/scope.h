// Scope: one graph while its text is read. Session: the state that all graphs of one text share.
//
// Ownership: a scope refers to a graph that its parent or the list of results owns; names are slices of the text.
// Nothing here fails; types report to Problems. Cost: a name or a type that was seen before is one hash look-up.
#pragma once

#include "accepted_names.h"
#include "fx_text/expression.h"

#include "ccgraph/ir/internal/names.h"

#include "llvm/ADT/MapVector.h"

namespace ccgraph::fx {

/// One text: its context, its errors, and parsed parts that may repeat.
struct Session {
  Context &context;
  Problems &problems;
  llvm::DenseMap<llvm::StringRef, const Type *> types; ///< by their text, because a graph has few distinct ones
  NodePlaces *places = nullptr;                        ///< null: not requested
  AcceptedNames targets{isCallTarget};                 ///< of calls

  /// Records the place of a node.
  Node *at(const char *place, Node *node) const {
    if (places)
      (*places)[node] = problems.offsetOf(place);
    return node;
  }
};

/// One graph of the text. Scopes nest as classes do; the innermost is the one whose lines are being read.
struct Scope {
  Graph *graph = nullptr;
  const char *place = nullptr; ///< place of its `def`
  size_t indent = 0;           ///< of its `def`: the body is indented deeper
  size_t inner = 0;            ///< a class from this column on is nested: that of the `def` where a class is around it
  bool closed = false;         ///< past its `return`, or beyond repair
  bool begun = false;          ///< past its first statement that is no binding of inputs
  NameTable names;             ///< names that the lines below may mention
  /// Types of inputs that a line of their own states, before the line that binds them.
  llvm::MapVector<llvm::StringRef, const Type *> declared;
  uint32_t frame = 0; ///< of the last source comment
  /// Frames by the text of the comment: a source line makes many nodes, and its comment is repeated whenever another
  /// one intervened.
  llvm::DenseMap<llvm::StringRef, uint32_t> frames;

  /// Gives `name` to a node, or to nothing (null) where its statement was wrong. Returns false where the name was
  /// taken.
  bool define(llvm::StringRef name, Node *node) { return names.try_emplace(name, node).second; }
};

/// Checks the name of a node (ccgraph/ir/internal/names.h). Returns false where it reported an error.
bool checkName(Session &session, llvm::StringRef name);
/// Reads the type in a quoted annotation, or a list of types: "bf16[8, 4][4, 1]cuda:0", "(f32[2], -)". Returns false
/// where it reported an error.
bool readType(Session &session, llvm::StringRef text, const Type *&out);
/// Reads the annotation after the ':' of a name: a quoted type, or a Python class, which does not describe a tensor.
bool readAnnotation(Session &session, Cursor &cursor, const Type *&out);

/// Reads from after "def forward(" through the ':' that ends it; makes the placeholders. May run over lines.
bool readHeader(Session &session, Scope &scope, Cursor &cursor);
/// Reads a line before the first statement that defines the inputs, where the parameters of the header are trees: `x:
/// "f32[2]"; y: "f32[3]";` and `x, y, = fx_pytree.tree_flatten_spec([args], self._in_spec)`. Returns true if it was
/// such a line; then the graph has these inputs, or an error was reported.
bool readBinding(Session &session, Scope &scope, Cursor cursor);
/// Reads one statement of a body, a line except for a return that runs over lines. Makes a node or the output, or
/// reports an error.
void readStatement(Session &session, Scope &scope, Cursor cursor);

} // namespace ccgraph::fx
