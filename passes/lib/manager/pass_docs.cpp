#include "ccgraph/passes/pipeline.h"
#include "ccgraph/passes/registry.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

namespace {

constexpr Phase phases[] = {Phase::Normalize, Phase::Simplify, Phase::Schedule};

void writeOptionsHelp(llvm::raw_ostream &os, const Pass &pass) {
  if (pass.options().empty())
    return;
  os << "options:\n";
  for (const OptionBase *option : pass.options())
    os << "  " << option->name() << "=" << option->syntax() << "  (default " << option->defaultText() << ")\n      "
       << option->help() << '\n';
}

void writeStatisticsHelp(llvm::raw_ostream &os, const Pass &pass) {
  os << "statistics:\n";
  for (const Statistic *statistic : pass.statistics())
    os << "  " << statistic->name() << "  " << statistic->help() << '\n';
}

void writeReasonsHelp(llvm::raw_ostream &os, const Pass &pass) {
  os << "remarks:\n";
  for (const Reason *reason : pass.reasons())
    os << "  " << remarkKindName(reason->kind()) << " [" << reason->id() << "]  " << reason->help() << '\n';
}

/// Escapes a table cell: '|' would end it.
std::string cell(llvm::StringRef text) {
  std::string out;
  for (char c : text)
    out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

void writePass(llvm::raw_ostream &os, const Pass &pass) {
  os << "### " << pass.name() << "\n\n" << pass.description() << "\n";
  if (!pass.options().empty())
    os << "\n| option | values | default | meaning |\n|---|---|---|---|\n";
  for (const OptionBase *option : pass.options())
    os << "| `" << option->name() << "` | `" << cell(option->syntax()) << "` | `" << option->defaultText() << "` | "
       << cell(option->help()) << " |\n";
  os << "\n| statistic | meaning |\n|---|---|\n";
  for (const Statistic *statistic : pass.statistics())
    os << "| `" << statistic->name() << "` | " << cell(statistic->help()) << " |\n";
  os << "\n| remark | reason | meaning |\n|---|---|---|\n";
  for (const Reason *reason : pass.reasons())
    os << "| " << remarkKindName(reason->kind()) << " | `" << reason->id() << "` | " << cell(reason->help()) << " |\n";
  os << '\n';
}

void writePhase(llvm::raw_ostream &os, Phase phase) {
  os << "## " << phaseName(phase) << "\n\n";
  for (llvm::StringRef name : passNames())
    if (std::unique_ptr<Pass> pass = createPass(name); pass->phase() == phase)
      writePass(os, *pass);
}

void writeLevels(llvm::raw_ostream &os) {
  os << "## Levels\n\n| level | pipeline |\n|---|---|\n";
  for (unsigned level = 0; level <= maxLevel; ++level) {
    std::string text = pipelineOfLevel(level).str();
    os << "| `-O" << level << "` | " << (text.empty() ? "nothing" : "`" + text + "`") << " |\n";
  }
}

} // namespace

std::string passListText() {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (llvm::StringRef name : passNames()) {
    std::unique_ptr<Pass> pass = createPass(name);
    os << llvm::left_justify(name, 30) << pass->description() << '\n';
  }
  return os.str();
}

std::string passHelpText(const Pass &pass) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << pass.name() << " (" << phaseName(pass.phase()) << ")\n  " << pass.description() << '\n';
  writeOptionsHelp(os, pass);
  writeStatisticsHelp(os, pass);
  writeReasonsHelp(os, pass);
  return os.str();
}

// The page is generated from the declarations of the passes, so every option and reason of a pass is on it.
std::string passesMarkdown() {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "# What does each pass do, and which options has it?\n\n"
        "Generated from the declarations in the passes themselves; `tools/presubmit --fix` writes it "
        "anew.\n\n"
        "A pipeline is written `pass,pass{option=value option=value}`. Every remark has a reason from the tables "
        "below.\n\n";
  for (Phase phase : phases)
    writePhase(os, phase);
  writeLevels(os);
  return os.str();
}

} // namespace ccgraph
