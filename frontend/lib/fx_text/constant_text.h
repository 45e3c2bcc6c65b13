// Python constants that an argument keeps as text, because no other kind of argument holds them.
//
// PyTorch prints such constants by their repr(): functools.partial(f, 1), torch.Size([2]), <ReduceOp.SUM: 0>, 2j. The
// text is printed back unchanged, and may come from an untrusted file, so only texts of constants are accepted:
// literals, names, operators, containers, and calls of classes (a capital letter) and of a few functions without
// effects. A call of any other function, a lambda, a comprehension, an f-string or a comment is rejected.
//
// Ownership: none. Failure: none. Cost: linear in the text; readsBack makes a small graph of its own.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace ccgraph::fx {

/// Returns true if running the text as Python only computes a value.
[[nodiscard]] bool isConstantText(llvm::StringRef text);
/// Returns true if the reader of FX text accepts the text as one argument that mentions no node; for a kind that keeps
/// its text, as the same text.
[[nodiscard]] bool readsBack(llvm::StringRef text);
/// Calls `visit` for each word outside string literals, with the text after it. Stops at the first true result; returns
/// whether there was one.
bool anyWord(llvm::StringRef text, llvm::function_ref<bool(llvm::StringRef word, llvm::StringRef rest)> visit);
/// Returns true if a word of the text is the name of a node: the x of x==1 is one, that of f(x=1) is the name of a
/// parameter.
[[nodiscard]] bool mentions(llvm::StringRef text, llvm::function_ref<bool(llvm::StringRef word)> isNode);
/// Returns the length of a text such as "<built-in function add>" at the front of `text`; 0 where there is none.
[[nodiscard]] size_t lengthOfObjectText(llvm::StringRef text);

} // namespace ccgraph::fx
