#include "process/loaded_module.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>
#include <link.h>

#include <climits>

namespace ccgraph::runtime {
namespace {

std::string joined(llvm::StringRef root, llvm::StringRef folder, llvm::StringRef module) {
  llvm::SmallString<128> path(root);
  llvm::sys::path::append(path, folder, module);
  return path.str().str();
}

/// Returns the folder of the library that contains this code, as it was when the library was loaded; empty if the
/// program itself contains it. dli_fname would be the name that was passed to dlopen: a relative one leads to another
/// folder after a chdir.
std::string folderOfThisLibrary() {
  Dl_info library;
  link_map *loaded = nullptr;
  auto *here = reinterpret_cast<void *>(&findInModule);
  char folder[PATH_MAX];
  // The loader's entry of the program has no name, and glibc crashes on a query for the origin of that entry.
  bool known =
      dladdr1(here, &library, reinterpret_cast<void **>(&loaded), RTLD_DL_LINKMAP) != 0 && *loaded->l_name != 0;
  return known && dlinfo(loaded, RTLD_DI_ORIGIN, folder) == 0 ? folder : "";
}

/// Returns the possible paths of the module, best first.
std::vector<std::string> placesOf(const char *module) {
  std::vector<std::string> found;
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&findInModule));
  found.push_back(joined(llvm::sys::path::parent_path(program), "../" CCGRAPH_MODULE_DIR, module));
  found.push_back(joined(folderOfThisLibrary(), "ccgraph", module));
  // A relative path would be searched in the current folder, where any user may have put a library.
  llvm::erase_if(found, [](const std::string &path) {
    return !llvm::sys::path::is_absolute(path) || !llvm::sys::fs::exists(path);
  });
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
