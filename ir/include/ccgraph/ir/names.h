// Names: the grammar of the texts that graphs hold and that Python text repeats outside of quotes.
//
// A graph may come from a file that somebody else wrote, and its FX text is Python that a user runs. A name such as
// "x = 1\n        import os" would then be code. So readers refuse a graph whose names do not follow this grammar, and the writer of FX text
// refuses one that came in another way.
//
//   name        a Python identifier that is no keyword and no word that FX text uses itself (isNodeName)
//   target      identifiers, joined by dots: aten.mm.default (isCallTarget)
//   attribute   words of letters, digits and _, joined by dots: layers.0.weight (isAttributePath)
//   expression  numbers, names, operators and balanced parentheses: 2*s0 + Max(1, u0) (isSymbolText)
//
// Letters beyond ASCII are those of Latin, Greek, Cyrillic, Kana, Han and Hangul that Python's normalisation (NFKC) leaves alone: a name
// that Python would change is no name here.
//
// Ownership: none. Failure: none. Cost: linear in the text.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace ccgraph {

/// A Python identifier; keywords are identifiers too.
[[nodiscard]] bool isIdentifier(llvm::StringRef text);
/// True for the words that Python keeps for itself: None, class, lambda.
[[nodiscard]] bool isPythonKeyword(llvm::StringRef text);
/// What a node may be called.
[[nodiscard]] bool isNodeName(llvm::StringRef text);
/// A parameter of the traced function: a node's name, with one or two stars before it where it takes the rest.
[[nodiscard]] bool isParameterName(llvm::StringRef text);
/// What a keyword argument may be called: an identifier that is no keyword but `from`, which PyTorch's schemas have.
[[nodiscard]] bool isArgumentName(llvm::StringRef text);
/// What a call_function may call.
[[nodiscard]] bool isCallTarget(llvm::StringRef text);
/// False of functions of Python and torch that do more than compute, such as eval and torch.load: FX text may hold any, since it is Python
/// already, and a data file none, since the FX text that is written of it would run them. True of operators.
[[nodiscard]] bool isFunctionOfGraphs(llvm::StringRef target);
/// What a get_attr may read.
[[nodiscard]] bool isAttributePath(llvm::StringRef text);
/// A size that is known only at run time, as sympy prints it.
[[nodiscard]] bool isSymbolText(llvm::StringRef text);
/// True if no byte is a control character and all of it is UTF-8: such a text stays within its line.
[[nodiscard]] bool isOneLine(llvm::StringRef text);

} // namespace ccgraph
