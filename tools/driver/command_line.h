// CommandLine parses flags and positional arguments, and prints help and errors, the same for every tool.
//
// Each flag is declared once, with its value and help; parsing, --help and the suggestion for a misspelt flag use this
// declaration. `--flag VALUE` and `--flag=VALUE` mean the same. A lone `-` is a positional argument (standard input).
// After `--`, every word is positional.
//
// Ownership: flags hold callbacks into the caller's options. Failure: an llvm::Error of one line, with a note if the
// flag resembles another; the caller exits with Usage. Cost: negligible.
#pragma once

#include "driver/streams.h"
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
  /// the command line is not valid
  Usage = 2,
  /// a requested check failed, or could not be made
  CheckFailed = 3,
  /// a defect of ccgraph
  Internal = 4,
};

struct Flag {
  /// "--groups", "-O2"
  std::string name;
  /// the value: "FILE"; empty for a switch; "[TOPIC]" for a value that may be given by `=` only, "[N]" for an optional
  /// number
  std::string value;
  /// one line; empty: not listed
  std::string help;
  std::function<llvm::Error(llvm::StringRef value)> accept;
  /// the screen of the help that lists the flag; empty: the first
  std::string topic = {};
  /// the accepted words, if they are few: for completion
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
  /// `usage` is the text after "usage: " in the help; `about` is one sentence.
  CommandLine(std::string usage, std::string about) : usage_(std::move(usage)), about_(std::move(about)) {}

  /// Lists the flags that are added from now on on the screen `--help=TOPIC`. `title` appears on the first screen, and
  /// `about` below the title of the topic's own screen.
  void beginTopic(llvm::StringRef topic, llvm::StringRef title, llvm::StringRef about = "");
  void add(Flag flag);
  void addSwitch(llvm::StringRef name, llvm::StringRef help, bool &value);
  /// Adds a flag with an optional value, which is given after `=` only: `--remarks`, `--remarks=REGEX`. No value means
  /// that the flag was not given.
  void addOptional(llvm::StringRef name, llvm::StringRef value, llvm::StringRef help, std::optional<std::string> &text);
  void addText(llvm::StringRef name, llvm::StringRef value, llvm::StringRef help, std::string &text);
  /// Adds a flag that takes a non-negative number.
  void addNumber(llvm::StringRef name, llvm::StringRef value, llvm::StringRef help, std::function<void(double)> use);
  /// Sets the accepted words of the flag that was added last.
  void chooseFrom(std::vector<std::string> words) { flags_.back().choices = std::move(words); }
  /// Adds a flag that takes a whole number of at least `minimum`.
  void addCount(llvm::StringRef name, llvm::StringRef value, llvm::StringRef help, size_t minimum,
                std::function<void(size_t)> use);
  /// Adds a flag that takes a number of ranks: from 1 to mostRanks.
  void addRanks(llvm::StringRef name, llvm::StringRef help, size_t &ranks);
  /// Adds a flag that takes a comma-separated list; repeating the flag appends to the list.
  void addList(llvm::StringRef name, llvm::StringRef value, llvm::StringRef help, std::vector<std::string> &list);
  /// The same for files. A value that is the path of a file is one path, also with commas in it.
  void addFileList(llvm::StringRef name, llvm::StringRef value, llvm::StringRef help, std::vector<std::string> &list);
  /// Adds --help, --help=TOPIC and -h.
  void addHelp(llvm::StringRef help, std::optional<std::string> &topic);

  /// `arguments` without the program's name.
  [[nodiscard]] llvm::Error parse(llvm::ArrayRef<const char *> arguments);
  [[nodiscard]] llvm::ArrayRef<std::string> positional() const { return positional_; }
  /// In their order.
  [[nodiscard]] llvm::ArrayRef<report::GivenFlag> given() const { return given_; }
  /// One screen; a topic that does not exist is an error.
  [[nodiscard]] llvm::Error printHelp(llvm::raw_ostream &os, llvm::StringRef topic = "") const;

  // The declarations, for code that writes them in another form.
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

/// Returns the error "got GOT, expected EXPECTED" about a flag's value.
[[nodiscard]] llvm::Error badValue(llvm::StringRef flag, llvm::StringRef got, llvm::StringRef expected);

/// Prints diagnostics in their own form, and any other error as one `error:` line.
void printError(llvm::raw_ostream &os, llvm::Error error);

/// Prints the error; returns Usage.
ExitCode rejectUsage(Streams streams, llvm::Error error);

/// The flags that each program has.
struct CommonFlags {
  llvm::StringRef program;
  /// topic, empty for the first screen; no value: help was not requested
  const std::optional<std::string> &help;
  bool version = false;
};

/// Prints the help or the version; returns nothing if neither was requested.
[[nodiscard]] std::optional<ExitCode> answerCommonFlags(const CommandLine &line, const CommonFlags &flags,
                                                        Streams streams);

} // namespace ccgraph::driver
