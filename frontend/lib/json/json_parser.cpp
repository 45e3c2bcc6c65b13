#include "json/json_parser.h"

#include "json/json_text.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"

#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

namespace ccgraph {
namespace {

using Json = nlohmann::json;

/// Reads from a shared cursor, so that the callbacks know how far the parser is.
class CountingIterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  explicit CountingIterator(const char **cursor) : cursor_(cursor) {}
  reference operator*() const { return **cursor_; }
  CountingIterator &operator++() {
    ++*cursor_;
    return *this;
  }
  CountingIterator operator++(int) {
    ++*cursor_;
    return *this;
  }
  /// The other side is always the end of the text, which is its own cursor.
  friend bool operator==(const CountingIterator &a, const CountingIterator &b) { return *a.cursor_ == *b.cursor_; }
  friend bool operator!=(const CountingIterator &a, const CountingIterator &b) { return *a.cursor_ != *b.cursor_; }

private:
  const char **cursor_;
};

/// A streamed container has no value; a whole one collects its members.
struct OpenContainer {
  JsonValue *value = nullptr;
  JsonValue *last = nullptr;
};

/// What nlohmann calls; builds values and passes them on.
class Events {
public:
  Events(const SourceText &source, JsonSink &sink) : source_(source), sink_(sink) {}

  const char **cursor() { return &cursor_; }
  llvm::Error takeError() {
    if (failed_)
      return makeError(std::move(error_));
    return llvm::Error::success();
  }

  // The names from here on are nlohmann's.
  bool null() { return scalar(JsonKind::Null) != nullptr && finish(); }
  bool boolean(bool value) {
    scalar(JsonKind::Bool)->boolean = value;
    return finish();
  }
  bool number_integer(int64_t value) { // NOLINT(readability-identifier-naming)
    scalar(JsonKind::Integer)->integer = value;
    return finish();
  }
  bool number_unsigned(uint64_t value) { // NOLINT(readability-identifier-naming)
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      scalar(JsonKind::HugeInteger)->text = save(std::to_string(value));
    else
      scalar(JsonKind::Integer)->integer = static_cast<int64_t>(value);
    return finish();
  }
  bool number_float(double value, const std::string &text) { // NOLINT(readability-identifier-naming)
    if (llvm::StringRef(text).find_first_of(".eE") == llvm::StringRef::npos) {
      scalar(JsonKind::HugeInteger)->text = save(text);
      return finish();
    }
    scalar(JsonKind::Float)->real = value;
    return finish();
  }
  bool string(std::string &text) {
    scalar(JsonKind::String)->text = save(text);
    return finish();
  }
  bool binary(Json::binary_t & /*unused*/) { return false; }
  bool key(std::string &text) {
    key_ = save(text);
    previousEnd_ = offset();
    return true;
  }
  bool start_object(size_t /*unknown*/) { return open(JsonKind::Object); } // NOLINT(readability-identifier-naming)
  bool start_array(size_t /*unknown*/) { return open(JsonKind::Array); }   // NOLINT(readability-identifier-naming)
  bool end_object() { return close(); }                                    // NOLINT(readability-identifier-naming)
  bool end_array() { return close(); }                                     // NOLINT(readability-identifier-naming)
  bool parse_error(size_t position, const std::string & /*token*/,         // NOLINT(readability-identifier-naming)
                   const Json::exception &error);

private:
  [[nodiscard]] size_t offset() const { return static_cast<size_t>(cursor_ - source_.text.data()); }
  llvm::StringRef save(llvm::StringRef text) { return text.copy(arena_); }

  JsonValue *scalar(JsonKind kind) {
    auto *value = new (arena_.Allocate<JsonValue>()) JsonValue();
    value->kind = kind;
    value->key = key_;
    value->offset = skipJsonSeparators(source_.text, previousEnd_);
    key_ = {};
    if (!open_.empty() && open_.back().value)
      append(open_.back(), value);
    current_ = value;
    return value;
  }
  static void append(OpenContainer &container, JsonValue *value) {
    (container.last ? container.last->next : container.value->first) = value;
    container.last = value;
    ++container.value->count;
  }

  /// Hands over a value that stands on its own and takes back its memory.
  bool finish() {
    previousEnd_ = offset();
    if (!open_.empty() && open_.back().value)
      return true;
    bool go = sink_.value(*current_);
    arena_.Reset();
    return go;
  }

  bool open(JsonKind kind) {
    size_t start = skipJsonSeparators(source_.text, previousEnd_);
    if (open_.size() == maxJsonDepth)
      return fail(start, "the text nests deeper than " + std::to_string(maxJsonDepth) + " levels");
    bool nested = !open_.empty() && open_.back().value;
    if (!nested && sink_.enter({kind, key_, start})) {
      open_.push_back({});
      key_ = {};
    } else {
      JsonValue *value = scalar(kind);
      open_.push_back({value, nullptr});
    }
    previousEnd_ = offset();
    return true;
  }

  bool close() {
    JsonValue *value = open_.pop_back_val().value;
    previousEnd_ = offset();
    if (!value) {
      sink_.leave();
      return true;
    }
    value->end = offset();
    current_ = value;
    return finish();
  }

  bool fail(size_t at, std::string message, std::string repair = "") {
    failed_ = true;
    error_ = diagnoseAt(source_, at, std::move(message), std::move(repair));
    error_.where = jsonPointerAt(source_.text, at);
    return false;
  }

  const SourceText &source_;
  JsonSink &sink_;
  const char *cursor_ = source_.text.data();
  size_t previousEnd_ = 0;
  llvm::BumpPtrAllocator arena_;
  llvm::SmallVector<OpenContainer, 16> open_;
  JsonValue *current_ = nullptr;
  llvm::StringRef key_;
  bool failed_ = false;
  Diagnostic error_;
};

/// nlohmann's own words without their number, place and the quoted token (which may be megabytes long).
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

bool Events::parse_error(size_t position, const std::string &, const Json::exception &error) {
  size_t at = std::min(position ? position - 1 : 0, source_.text.size());
  bool early = at + 1 >= source_.text.size() && llvm::StringRef(error.what()).contains("end of input");
  return fail(early ? source_.text.size() : at, syntaxMessage(error.what()),
              early ? "the file ends early: was it cut off?" : "");
}

} // namespace

llvm::Error parseJson(const SourceText &source, JsonSink &sink) {
  Events events(source, sink);
  const char *end = source.text.end();
  Json::sax_parse(CountingIterator(events.cursor()), CountingIterator(&end), &events);
  return events.takeError();
}

} // namespace ccgraph
