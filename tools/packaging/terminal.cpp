// The four functions of terminfo that LLVM calls to learn whether a terminal shows colors. They take the place of
// libtinfo, whose archive cannot be linked into a shared library, and which wheels may not require.
//
// A terminal shows colors unless TERM is empty or "dumb", which is also the rule of LLVM without terminfo.
#include <cstdlib>
#include <cstring>

#define CCGRAPH_HIDDEN extern "C" __attribute__((visibility("hidden")))

struct term;
CCGRAPH_HIDDEN term *set_curterm(term * /*terminal*/) { return nullptr; }
CCGRAPH_HIDDEN int del_curterm(term * /*terminal*/) { return 0; }
CCGRAPH_HIDDEN int setupterm(const char * /*name*/, int /*file*/, int * /*error*/) {
  const char *name = std::getenv("TERM");
  return name && *name && std::strcmp(name, "dumb") != 0 ? 0 : -1;
}
CCGRAPH_HIDDEN int tigetnum(const char * /*capability*/) { return 8; }
