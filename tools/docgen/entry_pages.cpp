#include "docgen/entry_pages.h"

#include "driver/entry_driver.h"

namespace ccgraph {
namespace {

/// Returns the tool whose flags the command takes: `report` takes those of opt.
std::string toolOf(const driver::EntryCommand &command) {
  return "ccgraph-" + (command.name == "report" ? "opt" : command.name);
}

std::string commandWords() {
  std::string words;
  for (const driver::EntryCommand &command : driver::entryCommands())
    words += (words.empty() ? "" : " ") + command.name;
  return words;
}

} // namespace

std::string entryManualPage() {
  std::string text =
      ".\\\" Written by tools/docs.\n.TH CCGRAPH 1\n.SH NAME\nccgraph \\- overlap the communication of a "
      "training step with its computation\n.SH SYNOPSIS\n.B ccgraph\nCOMMAND [arguments]\n.br\n.B "
      "ccgraph\nGRAPH [flags of ccgraph opt]\n.SH COMMANDS\n";
  for (const driver::EntryCommand &command : driver::entryCommands())
    text += ".TP\n\\fB" + command.name + "\\fR\n" + command.help + "\n";
  return text + ".SH SEE ALSO\n.BR ccgraph-opt (1),\n.BR ccgraph-check (1),\n.BR ccgraph-run (1),\n.BR ccgraph-gen "
                "(1),\n.BR ccgraph-doctor (1)\n";
}

// The words after the command are moved one place to the left, so that the function of the tool sees its own words.
// Bash loads the functions of the tools from the files beside this one.
std::string entryBashCompletion() {
  std::string text = "# Completion of ccgraph for bash; written by tools/docs.\n"
                     "_ccgraph() {\n"
                     "  local folder=${BASH_SOURCE[0]%/*} tool=\n"
                     "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
                     "    mapfile -t COMPREPLY < <(compgen -W '" +
                     commandWords() +
                     "' -- \"${COMP_WORDS[1]}\"; compgen -f -- \"${COMP_WORDS[1]}\")\n"
                     "    return\n  fi\n  case ${COMP_WORDS[1]} in\n";
  for (const driver::EntryCommand &command : driver::entryCommands())
    text += "  " + command.name + ") tool=" + toolOf(command) + " ;;\n";
  return text + "  *) tool=ccgraph-opt COMP_WORDS=(ccgraph \"${COMP_WORDS[@]}\") COMP_CWORD=$((COMP_CWORD + 1)) ;;\n"
                "  esac\n"
                "  declare -F \"_${tool//-/_}\" >/dev/null || source \"$folder/$tool\" || return\n"
                "  COMP_WORDS=(\"$tool\" \"${COMP_WORDS[@]:2}\")\n"
                "  COMP_CWORD=$((COMP_CWORD - 1))\n"
                "  \"_${tool//-/_}\"\n"
                "}\n"
                "complete -o filenames -F _ccgraph ccgraph\n";
}

// In the state `rest`, $words begins with the command.
std::string entryZshCompletion() {
  std::string text = "#compdef ccgraph\n# Completion of ccgraph for zsh; written by tools/docs.\nlocal state line\n"
                     "local -a commands\ncommands=(\n";
  for (const driver::EntryCommand &command : driver::entryCommands()) {
    std::string help = command.help;
    for (size_t at = help.find(':'); at != std::string::npos; at = help.find(':', at + 2))
      help.insert(at, 1, '\\');
    text += "  '" + command.name + ":" + help + "'\n";
  }
  text += ")\n_arguments -C '1: :->command' '*:: :->rest'\ncase $state in\n"
          "command) _describe command commands; _files ;;\nrest)\n  case $words[1] in\n";
  for (const driver::EntryCommand &command : driver::entryCommands())
    text += "  " + command.name + ") _" + toolOf(command) + " ;;\n";
  return text + "  *) _ccgraph-opt ;;\n  esac ;;\nesac\n";
}

} // namespace ccgraph
