#include "report/advice_command.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace ccgraph::report {
namespace {

/// Returns true for flags that control what is printed or written besides the summary.
bool isOutput(llvm::StringRef flag) {
  return llvm::StringSwitch<bool>(flag)
      .Cases("-o", "--emit", "--summary", "--exposed", "--advise", "--remarks", "--json", "--csv", true)
      .Cases("--timing", "--print-after-change", "--diff", "--report", "--trace", "--remarks-file", true)
      .Default(false);
}

bool isLevel(llvm::StringRef flag) { return flag.startswith("-O"); }

/// Returns true if the flags of an advice set the same option as this flag.
bool isReplacedBy(llvm::StringRef flag, llvm::StringRef advised) {
  if (isLevel(advised))
    return isLevel(flag);
  if (advised.startswith("--pipeline "))
    return isLevel(flag) || flag == "--pipeline";
  if (advised.startswith("--memory-budget "))
    return flag == "--memory-budget" || flag == "--minimize";
  return false;
}

/// Returns a text such as " --groups g.json".
std::string wordsOf(const GivenFlag &flag) {
  return " " + flag.name + (flag.value ? " " + shellWord(*flag.value) : "");
}

} // namespace

std::string shellWord(llvm::StringRef word) {
  constexpr llvm::StringLiteral plain = "-_./:=,+@%";
  bool isPlain = !word.empty() && llvm::all_of(word, [&](char c) { return llvm::isAlnum(c) || plain.contains(c); });
  if (isPlain)
    return word.str();
  std::string quoted = "'";
  for (char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string adviceCommand(const Summary &summary, const Advice &advice) {
  std::string command = "ccgraph-opt " + shellWord(summary.input == "<stdin>" ? "-" : summary.input);
  for (const GivenFlag &flag : summary.given)
    if (!isOutput(flag.name) && !isReplacedBy(flag.name, advice.flags))
      command += wordsOf(flag);
  auto [flag, value] = llvm::StringRef(advice.flags).split(' ');
  return command + wordsOf({flag.str(), value.empty() ? std::nullopt : std::optional(value.str())});
}

} // namespace ccgraph::report
