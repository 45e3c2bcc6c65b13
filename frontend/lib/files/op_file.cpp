#include "ccgraph/frontend/op_file.h"

#include "json/json_report.h"
#include "json/member_sink.h"

namespace ccgraph {
namespace {

// Reads one entry. Unknown members of the file are ignored, but unknown members of an entry are errors. An entry is
// written manually: if a typing error such as "Pure": false were ignored, an operator with effects would become a pure
// one, which a pass may move.
void readEntry(const JsonValue &entry, JsonReport &report, std::vector<OpDeclaration> &out) {
  const JsonValue *schema = entry.member("schema");
  if (!schema || !schema->is(JsonKind::String))
    return report.expected(schema ? *schema : entry,
                           "an entry with a 'schema', e.g. \"mylib::scale(Tensor x) -> Tensor\"");
  OpDeclaration declaration;
  declaration.schema = schema->text.str();
  for (const JsonValue &member : entry.elements()) {
    if (member.key == "pure" && member.is(JsonKind::Bool))
      declaration.pure = member.boolean;
    else if (member.key == "pure")
      report.expected(member, "true or false");
    else if (member.key != "schema")
      report.error(member.offset, "an operator has no '" + member.key.str() + "'", "the keys are 'schema' and 'pure'");
  }
  out.push_back(std::move(declaration));
}

} // namespace

llvm::Expected<std::vector<OpDeclaration>> readOpFile(const SourceText &source) {
  constexpr size_t errorLimit = 20;
  JsonReport report(source, errorLimit);
  std::vector<OpDeclaration> declarations;
  MemberSink sink("ops", [&](const JsonValue &ops) {
    if (!ops.is(JsonKind::Array))
      report.expected(ops, "'ops' as an array");
    for (const JsonValue &entry : ops.elements())
      readEntry(entry, report, declarations);
  });
  llvm::Error syntax = parseJson(source, sink);
  if (!syntax && !sink.found())
    report.error(0, "expected an object with a member 'ops'",
                 R"(e.g. {"ops": [{"schema": "mylib::scale(Tensor x) -> Tensor"}]})");
  if (llvm::Error error = report.take(std::move(syntax)))
    return error;
  return declarations;
}

} // namespace ccgraph
