#include "fx_text/python.h"

#include "ccgraph/ir/internal/names.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"

#include <charconv>
#include <cmath>

using llvm::StringRef;

namespace ccgraph::fx {

namespace {

using Form = PythonOperator::Form;

/// Longer symbols precede their prefixes.
constexpr PythonOperator operators[] = {
    {"**=", "operator.ipow", Form::InPlace},    {"//=", "operator.ifloordiv", Form::InPlace},
    {"<<=", "operator.ilshift", Form::InPlace}, {">>=", "operator.irshift", Form::InPlace},
    {"+=", "operator.iadd", Form::InPlace},     {"-=", "operator.isub", Form::InPlace},
    {"*=", "operator.imul", Form::InPlace},     {"/=", "operator.itruediv", Form::InPlace},
    {"%=", "operator.imod", Form::InPlace},     {"@=", "operator.imatmul", Form::InPlace},
    {"&=", "operator.iand", Form::InPlace},     {"|=", "operator.ior", Form::InPlace},
    {"^=", "operator.ixor", Form::InPlace},     {"==", "operator.eq", Form::Binary},
    {"!=", "operator.ne", Form::Binary},        {"<=", "operator.le", Form::Binary},
    {">=", "operator.ge", Form::Binary},        {"<<", "operator.lshift", Form::Binary},
    {">>", "operator.rshift", Form::Binary},    {"//", "operator.floordiv", Form::Binary},
    {"**", "operator.pow", Form::Binary},       {"<", "operator.lt", Form::Binary},
    {">", "operator.gt", Form::Binary},         {"+", "operator.add", Form::Binary},
    {"-", "operator.sub", Form::Binary},        {"*", "operator.mul", Form::Binary},
    {"/", "operator.truediv", Form::Binary},    {"%", "operator.mod", Form::Binary},
    {"&", "operator.and_", Form::Binary},       {"|", "operator.or_", Form::Binary},
    {"^", "operator.xor", Form::Binary},        {"@", "operator.matmul", Form::Binary},
    {"+", "operator.pos", Form::Unary},         {"-", "operator.neg", Form::Unary},
    {"~", "operator.invert", Form::Unary},
};

/// Decodes the text of a Python string literal, of which `rest` is the unread part: "a\x41\n" is a, A and a newline.
/// Fails on an escape that is truncated or names no character, as "\x4" and "\ud800" do.
class Unescaper {
public:
  explicit Unescaper(StringRef rest) : rest_(rest) {}

  std::optional<std::string> run() {
    while (!rest_.empty()) {
      size_t plain = std::min(rest_.find('\\'), rest_.size());
      text_.append(rest_.begin(), plain);
      rest_ = rest_.drop_front(plain);
      if (!rest_.empty() && !escape())
        return std::nullopt;
    }
    return std::move(text_);
  }

private:
  bool escape() {
    if (rest_.size() < 2)
      return false;
    char kind = rest_[1];
    rest_ = rest_.drop_front(2);
    if (size_t at = StringRef("\\'\"abfnrtv\n").find(kind); at != StringRef::npos)
      return simple(at);
    switch (kind) {
    case 'x':
      return codePoint(2);
    case 'u':
      return codePoint(4);
    case 'U':
      return codePoint(8);
    default:
      return octal(kind);
    }
  }

  /// The two strings are parallel: 'n' at index 6 of the first means the newline at index 6 of the second. A backslash
  /// before the end of a line yields nothing, so the second string has no character for it.
  bool simple(size_t index) {
    constexpr StringRef meaning = "\\'\"\a\b\f\n\r\t\v";
    if (index < meaning.size())
      text_.push_back(meaning[index]);
    return true;
  }

  bool codePoint(size_t digits) {
    unsigned value = 0;
    if (rest_.size() < digits || rest_.take_front(digits).getAsInteger(16, value))
      return false;
    rest_ = rest_.drop_front(digits);
    return append(value);
  }

  bool octal(char first) {
    if (first < '0' || first > '7') { // Python keeps an unknown escape unchanged.
      text_ += {'\\', first};
      return true;
    }
    unsigned value = static_cast<unsigned>(first - '0');
    for (int i = 0; i != 2 && !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '7'; ++i) {
      value = value * 8 + static_cast<unsigned>(rest_[0] - '0');
      rest_ = rest_.drop_front();
    }
    return append(value);
  }

  bool append(unsigned value) {
    char buffer[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
    char *end = buffer;
    if (!llvm::ConvertCodePointToUTF8(value, end))
      return false;
    text_.append(buffer, end);
    return true;
  }

  StringRef rest_;
  std::string text_;
};

/// Prints digits with an exponent: "15" and 1 mean 1.5e1. repr() writes the exponent from 16 digits before or 4 zeros
/// after the point.
void printDigits(llvm::raw_ostream &os, StringRef digits, int exponent) {
  if (exponent < -4 || exponent >= 16) {
    os << digits[0];
    if (digits.size() > 1)
      os << '.' << digits.drop_front();
    os << 'e' << (exponent < 0 ? '-' : '+') << (std::abs(exponent) < 10 ? "0" : "") << std::abs(exponent);
  } else if (exponent < 0) {
    os << "0." << std::string(static_cast<size_t>(-exponent - 1), '0') << digits;
  } else {
    auto whole = static_cast<size_t>(exponent) + 1;
    os << digits.take_front(whole);
    if (digits.size() < whole)
      os << std::string(whole - digits.size(), '0');
    os << '.' << (digits.size() > whole ? digits.drop_front(whole) : StringRef("0"));
  }
}

} // namespace

// The first match is the longest, because the table has "<<=" before "<<" and "<<" before "<".
const PythonOperator *findOperator(StringRef text, Form form) {
  const auto *found = llvm::find_if(operators, [&](const PythonOperator &candidate) {
    return candidate.form == form && text.startswith(candidate.symbol);
  });
  return found == std::end(operators) ? nullptr : found;
}

const PythonOperator *operatorOf(StringRef target) {
  if (!target.startswith("operator."))
    return nullptr;
  const auto *found =
      llvm::find_if(operators, [&](const PythonOperator &candidate) { return candidate.target == target; });
  return found == std::end(operators) ? nullptr : found;
}

bool isSymbolName(StringRef word) {
  StringRef letters = word.rtrim("0123456789");
  static constexpr StringRef kinds[] = {"s", "u", "z", "f", "zf", "zuf"};
  return letters.size() != word.size() && llvm::is_contained(kinds, letters);
}

std::string className(StringRef graphName) {
  if (isIdentifier(graphName) && !isPythonKeyword(graphName))
    return graphName.str();
  std::string name = graphName.str();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !llvm::isAlnum(c) && c != '_'; }, '_');
  return isIdentifier(name) && !isPythonKeyword(name) ? name : "_" + name;
}

std::optional<std::string> unescapePython(StringRef body) { return Unescaper(body).run(); }

/// Returns the length of a character that begins the text and is one of two kinds: U+0080 to U+009F, which terminals
/// interpret, or U+2028 and U+2029, which end lines. Returns 0 for any other text.
static size_t wideControlLength(StringRef text) {
  if (text.startswith("\xe2\x80\xa8") || text.startswith("\xe2\x80\xa9"))
    return 3;
  return text.startswith("\xc2") && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xa0 ? 2 : 0;
}

static void printWideControl(llvm::raw_ostream &os, StringRef sequence) {
  unsigned last = static_cast<unsigned char>(sequence.back());
  os << (sequence.size() == 2 ? "\\x" : "\\u20")
     << llvm::format_hex_no_prefix(sequence.size() == 2 ? last : last & 0x3fU, 2);
}

// Quotes as repr() does: single quotes, or double ones where the text has a single quote and no double one.
void printPythonString(llvm::raw_ostream &os, StringRef text) {
  char quote = text.contains('\'') && !text.contains('"') ? '"' : '\'';
  os << quote;
  for (; !text.empty(); text = text.drop_front()) {
    char c = text.front();
    if (size_t length = wideControlLength(text)) {
      printWideControl(os, text.take_front(length));
      text = text.drop_front(length - 1);
    } else if (c == quote || c == '\\')
      os << '\\' << c;
    else if (c == '\n')
      os << "\\n";
    else if (c == '\r')
      os << "\\r";
    else if (c == '\t')
      os << "\\t";
    else if (static_cast<unsigned char>(c) < 32 || c == 127)
      os << "\\x" << llvm::hexdigit(static_cast<unsigned char>(c) >> 4, true) << llvm::hexdigit(c & 15, true);
    else
      os << c;
  }
  os << quote;
}

void printPythonFloat(llvm::raw_ostream &os, double value) {
  if (!std::isfinite(value)) {
    os << (std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    return;
  }
  // to_chars yields the fewest digits that read back as the same number, as repr() does, so only their layout remains.
  char buffer[40];
  auto end = std::to_chars(std::begin(buffer), std::end(buffer), value, std::chars_format::scientific).ptr;
  StringRef text(buffer, static_cast<size_t>(end - buffer));
  if (text.consume_front("-"))
    os << '-';
  auto [mantissa, exponentText] = text.split('e');
  int exponent = 0;
  exponentText.consume_front("+");
  exponentText.getAsInteger(10, exponent);
  std::string digits = mantissa.str();
  llvm::erase_value(digits, '.');
  printDigits(os, digits, exponent);
}

} // namespace ccgraph::fx
