#include "flight/pickle.h"

#include "json/json_parser.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/StringSaver.h"

#include <bit>
#include <deque>
#include <map>
#include <vector>

namespace ccgraph {
namespace {

using llvm::Twine;

/// A value on the stack. Containers may still grow, and the memo may refer to them, so they refer to their elements.
struct Made {
  JsonKind kind = JsonKind::Null;
  bool boolean = false;
  /// on the stack only until the next instruction pops everything above it
  bool isMark = false;
  union {
    int64_t integer = 0; ///< Integer
    double real;         ///< Float
  };
  llvm::StringRef text;
  size_t offset = 0;
  /// elements of an array; keys and values of an object in turns
  std::vector<Made *> elements;
};

class PickleMachine {
public:
  PickleMachine(const SourceText &source, llvm::BumpPtrAllocator &arena, const PickleForm &form)
      : source_(source), text_(source.text), arena_(arena), form_(form) {}

  llvm::Expected<const JsonValue *> run() {
    while (!done_ && !failed_)
      step();
    if (failed_)
      return makeError(std::move(diagnostic_));
    const JsonValue *root = copy(*stack_.back(), 0);
    if (failed_)
      return makeError(std::move(diagnostic_));
    return root;
  }

private:
  void fail(const Twine &message, const Twine &repair = "") {
    if (!failed_)
      diagnostic_ = diagnoseByte(source_, opcode_, message.str(), repair.str());
    failed_ = true;
  }

  // --- Bytes ------------------------------------------------------------------------------------------------
  llvm::StringRef take(uint64_t count) {
    if (count > text_.size() - at_) {
      fail("the pickle ends in the middle of an instruction, expected " + Twine(count) + " more bytes, got " +
           Twine(text_.size() - at_));
      return {};
    }
    llvm::StringRef bytes = text_.substr(at_, count);
    at_ += count;
    return bytes;
  }
  /// Reads a little-endian number.
  uint64_t number(unsigned bytes) {
    uint64_t value = 0;
    llvm::StringRef taken = take(bytes);
    for (size_t i = 0; i < taken.size(); ++i)
      value |= uint64_t(static_cast<uint8_t>(taken[i])) << (8 * i);
    return value;
  }

  // --- The stack --------------------------------------------------------------------------------------------
  /// Returns the largest number of values. A value of a recorder's dump takes more than two bytes, so memory stays
  /// below 100 times the file.
  [[nodiscard]] size_t mostValues() const {
    constexpr size_t always = size_t(1) << 18;
    return std::min(mostPickledValues, std::max(always, text_.size() / 2));
  }
  Made *push(JsonKind kind) {
    if (made_.size() >= mostValues())
      fail("makes more than " + Twine(mostValues()) + " values, expected at most one for two bytes of the file");
    made_.emplace_back();
    made_.back().kind = kind;
    made_.back().offset = opcode_;
    stack_.push_back(&made_.back());
    return stack_.back();
  }
  void pushText(uint64_t length) { push(JsonKind::String)->text = take(length); }
  void pushInteger(int64_t value) { push(JsonKind::Integer)->integer = value; }

  /// Pops the values above the last mark, and the mark.
  std::vector<Made *> popToMark() {
    for (size_t i = stack_.size(); i-- > 0;)
      if (stack_[i]->isMark) {
        std::vector<Made *> values(stack_.begin() + static_cast<std::ptrdiff_t>(i) + 1, stack_.end());
        stack_.resize(i);
        --marks_;
        return values;
      }
    fail("needs a mark, and there is none on the stack");
    return {};
  }
  std::vector<Made *> pop(size_t count) {
    if (stack_.size() < count) {
      fail("needs " + Twine(count) + " values, and the stack has " + Twine(stack_.size()));
      return {};
    }
    std::vector<Made *> values(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    if (values.end() != std::find_if(values.begin(), values.end(), [](const Made *made) { return made->isMark; }))
      fail("needs a value, and a mark is in its place");
    return values;
  }
  void pushArray(const std::vector<Made *> &elements) {
    if (!failed_)
      push(JsonKind::Array)->elements = elements;
  }
  /// Appends to the container at the top of the stack.
  void extend(JsonKind kind, const std::vector<Made *> &values) {
    if (failed_)
      return;
    if (stack_.empty() || stack_.back()->isMark || stack_.back()->kind != kind)
      return fail(kind == JsonKind::Array ? "adds to what is no list" : "adds to what is no dictionary");
    if (kind == JsonKind::Object && values.size() % 2 != 0)
      return fail("adds a key without a value");
    for (size_t i = 0; kind == JsonKind::Object && i < values.size(); i += 2)
      if (values[i]->kind == JsonKind::Integer)
        asKey(*values[i]);
      else if (values[i]->kind != JsonKind::String)
        return fail("adds a key that is neither a string nor a whole number");
    stack_.back()->elements.insert(stack_.back()->elements.end(), values.begin(), values.end());
  }
  /// Converts a value to a key: keys of objects are strings, as in JSON.
  void asKey(Made &value) {
    value.kind = JsonKind::String;
    value.text = llvm::StringSaver(arena_).save(std::to_string(value.integer));
  }

  void put(uint64_t index) {
    if (stack_.empty() || stack_.back()->isMark)
      return fail("names an empty stack");
    memo_[index] = stack_.back();
  }
  void get(uint64_t index) {
    auto found = memo_.find(index);
    if (found == memo_.end())
      return fail("refers to number " + Twine(index) + " of the named objects, which does not exist");
    stack_.push_back(found->second);
  }

  // --- Numbers ----------------------------------------------------------------------------------------------
  void pushFloat() {
    llvm::StringRef bytes = take(8);
    if (!failed_)
      push(JsonKind::Float)->real = std::bit_cast<double>(llvm::support::endian::read64be(bytes.data()));
  }
  /// Pushes a two's complement number of any length.
  void pushLong(uint64_t length) {
    llvm::StringRef bytes = take(length);
    if (failed_)
      return;
    if (length > 8) {
      push(JsonKind::HugeInteger)->text = "an integer of more than 64 bits";
      return;
    }
    uint64_t value = length != 0 && (bytes.back() & 0x80) != 0 ? ~uint64_t{0} : 0;
    for (size_t i = length; i-- > 0;)
      value = value << 8 | static_cast<uint8_t>(bytes[i]);
    pushInteger(static_cast<int64_t>(value));
  }

  // --- Instructions -----------------------------------------------------------------------------------------
  void step() {
    opcode_ = at_;
    llvm::StringRef code = take(1);
    if (failed_)
      return;
    if (scalar(code.front()) || container(code.front()) || machinery(code.front()))
      return;
    fail("got " + opcodeText(code.front()) +
             ", which is no plain data; expected instructions that build lists, tuples, "
             "dictionaries, strings and numbers",
         form_.what + Twine(" has no others: do not unpickle this file"));
  }

  bool scalar(char code) {
    switch (code) {
    case 'N':
      return push(JsonKind::Null), true;
    case '\x88':
    case '\x89':
      return push(JsonKind::Bool)->boolean = code == '\x88', true;
    case 'J':
      return pushInteger(static_cast<int32_t>(number(4))), true;
    case 'K':
      return pushInteger(static_cast<int64_t>(number(1))), true;
    case 'M':
      return pushInteger(static_cast<int64_t>(number(2))), true;
    case '\x8a':
      return pushLong(number(1)), true;
    case '\x8b':
      return pushLong(number(4)), true;
    case 'G':
      return pushFloat(), true;
    case 'X':
    case 'B':
    case 'T':
      return pushText(number(4)), true;
    case '\x8c':
    case 'C':
    case 'U':
      return pushText(number(1)), true;
    case '\x8d':
    case '\x8e':
      return pushText(number(8)), true;
    default:
      return false;
    }
  }

  bool container(char code) {
    switch (code) {
    case ']':
    case ')':
      return push(JsonKind::Array), true;
    case '}':
      return push(JsonKind::Object), true;
    case 'l':
    case 't':
      return pushArray(popToMark()), true;
    case 'd': {
      std::vector<Made *> values = popToMark();
      push(JsonKind::Object);
      return extend(JsonKind::Object, values), true;
    }
    case '\x85':
      return pushArray(pop(1)), true;
    case '\x86':
      return pushArray(pop(2)), true;
    case '\x87':
      return pushArray(pop(3)), true;
    case 'a':
      return extend(JsonKind::Array, pop(1)), true;
    case 'e':
      return extend(JsonKind::Array, popToMark()), true;
    case 's':
      return extend(JsonKind::Object, pop(2)), true;
    case 'u':
      return extend(JsonKind::Object, popToMark()), true;
    default:
      return false;
    }
  }

  bool machinery(char code) {
    switch (code) {
    case '\x80':
      if (uint64_t protocol = number(1); protocol > 5 && !failed_)
        fail("got protocol " + Twine(protocol) + ", expected at most 5");
      return true;
    case '\x95':
      return number(8), true; // a frame only states how much may be read in one piece
    case '(':
      if (++marks_ > maxJsonDepth)
        fail("opens more than " + Twine(maxJsonDepth) + " containers within one another");
      return push(JsonKind::Null)->isMark = true, true;
    case 'q':
      return put(number(1)), true;
    case 'r':
      return put(number(4)), true;
    case '\x94':
      return put(memo_.size()), true;
    case 'h':
      return get(number(1)), true;
    case 'j':
      return get(number(4)), true;
    case '0':
      return pop(1), true; // pop rejects a mark
    case '.':
      if (stack_.size() != 1 || stack_.back()->isMark)
        fail("ends with " + Twine(stack_.size()) + " values, expected one");
      return done_ = true;
    default:
      return false;
    }
  }

  static std::string opcodeText(char code) {
    static const std::map<char, const char *> names = {
        {'c', "GLOBAL"},  {'\x93', "STACK_GLOBAL"}, {'R', "REDUCE"},       {'b', "BUILD"},         {'i', "INST"},
        {'o', "OBJ"},     {'\x81', "NEWOBJ"},       {'\x92', "NEWOBJ_EX"}, {'P', "PERSID"},        {'Q', "BINPERSID"},
        {'\x82', "EXT1"}, {'\x83', "EXT2"},         {'\x84', "EXT4"},      {'\x97', "NEXT_BUFFER"}};
    auto found = names.find(code);
    return found != names.end() ? std::string("the opcode ") + found->second
                                : "the opcode " + std::to_string(static_cast<uint8_t>(code));
  }

  // --- The result -------------------------------------------------------------------------------------------
  /// Copies a value as a tree, in which nothing is shared.
  JsonValue *copy(const Made &made, unsigned depth) {
    opcode_ = made.offset;
    if (depth > maxJsonDepth)
      return fail("nests deeper than " + Twine(maxJsonDepth) + " levels, or holds itself"), nullptr;
    if (++copied_ > mostValues())
      return fail("has more than " + Twine(mostValues()) + " values"), nullptr;
    auto *value = new (arena_.Allocate<JsonValue>()) JsonValue();
    value->kind = made.kind;
    value->boolean = made.boolean;
    value->text = made.text;
    value->offset = made.offset;
    if (made.kind == JsonKind::Float)
      value->real = made.real;
    else
      value->integer = made.integer;
    copyElements(made, *value, depth);
    return value;
  }

  void copyElements(const Made &made, JsonValue &value, unsigned depth) {
    bool object = made.kind == JsonKind::Object;
    const JsonValue **link = &value.first;
    for (size_t i = object ? 1 : 0; i < made.elements.size() && !failed_; i += object ? 2 : 1) {
      const llvm::StringRef key = object ? made.elements[i - 1]->text : llvm::StringRef();
      const bool isShared = object && !form_.sharedKey.empty() && key == form_.sharedKey;
      JsonValue *element = isShared ? share(*made.elements[i], depth + 1) : copy(*made.elements[i], depth + 1);
      if (!element)
        return;
      element->key = key;
      *link = element;
      link = &element->next;
      ++value.count;
    }
  }

  /// Copies a value once; a further copy refers to the same elements.
  JsonValue *share(const Made &made, unsigned depth) {
    auto [known, isNew] = shared_.try_emplace(&made, nullptr);
    if (isNew) {
      JsonValue *first = copy(made, depth);
      return shared_[&made] = first;
    }
    if (!known->second)
      return fail("holds itself"), nullptr;
    if (++copied_ > mostValues())
      return fail("has more than " + Twine(mostValues()) + " values"), nullptr;
    auto *value = new (arena_.Allocate<JsonValue>()) JsonValue(*known->second);
    value->next = nullptr;
    return value;
  }

  const SourceText &source_;
  llvm::StringRef text_;
  llvm::BumpPtrAllocator &arena_;
  const PickleForm &form_;
  std::map<const Made *, JsonValue *> shared_; ///< null while it is copied
  size_t at_ = 0;
  size_t opcode_ = 0; ///< start of the current instruction
  std::deque<Made> made_;
  std::vector<Made *> stack_;
  std::map<uint64_t, Made *> memo_;
  size_t marks_ = 0; ///< on the stack
  size_t copied_ = 0;
  bool done_ = false;
  bool failed_ = false;
  Diagnostic diagnostic_;
};

} // namespace

bool isPickle(llvm::StringRef bytes) { return bytes.startswith("\x80"); }

Diagnostic diagnoseByte(const SourceText &source, size_t offset, const std::string &message, std::string repair) {
  Diagnostic diagnostic;
  diagnostic.file = source.name;
  diagnostic.where = "byte " + std::to_string(offset);
  diagnostic.message = message;
  if (!repair.empty())
    diagnostic.notes.push_back(std::move(repair));
  return diagnostic;
}

std::string pickledText(const JsonValue &value) {
  constexpr size_t mostLetters = 40;
  switch (value.kind) {
  case JsonKind::Null:
    return "None";
  case JsonKind::Bool:
    return value.boolean ? "True" : "False";
  case JsonKind::Integer:
    return std::to_string(value.integer);
  case JsonKind::Float:
    return "a number that is not whole";
  case JsonKind::HugeInteger:
    return "an integer of more than 64 bits";
  case JsonKind::String:
    return ("'" + value.text.take_front(mostLetters) + "'").str();
  case JsonKind::Array:
    return "a list of " + std::to_string(value.count);
  case JsonKind::Object:
    return "a dictionary of " + std::to_string(value.count);
  }
  return "";
}

llvm::Expected<const JsonValue *> readPickle(const SourceText &source, llvm::BumpPtrAllocator &arena,
                                             const PickleForm &form) {
  return PickleMachine(source, arena, form).run();
}

} // namespace ccgraph
