// The parts of Python that both reader and writer of FX text need: operators, string literals, numbers.
//
// torch.fx prints a call of operator.le as "a <= 7", and so on for the functions of its table of "magic methods"; it
// prints every other call by name. Literals are printed by Python's repr().
//
// Ownership: tables are static. A failure is an empty result. Cost: linear in the text, tables of some 20 rows.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <optional>
#include <string>

namespace ccgraph::fx {

/// The symbol and the form of one function of Python's `operator` module.
struct PythonOperator {
  enum class Form : uint8_t {
    Binary,  ///< a <= b
    Unary,   ///< -a
    InPlace, ///< a += b;  name = a
  };
  // A binary and a unary operator may share a symbol, so lookups state the form.
  llvm::StringRef symbol; ///< "<=", "-", "+="
  llvm::StringRef target; ///< "operator.le"
  Form form = Form::Binary;
};

/// Returns the operator whose symbol `text` starts with, the longest one; null if there is none.
[[nodiscard]] const PythonOperator *findOperator(llvm::StringRef text, PythonOperator::Form form);
/// Returns the operator with this target; null where calls are printed by name.
[[nodiscard]] const PythonOperator *operatorOf(llvm::StringRef target);

/// The characters of names: letters, digits, underscores and bytes of non-ASCII letters. It is a table because scanners
/// test it for every character.
constexpr std::array<bool, 256> makeWordChars() {
  std::array<bool, 256> table{};
  for (unsigned c = 0; c != 256; ++c)
    table[c] = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 128;
  return table;
}
inline constexpr std::array<bool, 256> wordChars = makeWordChars();
[[nodiscard]] inline bool isWordChar(char c) { return wordChars[static_cast<unsigned char>(c)]; }

/// Recognises "s0", "u12", "zuf3": a symbolic integer that PyTorch named.
[[nodiscard]] bool isSymbolName(llvm::StringRef word);

/// Returns the name of a class for a graph of this name: the name itself where it is a Python identifier, else with '_'
/// for each invalid character: "<lambda>" -> "_lambda_".
[[nodiscard]] std::string className(llvm::StringRef graphName);

/// Converts the inside of a string literal (without its quotes) to its text; returns nothing where an escape is
/// malformed.
[[nodiscard]] std::optional<std::string> unescapePython(llvm::StringRef body);
/// Prints the text as repr() does, quotes included.
void printPythonString(llvm::raw_ostream &os, llvm::StringRef text);
/// Prints the shortest text that reads back as the same number, as repr() does: 1e-05, 0.5, 2.0, inf, nan.
void printPythonFloat(llvm::raw_ostream &os, double value);

} // namespace ccgraph::fx
