#include "docgen/zsh_completion.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph {
namespace {

using driver::CommandLine;
using driver::Flag;

/// Escapes the characters that _arguments interprets inside a word in single quotes.
std::string escaped(llvm::StringRef text) {
  std::string out;
  for (char c : text) {
    if (c == '\'')
      out += "'\\'";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      out += '\\';
    out += c;
  }
  return out;
}

/// Returns the values that zsh offers for the flag: its words, files or folders; a blank offers nothing.
std::string actionOf(const Flag &flag, llvm::ArrayRef<std::string> topics) {
  if (!flag.choices.empty())
    return "(" + llvm::join(flag.choices, " ") + ")";
  if (flag.name == "--help")
    return "(" + llvm::join(topics, " ") + ")";
  if (llvm::StringRef(flag.value).startswith("FILE"))
    return "_files";
  return flag.value == "DIR" ? "_files -/" : " ";
}

/// Returns `--flag=[help]:VALUE:action`. With "=-" and "::", the value is optional and follows "=" only.
std::string specOf(const Flag &flag, llvm::ArrayRef<std::string> topics) {
  llvm::StringRef value = flag.value;
  const bool isOptional = value.consume_front("[");
  value.consume_back("]");
  std::string spec = flag.name;
  if (!value.empty() && llvm::StringRef(flag.name).startswith("--"))
    spec += isOptional ? "=-" : "=";
  if (!flag.help.empty())
    spec += "[" + escaped(flag.help) + "]";
  if (!value.empty())
    spec += (isOptional ? "::" : ":") + escaped(value) + ":" + actionOf(flag, topics);
  return spec;
}

} // namespace

std::string zshCompletion(const std::string &tool, const CommandLine &line) {
  std::vector<std::string> topics;
  for (const driver::Topic &topic : line.topics())
    topics.push_back(topic.name);
  std::string text = "#compdef " + tool + "\n# Completion of " + tool + " for zsh; written by tools/docs.\n_arguments";
  for (const Flag &flag : line.flags())
    text += " \\\n  '" + specOf(flag, topics) + "'";
  return text + " \\\n  '*:file:_files'\n";
}

} // namespace ccgraph
