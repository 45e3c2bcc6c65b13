#include "docgen/documents.h"

#include "ccgraph/ir/context.h"
#include "ccgraph/ir/internal/op_docs.h"
#include "ccgraph/ir/plan_verifier.h"
#include "ccgraph/legality/legality.h"
#include "ccgraph/passes/registry.h"
#include "docgen/command_pages.h"
#include "docgen/entry_pages.h"
#include "docgen/zsh_completion.h"
#include "driver/check_driver.h"
#include "driver/check_options.h"
#include "driver/doctor_driver.h"
#include "driver/entry_driver.h"
#include "driver/gen_driver.h"
#include "driver/gen_options.h"
#include "driver/opt_driver.h"
#include "driver/opt_options.h"
#include "driver/run_driver.h"
#include "driver/run_options.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

namespace {

std::string opsMarkdown() {
  Context context;
  std::string text;
  llvm::raw_string_ostream os(text);
  writeOperatorDocs(os, context.ops());
  return os.str();
}

using Main = driver::ExitCode (*)(llvm::ArrayRef<const char *>, driver::Streams);

std::string helpScreen(Main tool, llvm::StringRef topic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::string flag = topic.empty() ? "--help" : ("--help=" + topic).str();
  tool({flag.c_str()}, {os, os});
  return os.str();
}

/// Returns the topics of the first screen, in its order. They are read from the screen itself, so a page contains only
/// topics that --help offers.
std::vector<std::string> topicsOf(llvm::StringRef screen) {
  std::vector<std::string> topics;
  llvm::SmallVector<llvm::StringRef, 0> lines;
  screen.split(lines, '\n');
  for (llvm::StringRef line : lines)
    if (line.consume_front("  --help="))
      if (llvm::StringRef topic = line.split(' ').first; topic != "TOPIC")
        topics.push_back(topic.str());
  return topics;
}

// Runs the tool itself with --help, so that the page shows what a user sees.
void writeTool(llvm::raw_ostream &os, llvm::StringRef name, Main tool) {
  std::string first = helpScreen(tool, "");
  os << "## " << name << "\n\n```text\n" << first << "```\n";
  for (const std::string &topic : topicsOf(first))
    os << "\n### " << name << " --help=" << topic << "\n\n```text\n" << helpScreen(tool, topic) << "```\n";
}

std::string cliMarkdown() {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "# Which options do the tools have?\n\n"
        "The help texts of the tools. `tools/presubmit --fix` writes this page.\n\n";
  writeTool(os, "ccgraph", driver::entryMain);
  os << '\n';
  writeTool(os, "ccgraph doctor", driver::doctorMain);
  os << '\n';
  writeTool(os, "ccgraph-opt", driver::optMain);
  os << '\n';
  writeTool(os, "ccgraph-run", driver::runMain);
  os << '\n';
  writeTool(os, "ccgraph-gen", driver::genMain);
  os << '\n';
  writeTool(os, "ccgraph-check", driver::checkMain);
  return os.str();
}

/// Adds the manual page of a tool and its completion for two shells.
void addPages(std::vector<Document> &documents, const std::string &tool, const driver::CommandLine &line) {
  documents.push_back({"man/" + tool + ".1", manualPage(tool, line)});
  documents.push_back({"completion/" + tool, bashCompletion(tool, line)});
  documents.push_back({"completion/zsh/_" + tool, zshCompletion(tool, line)});
}

} // namespace

std::vector<Document> generatedDocuments() {
  std::vector<Document> documents = {{"passes.md", passesMarkdown()},
                                     {"legality.md", legalityMarkdown()},
                                     {"plan-verifier.md", planVerifierMarkdown()},
                                     {"ops.md", opsMarkdown()},
                                     {"cli.md", cliMarkdown()},
                                     {"man/ccgraph.1", entryManualPage()},
                                     {"completion/ccgraph", entryBashCompletion()},
                                     {"completion/zsh/_ccgraph", entryZshCompletion()}};
  driver::CheckOptions check;
  addPages(documents, "ccgraph-check", driver::declareCheckFlags(check));
  driver::DoctorOptions doctor;
  addPages(documents, "ccgraph-doctor", driver::declareDoctorFlags(doctor));
  driver::GenOptions gen;
  addPages(documents, "ccgraph-gen", driver::genCommandLine(gen));
  driver::OptOptions opt;
  addPages(documents, "ccgraph-opt", driver::optCommandLine(opt));
  driver::RunOptions run;
  addPages(documents, "ccgraph-run", driver::declareRunFlags(run));
  return documents;
}

} // namespace ccgraph
