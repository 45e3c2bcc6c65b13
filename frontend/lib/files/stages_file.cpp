#include "ccgraph/frontend/stages_file.h"

#include "json/json_report.h"
#include "json/member_sink.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph {
namespace {

constexpr llvm::StringLiteral example =
    R"(e.g. {"stages": [{"forward": "stage0.py", "backward": "stage0_backward.py"}]})";

/// A member whose value is a text, and where it is stored.
struct TextMember {
  llvm::StringLiteral name;
  std::string StagesFileEntry::*field;
  llvm::StringLiteral what;
};
constexpr TextMember textMembers[] = {
    {"forward", &StagesFileEntry::forward, "the path of a graph"},
    {"backward", &StagesFileEntry::backward, "the path of a graph"},
    {"backward_input", &StagesFileEntry::backwardInput, "the path of a graph"},
    {"backward_weight", &StagesFileEntry::backwardWeight, "the path of a graph"},
    {"unshard", &StagesFileEntry::unshard, "the path of a graph"},
    {"reduce_grad", &StagesFileEntry::reduceGradient, "the path of a graph"},
    {"input", &StagesFileEntry::input, "the name of a placeholder"},
    {"output_gradient", &StagesFileEntry::outputGradient, "the name of a placeholder"},
};

class StagesReader {
public:
  explicit StagesReader(JsonReport &report) : report_(report) {}

  void read(const JsonValue &member) {
    if (member.key == "stages")
      return readStages(member);
    if (member.key == "groups")
      file.groups = report_.string(member, "the path of a group file").value_or("").str();
    else if (member.key == "pipeline")
      file.pipeline = report_.line(member, "the name of a group").value_or("").str();
    else if (member.key == "microbatches")
      file.microbatches = atLeast(member, 1, "a number of microbatches from 1");
    else
      report_.error(member.offset, "a stages file has no '" + member.key.str() + "'",
                    "known are 'stages', 'microbatches', 'groups' and 'pipeline'");
  }

  StagesFile file;

private:
  void readStages(const JsonValue &stages) {
    if (!stages.is(JsonKind::Array))
      return report_.expected(stages, "'stages' as an array of entries", example.str());
    for (const JsonValue &entry : stages.elements())
      readEntry(entry);
  }

  void readEntry(const JsonValue &value) {
    if (!value.is(JsonKind::Object) || !value.member("forward"))
      return report_.expected(value, "an entry with 'forward'", example.str());
    StagesFileEntry entry;
    for (const JsonValue &member : value.elements())
      readMember(member, entry);
    file.stages.push_back(std::move(entry));
  }

  void readMember(const JsonValue &member, StagesFileEntry &entry) {
    for (const TextMember &known : textMembers)
      if (member.key == known.name) {
        entry.*known.field = report_.line(member, known.what).value_or("").str();
        return;
      }
    constexpr llvm::StringLiteral place = "a place in the list of results, from 0";
    if (member.key == "output")
      entry.output = atLeast(member, 0, place);
    else if (member.key == "input_gradient")
      entry.inputGradient = atLeast(member, 0, place);
    else
      report_.error(member.offset, "a stage has no '" + member.key.str() + "'",
                    "known are 'forward', 'backward', 'backward_input', 'backward_weight', 'unshard', 'reduce_grad', "
                    "'input', 'output', 'output_gradient' and 'input_gradient'");
  }

  int64_t atLeast(const JsonValue &value, int64_t least, llvm::StringRef what) {
    std::optional<int64_t> number = report_.integer(value, what);
    if (number && *number < least)
      report_.expected(value, what);
    return number.value_or(least);
  }

  JsonReport &report_;
};

} // namespace

llvm::Expected<StagesFile> readStagesFile(const SourceText &source) {
  constexpr size_t errorLimit = 20;
  JsonReport report(source, errorLimit);
  StagesReader reader(report);
  MemberSink sink("", [&](const JsonValue &member) { reader.read(member); });
  llvm::Error syntax = parseJson(source, sink);
  if (!syntax && !report.hasErrors() && reader.file.stages.empty())
    report.error(0, "got no stage, expected an entry in 'stages'", example.str());
  if (llvm::Error error = report.take(std::move(syntax)))
    return error;
  return std::move(reader.file);
}

} // namespace ccgraph
