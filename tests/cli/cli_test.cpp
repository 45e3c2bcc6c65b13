// Tests the output of successful calls of the tools: help, lists, summaries. `ccgraph_cli --update` rewrites the
// expectations.
#include "tool_cases/tool_case.h"

int main(int argc, char **argv) { return ccgraph::test::runToolCases(argc, argv, CCGRAPH_SOURCE_DIR "/tests/cli"); }
