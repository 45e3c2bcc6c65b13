#include "driver/pipeline_flags.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/op_file.h"
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/op_def.h"
#include "ccgraph/ir/text.h"
#include "ccgraph/passes/registry.h"
#include "ccgraph/toolkit/pass_options.h"
#include "ccgraph/toolkit/schedule_files.h"

namespace ccgraph::driver {
namespace {

// Without a flag the budget is what the input itself needs.
llvm::Error acceptBudget(PipelineFlags &flags, llvm::StringRef text) {
  if (flags.leastMemory)
    return badValue("--memory-budget", text, "no budget beside --minimize memory");
  if (!setMemoryBudget(flags.manager, text))
    return badValue("--memory-budget", text, memoryBudgetForms.str());
  return llvm::Error::success();
}

llvm::Error acceptAim(PipelineFlags &flags, llvm::StringRef text) {
  if (text != "time" && text != "memory")
    return badValue("--minimize", text, "time or memory");
  if (text == "time")
    return llvm::Error::success();
  if (flags.manager.hasBudget())
    return badValue("--minimize", text, "time beside --memory-budget");
  flags.leastMemory = true;
  flags.manager.memoryBudget = 0;
  return llvm::Error::success();
}

/// Returns the same diagnostics, with the file and the schema that they refer to.
llvm::Error inFile(const std::string &path, const OpDeclaration &declaration, llvm::Error error) {
  std::vector<Diagnostic> found;
  llvm::handleAllErrors(
      std::move(error), [&](const DiagnosticError &known) { found = known.diagnostics().vec(); },
      [&](const llvm::ErrorInfoBase &other) { found.push_back({.message = other.message()}); });
  for (Diagnostic &diagnostic : found) {
    diagnostic.file = path;
    diagnostic.line = diagnostic.column = 0; // the message counts columns within the schema
    diagnostic.where = declaration.schema;
  }
  return makeError(std::move(found));
}

} // namespace

std::vector<std::string> namesOfPasses() {
  std::vector<std::string> names;
  for (llvm::StringRef name : passNames())
    names.push_back(name.str());
  return names;
}

void addPipelineFlags(CommandLine &line, PipelineFlags &flags, unsigned otherwise) {
  auto word = [&](unsigned level, const char *what) {
    return "-O" + std::to_string(level) + (level == otherwise ? " (default): " : ": ") + what;
  };
  const std::string levels = word(0, "nothing; ") + word(1, "simplify, sink waits; ") +
                             word(2, "schedule and merge too; ") + word(3, "longer search, keep gathered results");
  // The four flags share one help text, which one of them carries.
  for (unsigned level = 0; level <= maxLevel; ++level)
    line.add({"-O" + std::to_string(level), "", level == 2 ? levels : "", [&flags, level](llvm::StringRef) {
                flags.level = level;
                return llvm::Error::success();
              }});
  line.add({"--pipeline", "TEXT", "passes instead of a level: 'sink-waits,coalesce-collectives{layout=flat}'",
            [&flags](llvm::StringRef text) {
              flags.text = text.str();
              return llvm::Error::success();
            }});
  line.chooseFrom(namesOfPasses());
  line.add(
      {"--memory-budget", "BYTES",
       "peak memory that no pass may exceed: 40GiB, 80GB, 60% of the input's peak, unlimited (default: the peak of "
       "the input)",
       [&flags](llvm::StringRef text) { return acceptBudget(flags, text); }});
  line.add({"--minimize", "WHAT", "'time' within the memory budget, or 'memory' first and then time (time)",
            [&flags](llvm::StringRef text) { return acceptAim(flags, text); }});
  line.chooseFrom({"time", "memory"});
  line.add({"--bitwise", "",
            "do not merge floating-point sums of more than two ranks, so that results are bitwise equal (default: "
            "merge them)",
            [&flags](llvm::StringRef) {
              flags.manager.bitwise = true;
              return llvm::Error::success();
            }});
}

void addCheckFlags(CommandLine &line, PipelineFlags &flags) {
  auto off = [](bool &value) {
    return [&value](llvm::StringRef) {
      value = false;
      return llvm::Error::success();
    };
  };
  line.addText("--ops", "FILE",
               "declarations of operators that PyTorch does not register: {\"ops\": [{\"schema\": ..}]}", flags.opFile);
  line.add({"--ranks-differ", "", "ranks run different graphs: keep the order of collectives across groups",
            off(flags.manager.spmd)});
  line.addText("--stop-after", "PASS", "run the passes of the pipeline up to this one, and none after it",
               flags.stopAfter);
  line.chooseFrom(namesOfPasses());
  line.add({"--no-verify-each", "", "do not verify the graph after each pass", off(flags.manager.verifyEach)});
  line.add({"--no-legality", "", "do not check each rewrite by its certificate", off(flags.manager.checkLegality)});
}

namespace {

/// Returns the whole pipeline that -O or --pipeline names.
llvm::Expected<Pipeline> wholePipeline(const PipelineFlags &flags, unsigned otherwise) {
  if (flags.text && flags.level)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "got both -O%u and --pipeline, expected one of them",
                                   *flags.level);
  if (!flags.text)
    return pipelineOfLevel(flags.level.value_or(otherwise));
  return pipelineOfText(*flags.text);
}

llvm::Error noSuchPass(llvm::StringRef name, const Pipeline &pipeline) {
  std::vector<std::string> passes;
  for (const std::unique_ptr<Pass> &pass : pipeline.passes())
    passes.push_back(pass->name().str());
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "--stop-after: got %s, expected a pass of the pipeline: %s", visibleText(name).c_str(),
                                 passes.empty() ? "it has none" : llvm::join(passes, ", ").c_str());
}

} // namespace

llvm::Expected<Pipeline> PipelineFlags::pipeline(unsigned otherwise) const {
  llvm::Expected<Pipeline> whole = wholePipeline(*this, otherwise);
  if (whole && !stopAfter.empty() && !whole->stopAfter(stopAfter))
    return noSuchPass(stopAfter, *whole);
  return whole;
}

// Returns the form that a user would type: "-O2", the text of --pipeline, or '' for the empty pipeline, which runs no
// pass.
std::string PipelineFlags::levelText(unsigned otherwise) const {
  const std::string stop = stopAfter.empty() ? "" : " --stop-after " + stopAfter;
  if (!text)
    return "-O" + std::to_string(level.value_or(otherwise)) + stop;
  return (text->empty() ? "''" : *text) + stop;
}

llvm::Error PipelineFlags::declareOps(Context &context) const {
  if (opFile.empty())
    return llvm::Error::success();
  llvm::Expected<InputFile> file = InputFile::open(opFile);
  if (!file)
    return file.takeError();
  auto declarations = readOpFile(file->source());
  if (!declarations)
    return declarations.takeError();
  for (const OpDeclaration &declaration : *declarations) {
    llvm::StringRef name = llvm::StringRef(declaration.schema).take_until([](char c) { return c == '('; }).trim();
    auto [space, op] = name.split("::");
    declared.push_back(op.empty() ? name.str() : (space + "." + op).str());
    if (llvm::Error error = context.ops().declare(declaration))
      return inFile(opFile, declaration, std::move(error));
  }
  return llvm::Error::success();
}

} // namespace ccgraph::driver
