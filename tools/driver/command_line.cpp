#include "driver/command_line.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/text.h"
#include "ccgraph/toolkit/group_assumption.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

#include <algorithm>

namespace ccgraph::driver {
namespace {

llvm::Error usageError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

} // namespace

llvm::Error badValue(llvm::StringRef flag, llvm::StringRef got, llvm::StringRef expected) {
  return usageError(flag + ": got '" + visibleText(got) + "', expected " + expected);
}

void printError(llvm::raw_ostream &os, llvm::Error error) {
  llvm::handleAllErrors(
      std::move(error), [&](const DiagnosticError &diagnostics) { os << toString(diagnostics.diagnostics()); },
      [&](const llvm::ErrorInfoBase &other) { os << "error: " << other.message() << '\n'; });
}

ExitCode rejectUsage(Streams streams, llvm::Error error) {
  printError(streams.err, std::move(error));
  return ExitCode::Usage;
}

std::optional<ExitCode> answerCommonFlags(const CommandLine &line, const CommonFlags &flags, Streams streams) {
  if (flags.help) {
    llvm::Error error = line.printHelp(streams.out, *flags.help);
    return error ? rejectUsage(streams, std::move(error)) : ExitCode::Ok;
  }
  if (!flags.version)
    return std::nullopt;
  streams.out << flags.program << ' ' << CCGRAPH_VERSION << '\n';
  return ExitCode::Ok;
}

void CommandLine::beginTopic(llvm::StringRef topic, llvm::StringRef title, llvm::StringRef about) {
  topics_.push_back({topic.str(), title.str(), about.str()});
}

void CommandLine::add(Flag flag) {
  if (!topics_.empty())
    flag.topic = topics_.back().name;
  flags_.push_back(std::move(flag));
}

void CommandLine::addSwitch(llvm::StringRef name, llvm::StringRef help, bool &value) {
  add({name.str(), "", help.str(), [&value](llvm::StringRef) {
         value = true;
         return llvm::Error::success();
       }});
}

void CommandLine::addText(llvm::StringRef name, llvm::StringRef value, llvm::StringRef help, std::string &text) {
  add({name.str(), value.str(), help.str(), [&text](llvm::StringRef given) {
         text = given.str();
         return llvm::Error::success();
       }});
}

void CommandLine::addOptional(llvm::StringRef name, llvm::StringRef value, llvm::StringRef help,
                              std::optional<std::string> &text) {
  add({name.str(), ("[" + value + "]").str(), help.str(), [&text](llvm::StringRef given) {
         text = given.str();
         return llvm::Error::success();
       }});
}

void CommandLine::addNumber(llvm::StringRef name, llvm::StringRef value, llvm::StringRef help,
                            std::function<void(double)> use) {
  add({name.str(), value.str(), help.str(),
       [flag = name.str(), use = std::move(use)](llvm::StringRef given) -> llvm::Error {
         double number = 0;
         // The test is not "number < 0", which would accept NaN.
         if (given.getAsDouble(number) || !(number >= 0))
           return badValue(flag, given, "a number from 0 on");
         use(number);
         return llvm::Error::success();
       }});
}

void CommandLine::addCount(llvm::StringRef name, llvm::StringRef value, llvm::StringRef help, size_t minimum,
                           std::function<void(size_t)> use) {
  add({name.str(), value.str(), help.str(),
       [flag = name.str(), minimum, use = std::move(use)](llvm::StringRef given) -> llvm::Error {
         size_t number = 0;
         if (given.getAsInteger(10, number) || number < minimum)
           return badValue(flag, given, "a whole number from " + std::to_string(minimum) + " on");
         use(number);
         return llvm::Error::success();
       }});
}

void CommandLine::addRanks(llvm::StringRef name, llvm::StringRef help, size_t &ranks) {
  add({name.str(), "N", help.str(), [flag = name.str(), &ranks](llvm::StringRef given) -> llvm::Error {
         size_t number = 0;
         if (given.getAsInteger(10, number) || number == 0 || number > mostRanks)
           return badValue(flag, given, "a number of ranks from 1 to " + std::to_string(mostRanks));
         ranks = number;
         return llvm::Error::success();
       }});
}

// A list may be given in parts: "--groups a,b --groups c" is a, b, c.
void CommandLine::addList(llvm::StringRef name, llvm::StringRef value, llvm::StringRef help,
                          std::vector<std::string> &list) {
  add({name.str(), value.str(), help.str(), [&list](llvm::StringRef given) {
         llvm::SmallVector<llvm::StringRef, 8> parts;
         given.split(parts, ',');
         for (llvm::StringRef part : parts)
           list.push_back(part.str());
         return llvm::Error::success();
       }});
}

void CommandLine::addFileList(llvm::StringRef name, llvm::StringRef value, llvm::StringRef help,
                              std::vector<std::string> &list) {
  addList(name, value, help, list);
  flags_.back().accept = [&list, split = std::move(flags_.back().accept)](llvm::StringRef given) -> llvm::Error {
    if (!llvm::sys::fs::exists(given))
      return split(given);
    list.push_back(given.str());
    return llvm::Error::success();
  };
}

// -h does the same as --help and has no help text, so no screen lists it.
void CommandLine::addHelp(llvm::StringRef help, std::optional<std::string> &topic) {
  addOptional("--help", "TOPIC", help, topic);
  add({"-h", "", "", flags_.back().accept});
}

// The flags are a list rather than a map, since they are shown in the order in which they were added; there are about
// thirty.
const Flag *CommandLine::find(llvm::StringRef name) const {
  auto found = llvm::find_if(flags_, [&](const Flag &flag) { return flag.name == name; });
  return found == flags_.end() ? nullptr : &*found;
}

// Suggests the flag with the smallest edit distance: at most three letters, and less than half of the flag's length.
// For "--sumary" the suggestion is --summary, and for "--foo" there is none.
llvm::Error CommandLine::unknown(llvm::StringRef given) const {
  const std::string shown = visibleText(given);
  llvm::StringRef name = shown;
  // A different digit means another level, and all levels are equally near, so the note lists the levels.
  if (name.startswith("-O"))
    if (const Flag *first = find("-O0"))
      return usageError("unknown flag " + name + "\n  note: " + first->name + " to -O3 are the levels");
  constexpr unsigned farthest = 3;
  const Flag *nearest = nullptr;
  unsigned distance = farthest + 1;
  for (const Flag &flag : flags_) {
    unsigned d = name.edit_distance(flag.name, true, farthest);
    if (d < distance && d < flag.name.size() / 2) {
      distance = d;
      nearest = &flag;
    }
  }
  if (nearest)
    return usageError("unknown flag " + name + "\n  note: did you mean " + nearest->name + "?");
  return usageError("unknown flag " + name + "\n  note: --help lists the flags");
}

static bool isNumber(llvm::StringRef text) { return !text.empty() && llvm::all_of(text, llvm::isDigit); }

// "-o out.json" and "-o=out.json" mean the same. An optional number is taken from the next word if that word is a
// number, as in "--exposed 5"; a file of that name is written "./5". A flag with another optional value, such as
// --help, takes the value only after "=". In "--help graph.json", the second word may be a file. After "--", every word
// is a positional argument, so a file may be called "-x".
llvm::Error CommandLine::parse(llvm::ArrayRef<const char *> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    llvm::StringRef argument = arguments[i];
    if (argument == "--") {
      positional_.insert(positional_.end(), arguments.begin() + i + 1, arguments.end());
      break;
    }
    if (!argument.startswith("-") || argument == "-") {
      positional_.push_back(argument.str());
      continue;
    }
    auto [name, value] = argument.split('=');
    bool joined = argument.contains('=');
    const Flag *flag = find(name);
    if (flag == nullptr)
      return unknown(name);
    if (flag->value.empty() && joined)
      return usageError(name + " takes no value, got '" + value + "'");
    bool optional = llvm::StringRef(flag->value).startswith("[");
    if (flag->value == "[N]" && !joined && i + 1 != arguments.size() && isNumber(arguments[i + 1])) {
      joined = true;
      value = arguments[++i];
    }
    if (!flag->value.empty() && !joined && !optional) {
      if (i + 1 == arguments.size())
        return usageError(name + ": got nothing, expected " + flag->value);
      value = arguments[++i];
    }
    if (llvm::Error error = flag->accept(value))
      return error;
    bool tookNone = flag->value.empty() || (optional && !joined);
    given_.push_back({name.str(), tookNone ? std::nullopt : std::optional(value.str())});
  }
  return llvm::Error::success();
}

/// The longest line of a help screen.
constexpr size_t screenWidth = 120;

/// Prints the words of a text, with line breaks where the next word would exceed the screen. The cursor is in column
/// `indent`, where each further line begins.
static void printWords(llvm::raw_ostream &os, llvm::StringRef text, size_t indent) {
  size_t column = indent;
  while (!text.empty()) {
    auto [word, rest] = text.split(' ');
    if (column > indent && column + 1 + word.size() > screenWidth) {
      os << '\n' << std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      os << ' ';
      ++column;
    }
    os << word;
    column += word.size();
    text = rest;
  }
  os << '\n';
}

/// Prints the lines of a text, each of which may continue on the next line of the screen.
static void printLines(llvm::raw_ostream &os, llvm::StringRef text) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    printWords(os, line, 0);
    text = rest;
  }
}

// The first screen shows the flags that most users need, and names the other screens, called topics. A flag belongs to
// the topic that was begun last when the flag was added.
llvm::Error CommandLine::printHelp(llvm::raw_ostream &os, llvm::StringRef topic) const {
  auto found = llvm::find_if(topics_, [&](const Topic &entry) { return entry.name == topic; });
  if (!topic.empty() && found == topics_.end()) {
    std::string known;
    for (const Topic &entry : topics_)
      known += " " + entry.name;
    return usageError("--help: got '" + visibleText(topic) + "', expected one of" + known);
  }
  if (topic.empty()) {
    printLines(os, about_);
    os << "\nusage: " << usage_ << "\n\n";
  } else {
    os << found->title << '\n';
    printLines(os, found->about);
    os << '\n';
  }
  printFlags(os, topic);
  if (topic.empty() && !topics_.empty()) {
    os << "\nmore:\n";
    size_t width = 10;
    for (const Topic &entry : topics_)
      width = std::max(width, entry.name.size() + 2);
    for (const Topic &entry : topics_)
      os << "  --help=" << llvm::left_justify(entry.name, width) << entry.title << '\n';
  }
  return llvm::Error::success();
}

// The help texts of all flags start in one column, after the longest flag of the screen.
void CommandLine::printFlags(llvm::raw_ostream &os, llvm::StringRef topic) const {
  auto isListed = [&](const Flag &flag) { return flag.topic == topic && !flag.help.empty(); };
  auto left = [](const Flag &flag) {
    bool optional = llvm::StringRef(flag.value).startswith("[");
    return flag.name + (flag.value.empty() ? "" : optional ? "=" : " ") + llvm::StringRef(flag.value).trim("[]").str();
  };
  size_t width = 0;
  for (const Flag &flag : flags_)
    if (isListed(flag))
      width = std::max(width, left(flag).size());
  for (const Flag &flag : flags_)
    if (isListed(flag)) {
      os << "  " << llvm::left_justify(left(flag), static_cast<unsigned>(width)) << "  ";
      printWords(os, flag.help, 2 + width + 2);
    }
}

} // namespace ccgraph::driver
