#include "json/file_header.h"

#include "json/json_text.h"

namespace ccgraph {
namespace {

constexpr int supportedMajor = 1;
constexpr int supportedMinor = 0;

} // namespace

static constexpr llvm::StringLiteral blanks = " \t\r\n";

/// Returns the string value of a member whose key ends at `end`; nothing where there is no key, or the value is not a
/// string.
static std::optional<llvm::StringRef> textAfterKey(llvm::StringRef text, size_t end) {
  llvm::StringRef rest = text.drop_front(end).ltrim(blanks);
  if (!rest.consume_front(":"))
    return std::nullopt;
  rest = rest.ltrim(blanks);
  if (!rest.startswith("\""))
    return llvm::StringRef();
  return rest.slice(1, endOfJsonString(rest, 0) - 1);
}

llvm::StringRef statedFormat(llvm::StringRef text) {
  text.consume_front("\xef\xbb\xbf");
  text = text.ltrim(blanks);
  unsigned depth = 0;
  for (size_t at = 0; at < text.size();) {
    char c = text[at];
    if (depth == 0 && c != '{')
      return {};
    depth += (c == '{' || c == '[') ? 1 : 0;
    depth -= (c == '}' || c == ']') ? 1 : 0;
    size_t end = c == '"' ? endOfJsonString(text, at) : at + 1;
    if (depth == 1 && text.slice(at, end) == "\"format\"")
      if (auto stated = textAfterKey(text, end))
        return *stated;
    at = end;
  }
  return {};
}

bool FileHeader::read(const JsonValue &member) {
  return member.key == "format" ? readFormat(member) : readVersion(member);
}

bool FileHeader::readFormat(const JsonValue &value) {
  sawFormat_ = true;
  foreign_ = value.text != kind_.format;
  if (foreign_)
    report_.expected(value, "\"" + kind_.format + "\"", kind_.other.str());
  return !foreign_;
}

// Version 1.0 is read. 1.7 is read with a warning: a newer minor version only adds keys and may be read without them.
// 2.0 is rejected, since its known keys may have another meaning.
bool FileHeader::readVersion(const JsonValue &value) {
  sawVersion_ = true;
  auto [majorText, minorText] = value.text.split('.');
  int major = 0;
  int minor = 0;
  if (majorText.getAsInteger(10, major) || minorText.getAsInteger(10, minor) || major < 0 || minor < 0) {
    report_.expected(value, "a version \"major.minor\", such as \"1.0\"");
    return true;
  }
  foreign_ = major != supportedMajor;
  newer_ = !foreign_ && minor > supportedMinor;
  if (foreign_)
    report_.expected(value, "version " + llvm::Twine(supportedMajor) + ".x",
                     "another major version has other keys and meanings: use a ccgraph that reads it");
  else if (newer_)
    report_.warning(value.offset,
                    "version " + value.text.str() + " is newer than " + std::to_string(supportedMajor) + "." +
                        std::to_string(supportedMinor),
                    kind_.newer.str());
  return !foreign_;
}

void FileHeader::finish(size_t offset) {
  if (foreign_)
    return;
  if (!sawFormat_)
    report_.error(
        offset,
        ("this JSON does not state that it is " + kind_.noun + ": expected \"format\": \"" + kind_.format + "\"").str(),
        kind_.manual.str());
  else if (!sawVersion_)
    report_.error(offset, "expected \"version\": \"1.0\"");
}

bool FileHeader::readFrom(const JsonValue &file) {
  if (!file.is(JsonKind::Object)) {
    report_.expected(file, "an object");
    return false;
  }
  for (const JsonValue &member : file.elements())
    if (holds(member.key) && !read(member))
      return false;
  finish(file.offset);
  return isOurs();
}

} // namespace ccgraph
