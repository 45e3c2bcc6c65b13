// What both reader and writer of FX text know of Python: operators, string literals, numbers.
//
// torch.fx prints a call of operator.le as "a <= 7", and so on for the functions of its table of "magic methods";
// everything else is a call by name. Literals are printed by Python's repr().
//
// Ownership: tables are static. Nothing fails but by an empty result. Cost: linear in the text, tables of some 20 rows.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <optional>
#include <string>

namespace ccgraph::fx {

/// How one function of Python's `operator` module is spelled.
struct PythonOperator {
  enum class Form : uint8_t {
    Binary,  ///< a <= b
    Unary,   ///< -a
    InPlace, ///< a += b;  name = a
  };
  // A binary and a unary operator may share a symbol, so look-ups say which form they mean.
  llvm::StringRef symbol; ///< "<=", "-", "+="
  llvm::StringRef target; ///< "operator.le"
  Form form = Form::Binary;
};

/// The operator whose symbol `text` starts with, the longest one; null if there is none.
[[nodiscard]] const PythonOperator *findOperator(llvm::StringRef text, PythonOperator::Form form);
/// By target; null where calls are printed by name.
[[nodiscard]] const PythonOperator *operatorOf(llvm::StringRef target);

/// Letters, digits, underscores and bytes of non-ASCII letters: what names are made of. One of a scanner's
/// innermost questions, hence a table.
constexpr std::array<bool, 256> makeWordChars() {
  std::array<bool, 256> table{};
  for (unsigned c = 0; c != 256; ++c)
    table[c] = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 128;
  return table;
}
inline constexpr std::array<bool, 256> wordChars = makeWordChars();
[[nodiscard]] inline bool isWordChar(char c) { return wordChars[static_cast<unsigned char>(c)]; }

/// "s0", "u12", "zuf3": a symbolic integer that PyTorch named.
[[nodiscard]] bool isSymbolName(llvm::StringRef word);

/// The name of a class for a graph of this name: the name itself where Python takes it, else with '_' in place of what it
/// refuses: "<lambda>" -> "_lambda_".
[[nodiscard]] std::string className(llvm::StringRef graphName);

/// Inside of a string literal (without its quotes) -> the text; empty where an escape is malformed.
[[nodiscard]] std::optional<std::string> unescapePython(llvm::StringRef body);
/// The text as repr() prints it, quotes included.
void printPythonString(llvm::raw_ostream &os, llvm::StringRef text);
/// The shortest text that reads back as the same number, as repr() prints it: 1e-05, 0.5, 2.0, inf, nan.
void printPythonFloat(llvm::raw_ostream &os, double value);

} // namespace ccgraph::fx
