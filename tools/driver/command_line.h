// CommandLine: flags, positional arguments, help and exit codes, the same for every tool.
//
// A flag is declared once, with what it takes and its help; parsing, --help and the suggestion
// for a misspelt flag come from that. `--flag VALUE` and `--flag=VALUE` are one, a lone `-` is a
// positional argument (standard input), and after `--` everything is.
//
// Ownership: flags hold callbacks into the caller's options. Failure: an llvm::Error of one line,
// and a note where a flag resembles another; the caller exits with Usage. Cost: none worth
// naming.
#pragma once

#include "report/given_flag.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph::driver {

enum class ExitCode : int {
  Ok = 0,
  /// an error in the input, or of a pass
  Diagnosed = 1,
  /// the command line makes no sense
  Usage = 2,
  /// a check that was asked for did not hold, or could not be made
  CheckFailed = 3,
  /// a bug of ours
  Internal = 4,
};

struct Flag {
  /// "--groups", "-O2"
  std::string name;
  /// what it takes: "FILE"; empty for a switch; "[TOPIC]" for one that may be given by `=` only, "[N]" for a number that may be left out
  std::string value;
  /// one line; empty: not listed
  std::string help;
  std::function<llvm::Error(llvm::StringRef value)> accept;
  /// which screen of the help lists it; empty: the first
  std::string topic = {};
  /// words that its value may be, where they are few: for completion
  std::vector<std::string> choices = {};
};

/// A screen of the help after the first.
struct Topic {
  std::string name;
  std::string title;
  std::string about;
};

class CommandLine {
public:
  /// `usage` is what follows "usage: " in the help; `about` one sentence.
  CommandLine(std::string usage, std::string about) : usage_(std::move(usage)), about_(std::move(about)) {}

  /// Flags added from here on are listed on the screen `--help=TOPIC`. `title` is listed on the
  /// first screen, `about` stands below it on the topic's own.
  void beginTopic(llvm::StringRef topic, llvm::StringRef title, llvm::StringRef about = "");
  void add(Flag flag);
  void addSwitch(llvm::StringRef name, llvm::StringRef help, bool &value);
  /// With a value that may be left out and stands after `=` only: `--remarks`, `--remarks=REGEX`. No value: not given.
  void addOptional(llvm::StringRef name, llvm::StringRef value, llvm::StringRef help, std::optional<std::string> &text);
  void addText(llvm::StringRef name, llvm::StringRef value, llvm::StringRef help, std::string &text);
  /// Non-negative.
  void addNumber(llvm::StringRef name, llvm::StringRef value, llvm::StringRef help, std::function<void(double)> use);
  /// Says which words the value of the flag that was added last may be.
  void chooseFrom(std::vector<std::string> words) { flags_.back().choices = std::move(words); }
  /// A whole number from `minimum` on.
  void addCount(llvm::StringRef name, llvm::StringRef value, llvm::StringRef help, size_t minimum,
                std::function<void(size_t)> use);
  /// A number of ranks: from 1 to mostRanks.
  void addRanks(llvm::StringRef name, llvm::StringRef help, size_t &ranks);
  /// Comma-separated; repeating the flag adds.
  void addList(llvm::StringRef name, llvm::StringRef value, llvm::StringRef help, std::vector<std::string> &list);
  /// --help, --help=TOPIC and -h.
  void addHelp(llvm::StringRef help, std::optional<std::string> &topic);

  /// `arguments` without the program's name.
  [[nodiscard]] llvm::Error parse(llvm::ArrayRef<const char *> arguments);
  [[nodiscard]] llvm::ArrayRef<std::string> positional() const { return positional_; }
  /// In their order.
  [[nodiscard]] llvm::ArrayRef<report::GivenFlag> given() const { return given_; }
  /// One screen; a topic that does not exist is an error.
  [[nodiscard]] llvm::Error printHelp(llvm::raw_ostream &os, llvm::StringRef topic = "") const;

  // What was declared, for those who write it down in another form.
  [[nodiscard]] const std::string &usage() const { return usage_; }
  [[nodiscard]] const std::string &about() const { return about_; }
  [[nodiscard]] llvm::ArrayRef<Flag> flags() const { return flags_; }
  [[nodiscard]] llvm::ArrayRef<Topic> topics() const { return topics_; }

private:
  [[nodiscard]] const Flag *find(llvm::StringRef name) const;
  [[nodiscard]] llvm::Error unknown(llvm::StringRef name) const;
  void printFlags(llvm::raw_ostream &os, llvm::StringRef topic) const;

  std::string usage_;
  std::string about_;
  std::vector<Flag> flags_;
  std::vector<Topic> topics_;
  std::vector<std::string> positional_;
  std::vector<report::GivenFlag> given_;
};

/// "got GOT, expected EXPECTED" about a flag's value.
[[nodiscard]] llvm::Error badValue(llvm::StringRef flag, llvm::StringRef got, llvm::StringRef expected);

/// Prints an error: diagnostics as they are, anything else as one `error:` line.
void printError(llvm::raw_ostream &os, llvm::Error error);

} // namespace ccgraph::driver
