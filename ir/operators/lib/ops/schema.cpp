#include "ops/schema.h"

#include "ccgraph/ir/diagnostic.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph {
namespace {

// The text of the table is longer than the 65,536 characters that the standard asks of a compiler. GCC and clang accept
// any length.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"
#include "ops/op_schemas.inc"
#pragma GCC diagnostic pop

// The table is one long text with a line for each of PyTorch's operators, sorted by key. A key is found by binary
// search in the text: each probe moves back to the beginning of its line. Only the line that is found is parsed, since
// a program uses a few dozen operators of thousands.
//
// A line is parsed from the outside inwards: the name up to "(", the list of parameters up to the matching ")", each
// parameter up to a comma. In a parameter, the default follows "=", the name follows the last blank, and the type
// precedes the name.
//   aten.add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
// has the parameter self of type Tensor, alias set a, written; other; and alpha, by keyword only, with the default 1.
// Brackets and quotes may hold commas and blanks, in defaults such as [0, 1], so all of these look outside of them.
llvm::StringRef tableText() {
  // The raw string starts with the newline after its delimiter.
  return llvm::StringRef(schemaText, sizeof(schemaText) - 1).drop_front();
}

llvm::StringRef lineAt(llvm::StringRef text, size_t offset) {
  size_t begin = text.rfind('\n', offset);
  begin = begin == llvm::StringRef::npos ? 0 : begin + 1;
  return text.slice(begin, text.find('\n', begin));
}

llvm::StringRef keyOf(llvm::StringRef line) { return line.take_front(line.find('(')); }

/// Offset of the first line whose key is not less than `key`.
size_t lowerBound(llvm::StringRef key) {
  llvm::StringRef text = tableText();
  size_t low = 0;
  size_t high = text.size();
  while (low < high) {
    llvm::StringRef line = lineAt(text, (low + high - 1) / 2);
    size_t begin = line.begin() - text.begin();
    if (keyOf(line) < key)
      low = begin + line.size() + 1;
    else
      high = begin;
  }
  return low;
}

class SchemaParser {
public:
  explicit SchemaParser(llvm::StringRef text) : text_(text) {}

  llvm::Expected<Schema> run() {
    if (llvm::Error error = readName())
      return error;
    if (llvm::Error error = readParams())
      return error;
    if (llvm::Error error = readResults())
      return error;
    return std::move(schema_);
  }

private:
  llvm::Error fail(llvm::StringRef at, const llvm::Twine &expected) const {
    Diagnostic diagnostic;
    diagnostic.where = "schema";
    diagnostic.column = static_cast<unsigned>(at.begin() - text_.begin()) + 1;
    std::string got =
        at.empty() ? "the end"
                   : "'" + at.take_until([](char c) { return c == '\n' || c == '\t'; }).take_front(30).str() + "'";
    diagnostic.message = ("column " + llvm::Twine(diagnostic.column) + ": expected " + expected + ", got " + got).str();
    diagnostic.notes.push_back("a schema reads like mylib::scale(Tensor x, float s=1.0) -> Tensor");
    return makeError(std::move(diagnostic));
  }

  llvm::Error readName();
  llvm::Error readParams();
  llvm::Error readParam(llvm::StringRef item);
  llvm::Error readResults();
  void addResult(llvm::StringRef item);

  llvm::StringRef text_;
  llvm::StringRef rest_;
  bool keywordOnly_ = false;
  Schema schema_;
};

/// Length of `text` up to the first of `stops` outside brackets and quotes; the whole length if there is none.
size_t findOutside(llvm::StringRef text, llvm::StringRef stops) {
  int depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote) {
      i += c == '\\';
      quote = c == quote ? 0 : quote;
      continue;
    }
    if (depth == 0 && stops.contains(c))
      return i;
    if (c == '"' || c == '\'')
      quote = c;
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
  }
  return text.size();
}

/// Offset of the last blank outside brackets; npos if there is none.
size_t lastBlank(llvm::StringRef text) {
  size_t last = llvm::StringRef::npos;
  for (size_t i = 0; i < text.size(); ++i) {
    i += findOutside(text.drop_front(i), " ");
    if (i < text.size())
      last = i;
  }
  return last;
}

bool isAliasSet(llvm::StringRef content) {
  bool startsRight = !content.empty() && ((content[0] >= 'a' && content[0] <= 'z') || content[0] == '*');
  return startsRight && (content.size() == 1 || llvm::StringRef("!| ").contains(content[1]));
}

/// Takes the alias annotation out of a type: its letter and whether it is written.
std::string splitAlias(llvm::StringRef type, char &alias, bool &writes) {
  for (size_t open = type.find('('); open != llvm::StringRef::npos; open = type.find('(', open + 1)) {
    size_t close = type.find(')', open);
    if (close == llvm::StringRef::npos || !isAliasSet(type.slice(open + 1, close)))
      continue;
    llvm::StringRef content = type.slice(open + 1, close);
    // Because of a result `(b|a)`, fresh or shared, the letter that a parameter bears is the last.
    llvm::StringRef letters = content.split(" ->").first.rtrim("!");
    alias = letters == "*" ? '\0' : letters.back();
    writes = content.contains('!');
    return (type.take_front(open) + type.drop_front(close + 1)).str();
  }
  return type.str();
}

llvm::Error SchemaParser::readName() {
  size_t open = text_.find('(');
  llvm::StringRef name = text_.take_front(open);
  auto isNameChar = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == ':'; };
  llvm::StringRef bad = name.drop_while(isNameChar);
  if (open == llvm::StringRef::npos || name.empty() || !bad.empty())
    return fail(bad.empty() ? text_.drop_front(name.size()) : bad,
                name.empty() ? "namespace::name" : "'(' after the operator's name");
  size_t colons = name.find("::");
  if (colons == llvm::StringRef::npos ? !name.contains('.') : colons == 0)
    return fail(text_, "namespace::name");
  schema_.key = name.str();
  if (colons != llvm::StringRef::npos)
    schema_.key.replace(colons, 2, ".");
  schema_.key = operatorKey(schema_.key).str();
  rest_ = text_.drop_front(open + 1);
  return llvm::Error::success();
}

llvm::Error SchemaParser::readParams() {
  size_t close = findOutside(rest_, ")");
  if (close == rest_.size())
    return fail(rest_.drop_front(close), "')' after the parameters");
  llvm::StringRef list = rest_.take_front(close);
  rest_ = rest_.drop_front(close + 1);
  while (!list.trim().empty()) {
    size_t comma = findOutside(list, ",");
    if (llvm::Error error = readParam(list.take_front(comma).trim()))
      return error;
    list = list.drop_front(std::min(comma + 1, list.size()));
  }
  return llvm::Error::success();
}

llvm::Error SchemaParser::readParam(llvm::StringRef item) {
  if (item == "*") {
    keywordOnly_ = true;
    return llvm::Error::success();
  }
  OpParam param;
  if (item == "...") {
    schema_.variadic = true;
    param.name = param.type = "...";
    schema_.params.push_back(std::move(param));
    return llvm::Error::success();
  }
  size_t equals = findOutside(item, "=");
  param.defaultValue = item.drop_front(std::min(equals + 1, item.size())).str();
  llvm::StringRef typed = item.take_front(equals).rtrim();
  size_t blank = lastBlank(typed);
  if (blank == llvm::StringRef::npos)
    return fail(item, "a type and a name");
  param.name = typed.drop_front(blank + 1).str();
  param.type = splitAlias(typed.take_front(blank).rtrim(), param.alias, param.writes);
  param.keywordOnly = keywordOnly_;
  schema_.params.push_back(std::move(param));
  return llvm::Error::success();
}

void SchemaParser::addResult(llvm::StringRef item) {
  size_t blank = lastBlank(item);
  OpResult result;
  bool writes = false;
  result.type = splitAlias(item.take_front(blank), result.alias, writes);
  schema_.results.push_back(std::move(result));
}

llvm::Error SchemaParser::readResults() {
  llvm::StringRef list = rest_.ltrim();
  if (!list.consume_front("->"))
    return fail(rest_, "'->' and the results after the parameters");
  std::tie(list, schema_.tags) = list.split('\t');
  list = list.trim();
  if (list.empty())
    return fail(list, "the results: a type, or () for none");
  bool several = list.front() == '(';
  if (several && findOutside(list.drop_front(), ")") != list.size() - 2)
    return fail(list, "one list of results in brackets");
  list = several ? list.drop_front().drop_back() : list;
  while (!list.empty()) {
    size_t comma = findOutside(list, ",");
    addResult(list.take_front(comma).trim());
    list = list.drop_front(std::min(comma + 1, list.size()));
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<Schema> parseSchema(llvm::StringRef text) { return SchemaParser(text).run(); }

llvm::StringRef findSchema(llvm::StringRef key) {
  size_t begin = lowerBound(key);
  llvm::StringRef text = tableText();
  if (begin >= text.size())
    return {};
  llvm::StringRef line = lineAt(text, begin);
  return keyOf(line) == key ? line : llvm::StringRef();
}

llvm::StringRef findOverloads(llvm::StringRef name) {
  llvm::StringRef text = tableText();
  std::string prefix = (name + ".").str();
  size_t begin = lowerBound(prefix);
  size_t end = begin;
  while (end < text.size() && text.substr(end, prefix.size()) == prefix)
    end += lineAt(text, end).size() + 1;
  return text.slice(begin, end).rtrim('\n');
}

unsigned numGeneratedSchemas() { return numSchemas; }

void forEachSchema(llvm::function_ref<void(llvm::StringRef line)> visit) {
  llvm::StringRef text = tableText();
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    visit(line);
    text = rest;
  }
}

llvm::StringRef operatorKey(llvm::StringRef target) {
  target.consume_front("torch.ops.");
  target.consume_back(".default");
  return target;
}

llvm::StringRef baseOfTarget(llvm::StringRef target) {
  target.consume_front("torch.ops.");
  const size_t first = target.find('.');
  return target.take_front(first == llvm::StringRef::npos ? first : target.find('.', first + 1));
}

bool holdsTensor(llvm::StringRef type) {
  return type.contains("Tensor") || type.take_front(3) == "Any" || type == "t" || type.take_front(2) == "t[" ||
         type == "...";
}

} // namespace ccgraph
