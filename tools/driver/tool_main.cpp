#include "driver/tool_main.h"

#include "driver/visible_stream.h"

namespace ccgraph::driver {

/// The streams are destroyed, and thereby flushed, before the error of standard output is read.
static ExitCode runVisibly(llvm::ArrayRef<const char *> arguments, Tool tool) {
  VisibleStream out(llvm::outs());
  VisibleStream err(llvm::errs());
  return tool(arguments, {out, err});
}

int toolMain(int argc, char **argv, Tool tool) {
  llvm::ArrayRef<const char *> arguments(argv + 1, static_cast<size_t>(argc > 0 ? argc - 1 : 0));
  ExitCode code = runVisibly(arguments, tool);
  // Flushes here, because an error in the last bytes would otherwise appear only after the program has ended.
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
