#include "driver/check_output.h"

#include "ccgraph/frontend/files.h"

namespace ccgraph::driver {

llvm::Error writeTo(const std::string &path, llvm::raw_ostream &out,
                    llvm::function_ref<void(llvm::raw_ostream &)> write) {
  if (path.empty())
    return llvm::Error::success();
  if (path != "-")
    return writeFile(path, [&](llvm::raw_ostream &os) {
      write(os);
      return llvm::Error::success();
    });
  write(out);
  return llvm::Error::success();
}

} // namespace ccgraph::driver
