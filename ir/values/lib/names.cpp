#include "ccgraph/ir/internal/names.h"

#include "ccgraph/ir/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

#include <algorithm>

using llvm::StringRef;

namespace ccgraph {
namespace {

struct LetterRange {
  unsigned first;
  unsigned last;
};

/// Letters of general category L that str.isidentifier() accepts and NFKC keeps; tests/python/names_test.py compares
/// them with Python's tables.
constexpr LetterRange letters[] = {
    {0xc0, 0xd6},     {0xd8, 0xf6},     {0xf8, 0x131},    {0x134, 0x13e},   {0x141, 0x148},   {0x14a, 0x17e},
    {0x180, 0x1c3},   {0x1cd, 0x1f0},   {0x1f4, 0x2af},   {0x370, 0x373},   {0x376, 0x377},   {0x37b, 0x37d},
    {0x37f, 0x37f},   {0x386, 0x386},   {0x388, 0x38a},   {0x38c, 0x38c},   {0x38e, 0x3a1},   {0x3a3, 0x3cf},
    {0x3d7, 0x3ef},   {0x3f3, 0x3f3},   {0x3f7, 0x3f8},   {0x3fa, 0x481},   {0x48a, 0x52f},   {0x3041, 0x3096},
    {0x309d, 0x309e}, {0x30a1, 0x30fa}, {0x30fc, 0x30fe}, {0x4e00, 0x9fff}, {0xac00, 0xd7a3},
};

/// Sorted.
constexpr StringRef keywords[] = {"False",  "None",   "True",    "and",      "as",       "assert", "async",
                                  "await",  "break",  "class",   "continue", "def",      "del",    "elif",
                                  "else",   "except", "finally", "for",      "from",     "global", "if",
                                  "import", "in",     "is",      "lambda",   "nonlocal", "not",    "or",
                                  "pass",   "raise",  "return",  "try",      "while",    "with",   "yield"};

/// Words with another meaning in FX text: a node of that name would be ambiguous.
constexpr StringRef wordsOfFxText[] = {"self", "torch", "inf", "nan", "operator", "math", "builtins"};

/// Consumes one letter beyond ASCII; returns false if the text does not start with one.
bool takeLetter(StringRef &text) {
  const auto *at = reinterpret_cast<const llvm::UTF8 *>(text.data());
  llvm::UTF32 letter = 0;
  if (llvm::convertUTF8Sequence(&at, at + text.size(), &letter, llvm::strictConversion) != llvm::conversionOK)
    return false;
  text = text.drop_front(static_cast<size_t>(at - reinterpret_cast<const llvm::UTF8 *>(text.data())));
  return llvm::any_of(letters, [&](LetterRange range) { return range.first <= letter && letter <= range.last; });
}

/// Returns true for letters, digits and underscores, at least one.
bool isWord(StringRef text) {
  if (text.empty())
    return false;
  while (!text.empty()) {
    char c = text.front();
    if (llvm::isAlnum(c) || c == '_')
      text = text.drop_front();
    else if (static_cast<unsigned char>(c) < 0x80 || !takeLetter(text))
      return false;
  }
  return true;
}

/// Returns true if `accept` accepts each of the parts between dots, none of which may be empty.
bool isPath(StringRef text, bool (*accept)(StringRef)) {
  while (true) {
    auto [part, rest] = text.split('.');
    if (!accept(part))
      return false;
    if (part.size() == text.size())
      return true;
    text = rest;
  }
}

/// `from` is a keyword of Python and a word of PyTorch's schemas: aten.random_.from(x, from = 0).
bool isWordOfSchema(StringRef text) { return isIdentifier(text) && (!isPythonKeyword(text) || text == "from"); }

/// Functions of Python and torch that do more than compute. No graph calls them; a text that called them would let a
/// file execute code.
constexpr StringRef effectful[] = {"__import__",
                                   "breakpoint",
                                   "call",
                                   "compile",
                                   "delattr",
                                   "eval",
                                   "exec",
                                   "exit",
                                   "globals",
                                   "help",
                                   "input",
                                   "load",
                                   "locals",
                                   "open",
                                   "print",
                                   "quit",
                                   "save",
                                   "setattr",
                                   "vars",
                                   "attrgetter",
                                   "methodcaller",
                                   "load_library",
                                   "import_ir_module",
                                   "import_ir_module_from_buffer",
                                   "import_module"};
/// Modules of torch whose functions graphs call. Other attributes of torch, such as torch.os, give access to all of
/// Python.
constexpr StringRef modules[] = {"torch._C._nn.",
                                 "torch._C.",
                                 "torch._dynamo.external_utils.",
                                 "torch.amp.autocast_mode.",
                                 "torch._higher_order_ops.",
                                 "torch.distributed._spmd.comm_tensor.",
                                 "torch.distributed.",
                                 "torch.fft.",
                                 "torch.linalg.",
                                 "torch.nn.functional.",
                                 "torch.special."};

} // namespace

bool isIdentifier(StringRef text) { return isWord(text) && !llvm::isDigit(text.front()); }
bool isPythonKeyword(StringRef text) { return std::binary_search(std::begin(keywords), std::end(keywords), text); }

bool isNodeName(StringRef text) {
  // Most names have a digit or an underscore, unlike these words.
  bool plain = llvm::all_of(text, llvm::isAlpha);
  return isIdentifier(text) && !(plain && (isPythonKeyword(text) || llvm::is_contained(wordsOfFxText, text)));
}

bool isParameterName(StringRef text) {
  if (text.consume_front("*"))
    text.consume_front("*");
  return isNodeName(text);
}

bool isArgumentName(StringRef text) { return isWordOfSchema(text); }
bool isCallTarget(StringRef text) { return text.contains('.') ? isPath(text, isWordOfSchema) : isNodeName(text); }
bool isFunctionOfGraphs(StringRef target) {
  auto [root, rest] = target.split('.');
  bool isFunction = rest.empty() || root == "torch" || root == "operator" || root == "math" || root == "builtins";
  if (!isFunction || (target.startswith("torch.ops.") && target.count('.') > 2))
    return true;
  const auto *module = llvm::find_if(modules, [&](StringRef prefix) { return target.startswith(prefix); });
  StringRef name = module != std::end(modules) ? target.drop_front(module->size()) : rest.empty() ? target : rest;
  return !name.contains('.') && !llvm::is_contained(effectful, name);
}

bool isAttributePath(StringRef text) { return isPath(text, isWord); }

bool isSymbolText(StringRef text) {
  int depth = 0;
  for (char c : text) {
    if (!llvm::isAlnum(c) && !StringRef("_., +-*/%<>=!~&|^()").contains(c))
      return false;
    depth += (c == '(') - (c == ')');
    if (depth < 0)
      return false;
  }
  return depth == 0 && !text.trim().empty();
}

bool isOneLine(StringRef text) {
  if (llvm::all_of(text, [](unsigned char c) { return c >= 0x20 && c < 0x7f; })) // nearly all texts are ASCII
    return true;
  const auto *bytes = text.bytes_begin();
  return llvm::isLegalUTF8String(&bytes, text.bytes_end()) && visibleText(text) == text;
}

} // namespace ccgraph
