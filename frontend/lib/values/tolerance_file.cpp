#include "ccgraph/frontend/tolerance_file.h"

#include "json/json_report.h"
#include "json/member_sink.h"

namespace ccgraph {
namespace {

class ToleranceReader {
public:
  explicit ToleranceReader(JsonReport &report) : report_(report) {}

  void read(const JsonValue &tolerance) {
    const JsonValue *list = tolerance.member("per_output");
    if (list && list->is(JsonKind::Null))
      return; // a recording whose rounding error could not be measured: no output is listed
    if (!list || !list->is(JsonKind::Array))
      return report_.expected(list ? *list : tolerance, "'per_output' as an array");
    for (const JsonValue &entry : list->elements())
      readEntry(entry);
  }
  ToleranceMap take() { return std::move(tolerances_); }

private:
  void readEntry(const JsonValue &entry) {
    const JsonValue *output = entry.member("output");
    if (!output || !output->is(JsonKind::String))
      return report_.expected(output ? *output : entry, "an entry with 'output', e.g. \"out.0\"");
    Tolerance tolerance;
    tolerance.bitwise = isBitwise(entry);
    if (!tolerance.bitwise) {
      tolerance.atol = number(entry, "atol");
      tolerance.rtol = number(entry, "rtol");
    }
    if (!tolerances_.emplace(output->text.str(), tolerance).second)
      report_.error(output->offset, "output '" + output->text.str() + "' occurs twice");
  }

  /// Without "kind", the numbers decide: {"output": "out.0", "rtol": 1e-6} is close, {"output": "out.0"} is bitwise,
  /// the stricter of the two.
  bool isBitwise(const JsonValue &entry) {
    const JsonValue *kind = entry.member("kind");
    if (!kind)
      return !entry.member("atol") && !entry.member("rtol");
    if (kind->text != "bitwise" && kind->text != "close")
      report_.expected(*kind, "\"bitwise\" or \"close\"");
    return kind->text == "bitwise";
  }

  /// Returns 0 where left out: an entry may contain only one of the two.
  double number(const JsonValue &entry, llvm::StringRef name) {
    const JsonValue *value = entry.member(name);
    if (!value)
      return 0.0;
    if (value->is(JsonKind::Float) && value->real >= 0)
      return value->real;
    if (value->is(JsonKind::Integer) && value->integer >= 0)
      return static_cast<double>(value->integer);
    report_.expected(*value, "'" + name + "' as a number that is not negative");
    return 0.0;
  }

  JsonReport &report_;
  ToleranceMap tolerances_;
};

} // namespace

llvm::Expected<ToleranceMap> readToleranceFile(const SourceText &source) {
  constexpr size_t errorLimit = 20;
  JsonReport report(source, errorLimit);
  ToleranceReader reader(report);
  MemberSink sink("tolerance", [&](const JsonValue &value) { reader.read(value); });
  llvm::Error syntax = parseJson(source, sink);
  if (!syntax && !sink.found())
    report.error(0, "expected an object with a member 'tolerance'",
                 R"(e.g. {"tolerance": {"per_output": [{"output": "out.0", "atol": 1e-6}]}})");
  if (llvm::Error error = report.take(std::move(syntax)))
    return error;
  return reader.take();
}

} // namespace ccgraph
