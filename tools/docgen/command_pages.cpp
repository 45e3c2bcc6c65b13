#include "docgen/command_pages.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph {
namespace {

using driver::CommandLine;
using driver::Flag;

/// Escapes the characters that man interprets: a backslash, a hyphen, and a dot or a quote at the start of a line.
std::string escaped(llvm::StringRef text) {
  std::string out;
  for (char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      out += std::string("\\&") + c;
    else
      out += c;
  }
  return out;
}

bool isOptional(const Flag &flag) { return llvm::StringRef(flag.value).startswith("["); }

void writeFlags(llvm::raw_ostream &os, const CommandLine &line, llvm::StringRef topic) {
  for (const Flag &flag : line.flags()) {
    if (flag.topic != topic || flag.help.empty())
      continue;
    os << ".TP\n\\fB" << escaped(flag.name) << "\\fR";
    if (!flag.value.empty())
      os << (isOptional(flag) ? "[=\\fI" : " \\fI") << escaped(llvm::StringRef(flag.value).trim("[]")) << "\\fR"
         << (isOptional(flag) ? "]" : "");
    os << '\n' << escaped(flag.help) << '\n';
  }
}

/// Returns the names of the flags for which `holds` is true. The separator is "|" for a shell pattern ("-o |
/// --groups"), and a blank for compgen -W.
std::string namesWhere(const CommandLine &line, llvm::function_ref<bool(const Flag &)> holds, const char *between) {
  std::vector<std::string> names;
  for (const Flag &flag : line.flags())
    if (holds(flag))
      names.push_back(flag.name);
  return llvm::join(names, between);
}

/// Writes one arm of the case over the preceding flag; writes nothing if the pattern is empty.
void writeArm(llvm::raw_ostream &os, const std::string &pattern, const std::string &words) {
  if (!pattern.empty())
    os << "  " << pattern << ")\n    " << words << "\n    return ;;\n";
}

std::string fromWords(llvm::ArrayRef<std::string> words) {
  return "mapfile -t COMPREPLY < <(compgen -W '" + llvm::join(words, " ") + "' -- \"$word\")";
}

} // namespace

// Pages and completion are generated from the tool's declarations, so they cannot name a flag that does not exist.
std::string manualPage(const std::string &tool, const CommandLine &line) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << ".\\\" Written by tools/docs.\n.TH " << llvm::StringRef(tool).upper() << " 1\n.SH NAME\n"
     << escaped(tool) << " \\- the command line of ccgraph\n.SH SYNOPSIS\n.B "
     << escaped(llvm::StringRef(line.usage()).take_front(tool.size())) << "\n"
     << escaped(llvm::StringRef(line.usage()).drop_front(tool.size()).ltrim()) << "\n.SH DESCRIPTION\n"
     << escaped(line.about()) << "\n.SH OPTIONS\n";
  writeFlags(os, line, "");
  for (const driver::Topic &topic : line.topics()) {
    os << ".SH " << llvm::StringRef(topic.name).upper() << '\n' << escaped(topic.title) << '\n';
    if (!topic.about.empty())
      os << ".PP\n" << escaped(topic.about) << '\n';
    writeFlags(os, line, topic.name);
  }
  return os.str();
}

// The script first checks the flag before the word, whose value the word may be, then whether the word is a flag. For
// any other word it offers files. Bash splits words at "=", so "--emit=js" arrives as three words; `joined` marks this
// case.
std::string bashCompletion(const std::string &tool, const CommandLine &line) {
  std::string function = "_" + tool;
  std::replace(function.begin(), function.end(), '-', '_');
  std::vector<std::string> topics;
  for (const driver::Topic &topic : line.topics())
    topics.push_back(topic.name);
  auto takesFile = [](const Flag &flag) { return llvm::StringRef(flag.value).startswith("FILE"); };
  auto takesFolder = [](const Flag &flag) { return flag.value == "DIR"; };
  auto takesOther = [&](const Flag &flag) {
    return !flag.value.empty() && !isOptional(flag) && !takesFile(flag) && !takesFolder(flag) && flag.choices.empty();
  };
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "# Completion of " << tool << " for bash; written by tools/docs.\n"
     << function << "() {\n"
     << "  local word=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD - 1]} joined=\n"
     << "  # Because bash takes the = of --flag=value for a word of its own.\n"
     << "  if [ \"$word\" = = ]; then\n    joined=yes word=\n"
     << "  elif [ \"$flag\" = = ]; then\n    joined=yes flag=${COMP_WORDS[COMP_CWORD - 2]}\n  fi\n"
     << "  COMPREPLY=()\n  case $flag in\n";
  for (const Flag &flag : line.flags())
    if (!flag.choices.empty())
      writeArm(os, flag.name, fromWords(flag.choices));
  writeArm(os, namesWhere(line, takesFile, " | "), "mapfile -t COMPREPLY < <(compgen -f -- \"$word\")");
  writeArm(os, namesWhere(line, takesFolder, " | "), "mapfile -t COMPREPLY < <(compgen -d -- \"$word\")");
  writeArm(os, namesWhere(line, takesOther, " | "), ": # a number or a name, which only the user knows");
  if (!topics.empty())
    os << "  --help)\n    [ \"$joined\" ] && " << fromWords(topics) << " && return ;;\n";
  std::vector<std::string> names;
  for (const Flag &flag : line.flags())
    names.push_back(flag.name);
  os << "  esac\n  case $word in\n  -*) " << fromWords(names) << " ;;\n"
     << "  *) mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n  esac\n}\n"
     << "complete -o filenames -F " << function << ' ' << tool << '\n';
  return os.str();
}

} // namespace ccgraph
