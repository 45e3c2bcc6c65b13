#include "loaded_module.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

namespace ccgraph::runtime {
namespace {

std::string beside(llvm::StringRef binary, llvm::StringRef folder, llvm::StringRef module) {
  llvm::SmallString<128> path(llvm::sys::path::parent_path(binary));
  llvm::sys::path::append(path, folder, module);
  return path.str().str();
}

/// Where the module may be, best first.
std::vector<std::string> placesOf(const char *module) {
  std::vector<std::string> found;
  void *here = reinterpret_cast<void *>(&findInModule);
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, here);
  found.push_back(beside(program, "../" CCGRAPH_MODULE_DIR, module));
  Dl_info library;
  if (dladdr(here, &library) != 0 && library.dli_fname != nullptr)
    found.push_back(beside(library.dli_fname, "ccgraph", module));
  llvm::erase_if(found, [](const std::string &path) { return !llvm::sys::fs::exists(path); });
  found.emplace_back(module);
  return found;
}

} // namespace

llvm::Expected<void *> findInModule(const char *module, const char *symbol, ModuleSymbols symbols) {
  std::string path = placesOf(module).front();
  void *loaded = dlopen(path.c_str(), RTLD_NOW | (symbols == ModuleSymbols::Global ? RTLD_GLOBAL : RTLD_LOCAL));
  void *found = loaded ? dlsym(loaded, symbol) : nullptr;
  if (!found)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "%s", dlerror());
  return found;
}

llvm::Error cannotStart(const ModuleSource &source, const llvm::Twine &why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 source.who + (" cannot start: " + why + "\n  note: ").str() + source.repair);
}

} // namespace ccgraph::runtime
