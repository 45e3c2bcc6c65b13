// Names: the grammar of the texts in graphs that Python text repeats outside quotes.
//
// A graph may come from an untrusted file, and its FX text is Python that a user runs. A name such as "x = 1\n
// import os" would then be code. So readers reject a graph whose names do not follow this grammar, and the FX text
// writer rejects one that was created in another way.
//
//   name        a Python identifier that is no keyword and no word that FX text uses itself (isNodeName)
//   target      identifiers, joined by dots: aten.mm.default (isCallTarget)
//   attribute   words of letters, digits and _, joined by dots: layers.0.weight (isAttributePath)
//   expression  numbers, names, operators and balanced parentheses: 2*s0 + Max(1, u0) (isSymbolText)
//
// Letters beyond ASCII are those of Latin, Greek, Cyrillic, Kana, Han and Hangul that Python's normalization (NFKC)
// does not change: a name that Python would change is not accepted.
//
// Ownership: none. Failure: none. Cost: linear in the text.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace ccgraph {

/// Returns true for a Python identifier; keywords are identifiers too.
[[nodiscard]] bool isIdentifier(llvm::StringRef text);
/// Returns true for Python's reserved words: None, class, lambda.
[[nodiscard]] bool isPythonKeyword(llvm::StringRef text);
/// Returns true for a valid node name.
[[nodiscard]] bool isNodeName(llvm::StringRef text);
/// Returns true for a parameter of the traced function: a node's name, with one or two leading stars if it takes the
/// rest.
[[nodiscard]] bool isParameterName(llvm::StringRef text);
/// Returns true for a valid keyword argument: an identifier that is no keyword except `from`, which PyTorch's schemas
/// have.
[[nodiscard]] bool isArgumentName(llvm::StringRef text);
/// Returns true for a valid target of a call_function.
[[nodiscard]] bool isCallTarget(llvm::StringRef text);
/// Returns false for functions of Python and torch that do more than compute, such as eval and torch.load. FX text may
/// contain any of them, since it is Python already. A data file may contain none, since the FX text written from it
/// would run them. Returns true for operators.
[[nodiscard]] bool isFunctionOfGraphs(llvm::StringRef target);
/// Returns true for a valid target of a get_attr.
[[nodiscard]] bool isAttributePath(llvm::StringRef text);
/// Returns true for a size that is known only at run time, as sympy prints it.
[[nodiscard]] bool isSymbolText(llvm::StringRef text);
/// Returns true if no byte is a control character and all of the text is UTF-8: such a text stays within its line.
[[nodiscard]] bool isOneLine(llvm::StringRef text);

} // namespace ccgraph
