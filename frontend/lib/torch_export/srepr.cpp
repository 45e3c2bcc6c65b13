#include "torch_export/srepr.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph {
namespace {

/// A printed expression and its binding strength: an operand that binds less tightly than its surroundings gets
/// parentheses.
struct Printed {
  enum class Binds : uint8_t { Compare, Add, Multiply, Power, Atom } binds = Binds::Atom;
  std::string text;

  [[nodiscard]] std::string within(Binds outer) const { return binds < outer ? "(" + text + ")" : text; }
};
using Binds = Printed::Binds;

struct Infix {
  llvm::StringLiteral function;
  llvm::StringLiteral sign;
  Binds binds;
};
constexpr Infix infixes[] = {
    {"FloorDiv", "//", Binds::Multiply},       {"GreaterThan", " >= ", Binds::Compare},
    {"LessThan", " <= ", Binds::Compare},      {"StrictGreaterThan", " > ", Binds::Compare},
    {"StrictLessThan", " < ", Binds::Compare}, {"Pow", "**", Binds::Power},
};

class Reader {
public:
  explicit Reader(llvm::StringRef text) : rest_(text) {}

  std::optional<std::string> read() {
    std::optional<Printed> printed = expression(0);
    return printed && rest_.trim().empty() ? std::optional(printed->text) : std::nullopt;
  }

private:
  static constexpr unsigned deepest = 200;

  bool take(char sign) {
    rest_ = rest_.ltrim();
    return rest_.consume_front(llvm::StringRef(&sign, 1));
  }

  llvm::StringRef word() {
    rest_ = rest_.ltrim();
    llvm::StringRef found =
        rest_.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '-'; });
    rest_ = rest_.drop_front(found.size());
    return found;
  }

  /// Reads 's17', with either quote.
  std::optional<llvm::StringRef> quoted() {
    rest_ = rest_.ltrim();
    char quote = rest_.empty() ? 0 : rest_.front();
    size_t end = quote == '\'' || quote == '"' ? rest_.find(quote, 1) : llvm::StringRef::npos;
    if (end == llvm::StringRef::npos)
      return std::nullopt;
    llvm::StringRef found = rest_.slice(1, end);
    rest_ = rest_.drop_front(end + 1);
    return found;
  }

  /// Reads `, positive=True, integer=True)`; the assumptions about a symbol are not printed.
  bool skipAssumptions() {
    while (take(','))
      if (word().empty() || !take('=') || word().empty())
        return false;
    return take(')');
  }

  std::optional<Printed> symbol() {
    std::optional<llvm::StringRef> name = quoted();
    if (!name || name->empty() || !skipAssumptions())
      return std::nullopt;
    return Printed{Binds::Atom, name->str()};
  }

  std::optional<Printed> number() {
    std::optional<llvm::StringRef> text = quoted();
    llvm::StringRef plain = text ? *text : word();
    while (take(',')) // Rational(1, 2), Float('0.5', precision=53)
      if (llvm::StringRef more = word(); take('='))
        word();
      else
        return take(')') ? std::optional(Printed{Binds::Multiply, plain.str() + "/" + more.str()}) : std::nullopt;
    if (plain.empty() || !take(')'))
      return std::nullopt;
    return Printed{plain.startswith("-") ? Binds::Multiply : Binds::Atom, plain.str()};
  }

  std::optional<Printed> expression(unsigned depth) {
    llvm::StringRef name = word();
    if (name.empty() || depth > deepest)
      return std::nullopt;
    if (!take('('))
      return Printed{Binds::Atom, name.str()}; // true, oo
    if (name == "Symbol" || name == "Dummy")
      return symbol();
    if (name == "Integer" || name == "Rational" || name == "Float")
      return number();
    llvm::SmallVector<Printed, 4> operands;
    while (!take(')')) {
      if (!operands.empty() && !take(','))
        return std::nullopt;
      std::optional<Printed> operand = expression(depth + 1);
      if (!operand)
        return std::nullopt;
      operands.push_back(std::move(*operand));
    }
    return print(name, operands);
  }

  static Printed print(llvm::StringRef name, llvm::ArrayRef<Printed> operands) {
    if (name == "Add")
      return {Binds::Add, sum(operands)};
    if (name == "Mul")
      return {Binds::Multiply, product(operands)};
    const Infix *infix = llvm::find_if(infixes, [&](const Infix &entry) { return entry.function == name; });
    if (infix != std::end(infixes) && operands.size() == 2) {
      // Both sides of a division or power bind as tightly as the whole, so they need parentheses of their own.
      Binds inner = infix->binds == Binds::Compare ? Binds::Add : Binds::Atom;
      std::string text = operands[0].within(inner) + infix->sign.str() + operands[1].within(inner);
      return {infix->binds, std::move(text)};
    }
    llvm::SmallVector<std::string, 4> texts;
    for (const Printed &operand : operands)
      texts.push_back(operand.text);
    llvm::StringRef shown = name == "Equality" ? "Eq" : name == "Unequality" ? "Ne" : name;
    return {Binds::Atom, shown.str() + "(" + llvm::join(texts, ", ") + ")"};
  }

  static std::string sum(llvm::ArrayRef<Printed> operands) {
    std::string text;
    for (const Printed &operand : operands) {
      std::string term = operand.within(Binds::Add);
      if (text.empty())
        text = term;
      else
        text += llvm::StringRef(term).startswith("-") ? " - " + term.substr(1) : " + " + term;
    }
    return text;
  }

  static std::string product(llvm::ArrayRef<Printed> operands) {
    std::string text;
    for (const Printed &operand : operands) {
      if (text.empty() && operands.size() > 1 && operand.text == "-1")
        text = "-";
      else
        text += (text.empty() || text == "-" ? "" : "*") + operand.within(Binds::Multiply);
    }
    return text;
  }

  llvm::StringRef rest_;
};

} // namespace

std::optional<std::string> sympyText(llvm::StringRef srepr) { return Reader(srepr).read(); }

llvm::StringRef sympySymbol(llvm::StringRef srepr) {
  if (!srepr.consume_front("Symbol('"))
    return "";
  size_t end = srepr.find('\'');
  return end == llvm::StringRef::npos ? "" : srepr.take_front(end);
}

} // namespace ccgraph
