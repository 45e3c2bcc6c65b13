#include "driver/check_driver.h"
#include "driver/tool_main.h"

int main(int argc, char **argv) { return ccgraph::driver::toolMain(argc, argv, ccgraph::driver::checkMain); }
