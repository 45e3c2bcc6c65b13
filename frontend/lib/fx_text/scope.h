// Scope: one graph while its text is read. Session: what all graphs of one text share.
//
// Ownership: a scope refers to a graph that its parent or the list of results owns; names are slices of the text.
// Nothing here fails; types report to Problems. Cost: a name or a type that was seen before is one hash look-up.
#pragma once

#include "accepted_names.h"
#include "fx_text/expression.h"

#include "ccgraph/ir/names.h"

#include "llvm/ADT/MapVector.h"

namespace ccgraph::fx {

/// One text: its context, its errors, and what was parsed once and may come again.
struct Session {
  Context &context;
  Problems &problems;
  llvm::DenseMap<llvm::StringRef, const Type *> types; ///< by their text, because a graph has few distinct ones
  NodePlaces *places = nullptr;                        ///< null: nobody asks
  AcceptedNames targets{isCallTarget};                 ///< of calls

  /// Notes where a node stands.
  Node *at(const char *place, Node *node) const {
    if (places)
      (*places)[node] = problems.offsetOf(place);
    return node;
  }
};

/// One graph of it. Scopes nest as classes do; the innermost is the one whose lines are being read.
struct Scope {
  Graph *graph = nullptr;
  const char *place = nullptr; ///< of its `def`
  size_t indent = 0;           ///< of its `def`: the body stands deeper
  size_t inner = 0;            ///< a class from this column on is nested: that of the `def` where a class is around it
  bool closed = false;         ///< past its `return`, or beyond repair
  bool begun = false;          ///< past its first statement that is no binding of inputs
  NameTable names;             ///< what the lines below may mention
  /// Types of inputs that a line of their own states, before the line that binds them.
  llvm::MapVector<llvm::StringRef, const Type *> declared;
  uint32_t frame = 0; ///< of the last source comment
  /// By the text of the comment: a source line makes many nodes, and its comment comes back
  /// whenever another one stood between.
  llvm::DenseMap<llvm::StringRef, uint32_t> frames;

  /// Gives `name` to a node, or to nothing (null) where its statement was wrong. False: the name was taken.
  bool define(llvm::StringRef name, Node *node) { return names.try_emplace(name, node).second; }
};

/// What a node may be called (ccgraph/ir/names.h). False: reported.
bool checkName(Session &session, llvm::StringRef name);
/// The type in a quoted annotation, or a list of them: "bf16[8, 4][4, 1]cuda:0", "(f32[2], -)". False: reported.
bool readType(Session &session, llvm::StringRef text, const Type *&out);
/// What follows the ':' of a name: a quoted type, or a Python class, which says nothing of a tensor.
bool readAnnotation(Session &session, Cursor &cursor, const Type *&out);

/// From after "def forward(" through the ':' that ends it; makes the placeholders. May run over lines.
bool readHeader(Session &session, Scope &scope, Cursor &cursor);
/// A line before the first statement that says what the inputs are where the parameters of the header are trees of them:
/// `x: "f32[2]"; y: "f32[3]";` and `x, y, = fx_pytree.tree_flatten_spec([args], self._in_spec)`. True: it was one, and
/// the graph has these inputs now, or an error was reported.
bool readBinding(Session &session, Scope &scope, Cursor cursor);
/// One statement of a body, a line but for a return that runs over lines: makes a node, the output, or reports.
void readStatement(Session &session, Scope &scope, Cursor cursor);

} // namespace ccgraph::fx
