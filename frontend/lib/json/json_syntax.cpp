#include "json/json_syntax.h"

#include "json/json_text.h"

#include <cstring>
#include <nlohmann/json.hpp>

namespace ccgraph {
namespace {

using Json = nlohmann::json;

// Shortens "[json.exception.parse_error.101] parse error at line 1, column 8: syntax error while parsing object key -
// unexpected '}'; expected string literal" to "this is not JSON: unexpected '}' in object key; expected string
// literal".

/// Returns nlohmann's message without its number, place and the quoted token (which may be megabytes long).
std::string syntaxMessage(llvm::StringRef what) {
  size_t start = what.find("syntax error ");
  if (start == llvm::StringRef::npos)
    return "a number is out of range";
  what = what.substr(start + strlen("syntax error "));
  llvm::StringRef expected;
  if (size_t at = what.rfind("; expected "); at != llvm::StringRef::npos)
    expected = what.substr(at);
  what = what.take_front(what.find("; last read:")).take_front(what.find("; expected "));
  what.consume_front("while parsing ");
  auto [context, problem] = what.split(" - ");
  return ("this is not JSON: " + problem + " in " + context + expected).str();
}

/// Receives nothing but the error. The names are nlohmann's.
class Listener : public nlohmann::json_sax<Json> {
public:
  explicit Listener(const SourceText &source) : source_(source) {}
  llvm::Error take() { return failed_ ? makeError(std::move(error_)) : llvm::Error::success(); }

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(int64_t /*value*/) override { return true; }
  bool number_unsigned(uint64_t /*value*/) override { return true; }
  bool number_float(double /*value*/, const std::string & /*text*/) override { return true; }
  bool string(std::string & /*text*/) override { return true; }
  bool binary(Json::binary_t & /*value*/) override { return true; }
  bool key(std::string & /*text*/) override { return true; }
  bool start_object(size_t /*size*/) override { return true; }
  bool start_array(size_t /*size*/) override { return true; }
  bool end_object() override { return true; }
  bool end_array() override { return true; }
  bool parse_error(size_t position, const std::string & /*token*/, const Json::exception &error) override {
    failed_ = true;
    llvm::StringRef text = source_.text;
    size_t at = std::min(position ? position - 1 : 0, text.size());
    bool early = at + 1 >= text.size() && llvm::StringRef(error.what()).contains("end of input");
    at = early ? text.size() : at;
    error_ = diagnoseAt(source_, at, syntaxMessage(error.what()), early ? "the file ends early: was it cut off?" : "");
    error_.where = jsonPointerAt(text, at);
    return false;
  }

private:
  const SourceText &source_;
  bool failed_ = false;
  Diagnostic error_;
};

} // namespace

llvm::Error jsonSyntaxError(const SourceText &source) {
  Listener listener(source);
  Json::sax_parse(source.text.begin(), source.text.end(), &listener);
  return listener.take();
}

} // namespace ccgraph
