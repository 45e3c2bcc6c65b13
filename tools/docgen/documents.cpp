#include "docgen/documents.h"

#include "ccgraph/ir/context.h"
#include "ccgraph/ir/internal/op_docs.h"
#include "ccgraph/ir/plan_verifier.h"
#include "ccgraph/legality/legality.h"
#include "ccgraph/passes/registry.h"
#include "docgen/command_pages.h"
#include "driver/check_driver.h"
#include "driver/check_options.h"
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
      if (llvm::StringRef topic = line.take_while(llvm::isAlpha); topic != "TOPIC")
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
  os << "# Which options do the tools have?\n\nThe help texts of the tools. `tools/presubmit --fix` writes this page.\n\n";
  writeTool(os, "ccgraph-opt", driver::optMain);
  os << '\n';
  writeTool(os, "ccgraph-run", driver::runMain);
  os << '\n';
  writeTool(os, "ccgraph-gen", driver::genMain);
  os << '\n';
  writeTool(os, "ccgraph-check", driver::checkMain);
  return os.str();
}

} // namespace

std::vector<Document> generatedDocuments() {
  driver::OptOptions optOptions;
  driver::RunOptions runOptions;
  driver::GenOptions genOptions;
  driver::CheckOptions checkOptions;
  const driver::CommandLine opt = driver::optCommandLine(optOptions), run = driver::declareRunFlags(runOptions),
                            gen = driver::genCommandLine(genOptions), check = driver::declareCheckFlags(checkOptions);
  return {{"passes.md", passesMarkdown()},
          {"legality.md", legalityMarkdown()},
          {"plan-verifier.md", planVerifierMarkdown()},
          {"ops.md", opsMarkdown()},
          {"cli.md", cliMarkdown()},
          {"man/ccgraph-check.1", manualPage("ccgraph-check", check)},
          {"man/ccgraph-gen.1", manualPage("ccgraph-gen", gen)},
          {"man/ccgraph-opt.1", manualPage("ccgraph-opt", opt)},
          {"man/ccgraph-run.1", manualPage("ccgraph-run", run)},
          {"completion/ccgraph-check", bashCompletion("ccgraph-check", check)},
          {"completion/ccgraph-gen", bashCompletion("ccgraph-gen", gen)},
          {"completion/ccgraph-opt", bashCompletion("ccgraph-opt", opt)},
          {"completion/ccgraph-run", bashCompletion("ccgraph-run", run)}};
}

} // namespace ccgraph
