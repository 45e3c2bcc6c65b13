#include "json/json_parser.h"

#include "json/json_syntax.h"
#include "json/json_text.h"

#include "llvm/Support/Allocator.h"

#include <optional>
#include <simdjson.h>

namespace ccgraph {
namespace {

namespace ondemand = simdjson::ondemand;

/// A whole value whose members are being collected.
struct Collection {
  JsonValue *value = nullptr;
  JsonValue *last = nullptr;
};

/// Returns the text of a string token without escapes, which needs no copy; nothing where the token has escapes.
std::optional<llvm::StringRef> plainText(llvm::StringRef afterQuote) {
  llvm::StringRef text = afterQuote.take_front(afterQuote.find('"'));
  return text.contains('\\') ? std::nullopt : std::optional(text);
}

llvm::StringRef toRef(std::string_view text) { return {text.data(), text.size()}; }

/// Builds values from simdjson's tokens and passes them to the sink. Each step returns whether to continue; false
/// without a recorded error means that the sink stopped the parser. simdjson reads on demand: a value must be read
/// once, when it is reached, in the order of the text. The walk follows the nesting of the text. At each container the
/// sink chooses the members one by one (enter) or the whole. For a graph file it enters the object and its "nodes", and
/// receives each node whole:
///   {"nodes": [{"name": "x"}, {"name": "y"}]}    enter {}, enter "nodes", value {x}, value {y}, leave, leave
/// A whole value is built in the arena, with its members as a linked list; the arena is reset after the sink's call. So
/// a file of gigabytes needs the memory of its largest node only.
class Walk {
public:
  /// `text` is the text of the source from `shift` on, with slack.
  Walk(const SourceText &source, simdjson::padded_string_view text, size_t shift, JsonSink &sink)
      : source_(source), text_(toRef(text)), shift_(shift), sink_(sink) {}

  llvm::Error run(ondemand::parser &parser, simdjson::padded_string_view text) {
    bool whole = took(parser.iterate(text).get(document_)) && visit(document_, {}, nullptr) &&
                 (atEnd() || took(simdjson::TAPE_ERROR));
    if (whole || (code_ == simdjson::SUCCESS && !tooDeep_))
      return llvm::Error::success();
    return tooDeep_ ? nestsTooDeep() : syntaxError();
  }

private:
  bool took(simdjson::error_code code) {
    code_ = code;
    return code == simdjson::SUCCESS;
  }

  bool atEnd() {
    const char *next = nullptr;
    return document_.current_location().get(next) == simdjson::OUT_OF_BOUNDS;
  }

  /// `from` is the document, or a value in it. `parent` is null where the value is passed on by its own.
  template <typename Source>
  bool visit(Source &from, llvm::StringRef key, Collection *parent) {
    ondemand::json_type type;
    std::string_view view;
    if (!took(from.type().get(type)) || !took(tokenOf(from, view)))
      return false;
    llvm::StringRef token = toRef(view);
    JsonOpening opening{JsonKind::Null, key, offsetOf(token.data())};
    switch (type) {
    case ondemand::json_type::array:
      opening.kind = JsonKind::Array;
      return visitContainer<ondemand::array>(from, opening, parent);
    case ondemand::json_type::object:
      opening.kind = JsonKind::Object;
      return visitContainer<ondemand::object>(from, opening, parent);
    case ondemand::json_type::string:
      return readString(from, token, make(JsonKind::String, opening, parent)) && finish(parent);
    case ondemand::json_type::number:
      return readNumber(from, token.rtrim(" \t\r\n"), make(JsonKind::Integer, opening, parent)) && finish(parent);
    case ondemand::json_type::boolean:
      return took(from.get_bool().get(make(JsonKind::Bool, opening, parent).boolean)) && finish(parent);
    case ondemand::json_type::null:
      make(JsonKind::Null, opening, parent);
      return readNull(from) && finish(parent);
    }
    return took(simdjson::TAPE_ERROR);
  }

  /// A document may fail to return its token; a value may not.
  static simdjson::error_code tokenOf(ondemand::document &from, std::string_view &token) {
    return from.raw_json_token().get(token);
  }
  static simdjson::error_code tokenOf(ondemand::value &from, std::string_view &token) {
    token = from.raw_json_token();
    return simdjson::SUCCESS;
  }

  /// Appends a value to the members of `parent`. The last member is stored, so a list of a million elements stays
  /// linear.
  JsonValue &make(JsonKind kind, const JsonOpening &opening, Collection *parent) {
    current_ = new (arena_.Allocate<JsonValue>()) JsonValue();
    current_->kind = kind;
    current_->key = opening.key;
    current_->offset = opening.offset;
    if (parent) {
      (parent->last ? parent->last->next : parent->value->first) = current_;
      parent->last = current_;
      ++parent->value->count;
    }
    return *current_;
  }

  /// Passes a complete value without a parent to the sink and frees its memory.
  bool finish(const Collection *parent) {
    if (parent)
      return true;
    bool go = sink_.value(*current_);
    arena_.Reset();
    return go;
  }

  template <typename Source>
  bool readString(Source &from, llvm::StringRef token, JsonValue &made) {
    if (auto text = plainText(token.drop_front())) {
      ondemand::raw_json_string raw;
      made.text = *text;
      return took(from.get_raw_json_string().get(raw));
    }
    std::string_view decoded;
    if (!took(from.get_string().get(decoded)))
      return false;
    made.text = toRef(decoded);
    return true;
  }

  template <typename Source>
  bool readNumber(Source &from, llvm::StringRef token, JsonValue &made) {
    if (token.find_first_of(".eE") != llvm::StringRef::npos) {
      made.kind = JsonKind::Float;
      return took(from.get_double().get(made.real));
    }
    if (took(from.get_int64().get(made.integer)))
      return true;
    if (!isHuge(token))
      return false;
    // simdjson has no number type for it, so it is skipped as a double.
    double passedOver = 0;
    made.kind = JsonKind::HugeInteger;
    made.integer = 0;
    made.text = token;
    return took(from.get_double().get(passedOver));
  }

  /// Returns true for a JSON integer that signed 64 bits may not hold.
  static bool isHuge(llvm::StringRef token) {
    token.consume_front("-");
    return token.size() >= 19 && token.front() != '0' && token.find_first_not_of("0123456789") == llvm::StringRef::npos;
  }

  template <typename Source>
  bool readNull(Source &from) {
    bool isNull = false;
    return took(from.is_null().get(isNull)) && (isNull || took(simdjson::N_ATOM_ERROR));
  }

  template <typename Container, typename Source>
  bool visitContainer(Source &from, const JsonOpening &opening, Collection *parent) {
    Container members;
    if (depth_ == maxJsonDepth) {
      tooDeep_ = opening.offset;
      return false;
    }
    if (!took(open(from, members)))
      return false;
    ++depth_;
    bool streamed = !parent && sink_.enter(opening);
    bool go = streamed ? visitMembers(members, nullptr) && leave() : collect(members, opening, parent);
    --depth_;
    return go;
  }
  template <typename Source>
  static simdjson::error_code open(Source &from, ondemand::array &members) {
    return from.get_array().get(members);
  }
  template <typename Source>
  static simdjson::error_code open(Source &from, ondemand::object &members) {
    return from.get_object().get(members);
  }

  bool leave() {
    sink_.leave();
    return true;
  }

  template <typename Container>
  bool collect(Container &members, const JsonOpening &opening, Collection *parent) {
    Collection collection{&make(opening.kind, opening, parent), nullptr};
    if (!visitMembers(members, &collection))
      return false;
    collection.value->end = endOfContainer();
    current_ = collection.value;
    return finish(parent);
  }

  bool visitMembers(ondemand::array &elements, Collection *parent) {
    for (auto &&element : elements) {
      ondemand::value from;
      if (!took(std::move(element).get(from)) || !visit(from, {}, parent))
        return false;
    }
    return true;
  }

  bool visitMembers(ondemand::object &members, Collection *parent) {
    for (auto &&member : members) {
      ondemand::field field;
      llvm::StringRef key;
      if (!took(std::move(member).get(field)) || !readKey(field, key) || !visit(field.value(), key, parent))
        return false;
    }
    return true;
  }

  bool readKey(ondemand::field &field, llvm::StringRef &key) {
    if (auto text = plainText(text_.drop_front(static_cast<size_t>(field.key().raw() - text_.data())))) {
      key = *text;
      return true;
    }
    std::string_view decoded;
    if (!took(field.unescaped_key().get(decoded)))
      return false;
    key = toRef(decoded);
    return true;
  }

  [[nodiscard]] size_t offsetOf(const char *place) const { return static_cast<size_t>(place - text_.data()) + shift_; }

  /// Returns the position after the last closing bracket: simdjson is at the token that follows.
  size_t endOfContainer() {
    const char *next = nullptr;
    if (document_.current_location().get(next) != simdjson::SUCCESS)
      next = text_.end();
    return offsetOf(text_.take_front(static_cast<size_t>(next - text_.data())).rtrim(" \t\r\n").end());
  }

  llvm::Error nestsTooDeep() {
    Diagnostic error =
        diagnoseAt(source_, *tooDeep_, "the text nests deeper than " + std::to_string(maxJsonDepth) + " levels");
    error.where = jsonPointerAt(source_.text, *tooDeep_);
    return makeError(std::move(error));
  }

  llvm::Error syntaxError() {
    if (llvm::Error error = jsonSyntaxError(source_))
      return error;
    // simdjson may reject a text for a reason of its own, such as a size of 4 GiB.
    return makeError(diagnoseAt(source_, shift_, std::string("this is not JSON: ") + simdjson::error_message(code_)));
  }

  const SourceText &source_;
  llvm::StringRef text_;
  size_t shift_;
  JsonSink &sink_;
  ondemand::document document_;
  llvm::BumpPtrAllocator arena_;
  JsonValue *current_ = nullptr;
  unsigned depth_ = 0;
  std::optional<size_t> tooDeep_; ///< the place
  simdjson::error_code code_ = simdjson::SUCCESS;
};

constexpr llvm::StringLiteral byteOrderMark = "\xef\xbb\xbf";

} // namespace

llvm::Error parseJson(const SourceText &source, JsonSink &sink) {
  size_t shift = source.text.startswith(byteOrderMark) ? byteOrderMark.size() : 0;
  llvm::StringRef text = source.text.drop_front(shift);
  std::string copy;
  if (source.slack < simdjson::SIMDJSON_PADDING) {
    copy.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    copy.append(text.data(), text.size());
    text = copy;
  }
  ondemand::parser parser;
  simdjson::padded_string_view padded(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING);
  return Walk(source, padded, shift, sink).run(parser, padded);
}

} // namespace ccgraph
