// Tests every broken input of this folder, with the complete output of the tools. `ccgraph_diagnostics --update`
// rewrites the expectations.
#include "tool_cases/tool_case.h"

int main(int argc, char **argv) {
  return ccgraph::test::runToolCases(argc, argv, CCGRAPH_SOURCE_DIR "/tests/diagnostics");
}
