#include "driver/opt_driver.h"

int main(int argc, char **argv) {
  llvm::ArrayRef<const char *> arguments(argv + 1, static_cast<size_t>(argc > 0 ? argc - 1 : 0));
  return static_cast<int>(ccgraph::driver::optMain(arguments, {llvm::outs(), llvm::errs()}));
}
