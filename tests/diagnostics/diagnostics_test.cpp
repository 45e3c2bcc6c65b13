// Every broken input of this folder, with the whole of what the tools say to it. `ccgraph_diagnostics --update` rewrites the expectations.
#include "support/tool_case.h"

int main(int argc, char **argv) {
  return ccgraph::test::runToolCases(argc, argv, CCGRAPH_SOURCE_DIR "/tests/diagnostics");
}
