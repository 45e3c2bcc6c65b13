#include "ccgraph/frontend/object_file.h"

#include "json/json_report.h"
#include "json/json_text.h"
#include "json/member_sink.h"

namespace ccgraph {
namespace {

constexpr llvm::StringLiteral memberName = "constants";

// Reads one entry. A file without "constants" is not an error, because a graph without such objects needs none. A
// missing meaning is reported where the object is used.
void readMeaning(const JsonValue &entry, JsonReport &report, ObjectMeanings &meanings) {
  if (!entry.is(JsonKind::Object))
    return report.expected(entry, "an object such as {\"reduce_op\": \"sum\"}");
  ObjectMeaning &meaning = meanings[entry.key.str()];
  auto read = [&](llvm::StringRef member, std::string &into) {
    if (const JsonValue *value = entry.member(member))
      into = report.string(*value, member).value_or("").str();
  };
  read("reduce_op", meaning.reduceOp);
  read("group", meaning.group);
}

} // namespace

llvm::Expected<ObjectMeanings> readObjectFile(const SourceText &source) {
  constexpr size_t errorLimit = 20;
  JsonReport report(source, errorLimit);
  ObjectMeanings meanings;
  MemberSink sink(memberName, [&](const JsonValue &constants) {
    if (!constants.is(JsonKind::Object))
      return report.expected(constants, "an object that maps names to meanings");
    for (const JsonValue &entry : constants.elements())
      readMeaning(entry, report, meanings);
  });
  llvm::Error syntax = parseJson(source, sink);
  if (llvm::Error error = report.take(std::move(syntax)))
    return error;
  return meanings;
}

static bool isObjects(const std::pair<Identifier, Identifier> &attribute) {
  return attribute.first.str() == memberName;
}

void setObjects(Graph &graph, const ObjectMeanings &objects) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const auto &[name, meaning] : objects) {
    bool isGroup = meaning.reduceOp.empty();
    os << (text.empty() ? "{" : ", ");
    writeJsonString(os, name);
    os << (isGroup ? ": {\"group\": " : ": {\"reduce_op\": ");
    writeJsonString(os, isGroup ? meaning.group : meaning.reduceOp);
    os << '}';
  }
  os << '}';
  llvm::erase_if(graph.attributes, isObjects);
  if (!objects.empty())
    graph.attributes.emplace_back(graph.context().identifier(memberName), graph.context().identifier(text));
}

ObjectMeanings objectsOf(const Graph &graph) {
  auto found = llvm::find_if(graph.attributes, isObjects);
  if (found == graph.attributes.end())
    return {};
  std::string text = ("{\"constants\": " + found->second.str() + "}").str();
  llvm::Expected<ObjectMeanings> objects = readObjectFile({memberName.str(), text});
  if (objects)
    return std::move(*objects);
  llvm::consumeError(objects.takeError());
  return {};
}

} // namespace ccgraph
