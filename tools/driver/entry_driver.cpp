#include "driver/entry_driver.h"

#include "ccgraph/ir/text.h"
#include "ccgraph/passes/registry.h"
#include "driver/check_driver.h"
#include "driver/doctor_driver.h"
#include "driver/gen_driver.h"
#include "driver/opt_driver.h"
#include "driver/run_driver.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

namespace ccgraph::driver {
namespace {

using Tool = ExitCode (*)(llvm::ArrayRef<const char *> arguments, Streams streams);

/// The page of `ccgraph report` without -o.
constexpr const char *defaultPage = "report.html";

constexpr const char *reportHelp = "Writes a page with the timelines, tables and remarks of a graph (HTML).\n\n"
                                   "usage: ccgraph report GRAPH [-o FILE] [flags of ccgraph opt]\n\n"
                                   "  -o FILE  the page (report.html, which may not be there yet)\n";

/// A page that was not named replaces no file.
ExitCode rejectDefaultPage(Streams streams) {
  streams.err << "error: " << defaultPage << " is here already, expected a new file where -o names none\n"
              << "  note: -o " << defaultPage << " replaces it\n";
  return ExitCode::Usage;
}

/// Passes -o as --report, and adds --report where the arguments do not have it.
ExitCode reportMain(llvm::ArrayRef<const char *> arguments, Streams streams) {
  std::vector<std::string> words;
  bool isNamed = false;
  for (llvm::StringRef argument : arguments) {
    if (argument == "--help" || argument == "-h") {
      streams.out << reportHelp;
      return ExitCode::Ok;
    }
    if (argument == "-o" || argument.startswith("-o="))
      argument = words.emplace_back("--report" + argument.drop_front(2).str());
    else
      words.push_back(argument.str());
    isNamed |= argument == "--report" || argument.startswith("--report=");
  }
  if (!isNamed && llvm::sys::fs::exists(defaultPage))
    return rejectDefaultPage(streams);
  if (!isNamed)
    words.insert(words.begin(), {"--report", defaultPage});
  std::vector<const char *> passed;
  for (const std::string &word : words)
    passed.push_back(word.c_str());
  return optMain(passed, streams);
}

struct Command : EntryCommand {
  Tool tool;
};

const std::vector<Command> &commands() {
  static const std::vector<Command> all = {
      {{"opt", "rewrite a graph so that its communication overlaps with computation, or explain it"}, optMain},
      {{"report", "write a page with timelines, tables and remarks: -o FILE (report.html)"}, reportMain},
      {{"check", "check that the graphs of all ranks match, or the communication of a step"}, checkMain},
      {{"run", "run a graph or its plan on N ranks, and compare the results"}, runMain},
      {{"gen", "write the graph of a training step of a model"}, genMain},
      {{"doctor", "print what is installed here, and what each part gives"}, doctorMain}};
  return all;
}

const Command *findCommand(llvm::StringRef name) {
  auto found = llvm::find_if(commands(), [&](const Command &command) { return command.name == name; });
  return found == commands().end() ? nullptr : &*found;
}

void printHelp(llvm::raw_ostream &os) {
  os << "Overlaps the communication of a training step with its computation, and proves the rewrite.\n\n"
        "usage: ccgraph COMMAND [arguments]\n       ccgraph GRAPH [flags]: the same as ccgraph opt\n\n";
  for (const EntryCommand &command : commands())
    os << "  " << llvm::left_justify(command.name, 8) << command.help << '\n';
  os << "\n  ccgraph COMMAND --help lists the flags of a command; --version prints the version\n";
}

/// Returns whether the word can only be an argument of opt: a flag, standard input, a path, or a file that exists. A
/// file that has the name of a command is written ./opt.
bool isOfOpt(llvm::StringRef word) {
  return word.startswith("-") || word.contains('/') || word.contains('.') || llvm::sys::fs::exists(word);
}

ExitCode rejectWord(llvm::StringRef word, Streams streams) {
  std::vector<std::string> names;
  for (const EntryCommand &command : commands())
    names.push_back(command.name);
  std::string nearest = nearestWord(word, names);
  streams.err << "error: got '" << visibleText(word) << "', expected " << llvm::join(names, ", ")
              << ", or a file\n  note: "
              << (nearest.empty() ? "ccgraph --help explains them" : "did you mean " + nearest + "?") << '\n';
  return ExitCode::Usage;
}

} // namespace

llvm::ArrayRef<EntryCommand> entryCommands() {
  static const std::vector<EntryCommand> all(commands().begin(), commands().end());
  return all;
}

ExitCode entryMain(llvm::ArrayRef<const char *> arguments, Streams streams) {
  llvm::StringRef word = arguments.empty() ? "" : arguments.front();
  if (word == "--help" || word == "-h" || word == "help") {
    printHelp(streams.out);
    return ExitCode::Ok;
  }
  if (word == "--version") {
    streams.out << "ccgraph " << CCGRAPH_VERSION << '\n';
    return ExitCode::Ok;
  }
  if (arguments.empty()) {
    printHelp(streams.err);
    return ExitCode::Usage;
  }
  if (const Command *command = findCommand(word))
    return command->tool(arguments.drop_front(), streams);
  return isOfOpt(word) ? optMain(arguments, streams) : rejectWord(word, streams);
}

ExitCode entryMainAs(llvm::StringRef program, llvm::ArrayRef<const char *> arguments, Streams streams) {
  llvm::StringRef name = llvm::sys::path::filename(program);
  const Command *command = name.consume_front("ccgraph-") ? findCommand(name) : nullptr;
  return command ? command->tool(arguments, streams) : entryMain(arguments, streams);
}

} // namespace ccgraph::driver
