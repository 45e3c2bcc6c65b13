// Python that an argument is kept as its text for: constants that no other kind of argument holds.
//
// PyTorch prints such constants by their repr(): functools.partial(f, 1), torch.Size([2]), <ReduceOp.SUM: 0>, 2j. The text is printed back
// as it is, and may come from a file of somebody else. So it is held to what constants look like: literals, names, operators, containers,
// and calls of classes (a capital letter) and of a few functions without effects. A call of any other function, a lambda, a
// comprehension, an f-string or a comment is none.
//
// Ownership: none. Failure: none. Cost: linear in the text; readsBack makes a small graph of its own.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace ccgraph::fx {

/// True if running the text as Python makes a value and does nothing else.
[[nodiscard]] bool isConstantText(llvm::StringRef text);
/// True if the reader of FX text takes the text as one argument that mentions no node; for a kind that keeps its text, as the same text.
[[nodiscard]] bool readsBack(llvm::StringRef text);
/// Calls `visit` for each word outside of string literals, with what follows it; stops when it says true, and says so.
bool anyWord(llvm::StringRef text, llvm::function_ref<bool(llvm::StringRef word, llvm::StringRef rest)> visit);
/// True if a word of the text is the name of a node: the x of x==1 is one, that of f(x=1) the name of a parameter.
[[nodiscard]] bool mentions(llvm::StringRef text, llvm::function_ref<bool(llvm::StringRef word)> isNode);
/// "<built-in function add>" at the front of `text`; 0 where none stands there.
[[nodiscard]] size_t lengthOfObjectText(llvm::StringRef text);

} // namespace ccgraph::fx
