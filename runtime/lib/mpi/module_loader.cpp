#include "mpi/module_loader.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

namespace ccgraph::runtime {
namespace {

constexpr const char *moduleName = "libccgraph_mpi.so";

std::string beside(llvm::StringRef binary, llvm::StringRef folder) {
  llvm::SmallString<128> path(llvm::sys::path::parent_path(binary));
  llvm::sys::path::append(path, folder, moduleName);
  return path.str().str();
}

/// Where the module may be, best first.
std::vector<std::string> places() {
  std::vector<std::string> found;
  void *here = reinterpret_cast<void *>(&loadMpiModule);
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, here);
  found.push_back(beside(program, "../" CCGRAPH_MODULE_DIR));
  Dl_info library;
  if (dladdr(here, &library) != 0 && library.dli_fname != nullptr)
    found.push_back(beside(library.dli_fname, "ccgraph"));
  llvm::erase_if(found, [](const std::string &path) { return !llvm::sys::fs::exists(path); });
  found.emplace_back(moduleName);
  return found;
}

llvm::Error missing(const llvm::Twine &why) {
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      "engine mpi cannot start: " + why +
          "\n  note: install Open MPI (apt-get install libopenmpi-dev openmpi-bin), configure "
          "with -DCCGRAPH_MPI=ON and build again");
}

} // namespace

llvm::Expected<MpiCalls *> loadMpiModule() {
  std::string path = places().front();
  // Global, because the components that MPI loads look for MPI's own symbols among the global ones.
  void *module = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!module)
    return missing(dlerror());
  auto entry = reinterpret_cast<MpiModuleEntry>(dlsym(module, "ccgraphMpiCalls"));
  MpiCalls *calls = entry ? entry(MpiCalls::version) : nullptr;
  if (!calls)
    return missing(llvm::Twine(path) + " is of another build than this program");
  return calls;
}

} // namespace ccgraph::runtime
