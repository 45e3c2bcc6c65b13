// Loads a library by a relative name and then changes to a folder with a module of another project: the library must
// find its own module and not the other one.
#include <cstdio>
#include <dlfcn.h>
#include <unistd.h>

int main() {
  void *library = dlopen("library/libccgraph_module_finder.so", RTLD_NOW);
  auto *find = library ? reinterpret_cast<bool (*)(const char *)>(dlsym(library, "findSample")) : nullptr;
  if (!find || chdir("elsewhere") != 0) {
    std::fprintf(stderr, "cannot prepare the test: %s\n", dlerror());
    return 1;
  }
  bool own = find("libccgraph_sample.so"), foreign = find("libccgraph_foreign.so");
  if (!own)
    std::fputs("the module beside the library is not found\n", stderr);
  if (foreign)
    std::fputs("a module of the current folder was loaded\n", stderr);
  return own && !foreign ? 0 : 1;
}
