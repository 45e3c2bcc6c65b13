#include "json/json_text.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace ccgraph {
namespace {

bool isBlank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

size_t endOfScalar(llvm::StringRef text, size_t offset) {
  if (text.substr(offset).startswith("\""))
    return endOfJsonString(text, offset);
  size_t end = text.find_first_of(" \t\r\n,:]}", offset);
  return std::min(end, text.size());
}

llvm::StringRef rawText(llvm::StringRef text, const JsonValue &value) {
  bool container = value.is(JsonKind::Array) || value.is(JsonKind::Object);
  size_t end = container ? value.end : endOfScalar(text, value.offset);
  return text.slice(value.offset, end);
}

/// Pointers with more steps are abbreviated.
constexpr size_t maxPointerSteps = 24;

/// The state of a scan: the step within each open container.
struct PointerStep {
  bool isObject = false;
  bool hasKey = false;
  unsigned index = 0;
  llvm::StringRef key;
};

/// Finds the JSON pointer of a byte by walking over the text before it, with a stack of open containers. A comma steps
/// to the next element, and a string before a colon names the member. For the byte of 7 in {"a": [5, {"b": 7}]} the
/// stack is the object at "a", the array at 1 and the object at "b": /a/1/b.
class PointerScan {
public:
  explicit PointerScan(llvm::StringRef text) : text_(text) {}

  std::string run(size_t target) {
    size_t at = 0;
    while (at < std::min(target, text_.size()))
      at = step(at, target);
    return spell();
  }

private:
  size_t step(size_t at, size_t target) {
    char c = text_[at];
    if (c == '"')
      return string(at, target);
    if (c == '{' || c == '[')
      open_.push_back({c == '{', false, 0, {}});
    else if ((c == '}' || c == ']') && !open_.empty())
      open_.pop_back();
    else if (c == ',' && !open_.empty())
      ++open_.back().index;
    return at + 1;
  }

  size_t string(size_t at, size_t target) {
    size_t end = endOfJsonString(text_, at);
    size_t colon = end;
    while (colon < text_.size() && isBlank(text_[colon]))
      ++colon;
    bool isKey = !open_.empty() && open_.back().isObject && colon < text_.size() && text_[colon] == ':';
    if (isKey && end <= target) {
      open_.back().key = text_.slice(at + 1, end - 1);
      open_.back().hasKey = true;
    }
    return end;
  }

  std::string spell() const {
    std::string pointer;
    for (const PointerStep &step : llvm::ArrayRef<PointerStep>(open_).take_front(maxPointerSteps))
      if (!step.isObject || step.hasKey)
        pointer += "/" + (step.isObject ? escapePointerStep(step.key) : llvm::utostr(step.index));
    return pointer + (open_.size() > maxPointerSteps ? "/..." : "");
  }

  llvm::StringRef text_;
  llvm::SmallVector<PointerStep, 16> open_;
};

/// Returns the length of the UTF-8 sequence at the front, 0 where there is none.
size_t utf8Length(llvm::StringRef text) {
  const auto *first = reinterpret_cast<const llvm::UTF8 *>(text.data());
  size_t length = llvm::getNumBytesForUTF8(*first);
  if (length > text.size() || !llvm::isLegalUTF8Sequence(first, first + length))
    return 0;
  return length;
}

/// True for the bytes that need no escape: printable ASCII except '"' and '\'.
constexpr std::array<bool, 256> plainBytes = [] {
  std::array<bool, 256> table = {};
  for (unsigned c = 0x20; c < 0x7f; ++c)
    table[c] = c != '"' && c != '\\';
  return table;
}();

/// Returns the character that begins the text if it is U+0080 to U+009F, which terminals interpret, or U+2028 or
/// U+2029, which end lines.
std::optional<unsigned> wideControl(llvm::StringRef text) {
  if (text.startswith("\xe2\x80\xa8") || text.startswith("\xe2\x80\xa9"))
    return 0x2000 + (static_cast<unsigned char>(text[2]) & 0x3fU);
  if (text.startswith("\xc2") && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xa0)
    return static_cast<unsigned char>(text[1]);
  return std::nullopt;
}

/// Writes one escape or sequence and returns how many bytes of the text it represents.
size_t writeSpecial(llvm::raw_ostream &os, llvm::StringRef rest) {
  static constexpr llvm::StringLiteral named = "\"\"\\\\b\bf\fn\nr\rt\t";
  auto c = static_cast<unsigned char>(rest.front());
  for (size_t i = 0; i < named.size(); i += 2)
    if (named[i + 1] == rest.front()) {
      os << '\\' << named[i];
      return 1;
    }
  if (c < 0x80) {
    os << "\\u00" << llvm::hexdigit(c >> 4, true) << llvm::hexdigit(c & 15, true);
    return 1;
  }
  if (std::optional<unsigned> control = wideControl(rest)) {
    os << "\\u" << llvm::format_hex_no_prefix(*control, 4);
    return *control < 0x100 ? 2 : 3;
  }
  size_t length = utf8Length(rest);
  os << (length ? rest.take_front(length) : llvm::StringRef("\xef\xbf\xbd"));
  return std::max<size_t>(length, 1);
}

} // namespace

size_t endOfJsonString(llvm::StringRef text, size_t offset) {
  for (size_t i = offset + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return text.size();
}

std::string jsonPointerAt(llvm::StringRef text, size_t offset) { return PointerScan(text).run(offset); }

// RFC 6901: in a JSON pointer "~0" is '~' and "~1" is '/', so that "/a~1b/0" is element 0 of the member "a/b".
std::string escapePointerStep(llvm::StringRef step) {
  std::string out;
  for (char c : step)
    out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return out;
}

std::string unescapePointerStep(llvm::StringRef step) {
  std::string out;
  for (size_t i = 0; i < step.size(); ++i) {
    bool escape = step[i] == '~' && i + 1 < step.size();
    out += escape ? (step[++i] == '1' ? '/' : '~') : step[i];
  }
  return out;
}

/// Appends the text with escapes for the control characters that JSON allows in strings.
static void appendVisibly(std::string &out, llvm::StringRef raw) {
  llvm::raw_string_ostream os(out);
  while (!raw.empty()) {
    size_t length = std::min(raw.find_first_of("\x7f\xc2\xe2"), raw.size());
    os << raw.take_front(length);
    raw = raw.drop_front(length);
    if (raw.empty())
      break;
    std::optional<unsigned> control = raw.front() == 0x7f ? std::optional(0x7fU) : wideControl(raw);
    if (control)
      os << "\\u" << llvm::format_hex_no_prefix(*control, 4);
    else
      os << raw.front();
    raw = raw.drop_front(!control || *control == 0x7f ? 1 : *control < 0x100 ? 2 : 3);
  }
}

// Changes blanks only. Numbers and strings keep their form, because this is applied to unknown keys: 1.50 or "\u0041"
// may have a meaning for their author.
std::string canonicalJson(llvm::StringRef text, const JsonValue &value) {
  llvm::StringRef raw = rawText(text, value);
  std::string out;
  for (size_t i = 0; i < raw.size();) {
    size_t end = raw[i] == '"' ? endOfJsonString(raw, i) : i + 1;
    if (!isBlank(raw[i]))
      appendVisibly(out, raw.slice(i, end));
    if (raw[i] == ',' || raw[i] == ':')
      out += ' ';
    i = end;
  }
  return out;
}

std::string excerptOf(llvm::StringRef text, const JsonValue &value) {
  constexpr size_t limit = 60;
  llvm::StringRef raw = rawText(text, value);
  raw = raw.take_front(raw.find('\n'));
  return raw.size() <= limit ? raw.str() : raw.take_front(limit).str() + "...";
}

void writeJsonStringBody(llvm::raw_ostream &os, llvm::StringRef text) {
  while (!text.empty()) {
    const auto *stop =
        std::find_if(text.begin(), text.end(), [](char c) { return !plainBytes[static_cast<uint8_t>(c)]; });
    os << text.take_front(static_cast<size_t>(stop - text.begin()));
    text = text.drop_front(static_cast<size_t>(stop - text.begin()));
    if (!text.empty())
      text = text.drop_front(writeSpecial(os, text));
  }
}

void writeJsonString(llvm::raw_ostream &os, llvm::StringRef text) {
  os << '"';
  writeJsonStringBody(os, text);
  os << '"';
}

// Writes the shortest digits that read back as the same number. A whole number gets ".0", because 2 would read back as
// an integer.
void writeJsonDouble(llvm::raw_ostream &os, double value) {
  std::array<char, 32> buffer;
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  llvm::StringRef digits(buffer.data(), static_cast<size_t>(end - buffer.data()));
  os << digits;
  if (digits.find_first_of(".e") == llvm::StringRef::npos)
    os << ".0";
}

} // namespace ccgraph
