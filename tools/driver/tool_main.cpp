#include "driver/tool_main.h"

namespace ccgraph::driver {

int toolMain(int argc, char **argv, Tool tool) {
  llvm::ArrayRef<const char *> arguments(argv + 1, static_cast<size_t>(argc > 0 ? argc - 1 : 0));
  ExitCode code = tool(arguments, {llvm::outs(), llvm::errs()});
  // Written here, because an error of the last bytes would otherwise show only when the program is gone.
  llvm::outs().flush();
  if (std::error_code error = llvm::outs().error()) {
    llvm::errs() << "<stdout>: error: cannot be written: " << error.message() << '\n';
    llvm::outs().clear_error();
    if (code == ExitCode::Ok)
      code = ExitCode::Diagnosed;
  }
  llvm::errs().clear_error();
  return static_cast<int>(code);
}

} // namespace ccgraph::driver
