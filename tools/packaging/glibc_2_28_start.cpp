// Lets a program that is linked with the start code of glibc 2.34 or newer start with glibc 2.28.
//
// The newer start code leaves it to __libc_start_main@GLIBC_2.34 to run the constructors of the program. The older
// __libc_start_main calls the function that it receives as `init`, which each program contained. This file passes such
// a function. All versions of glibc run the destructors from the dynamic section. Only for programs: a library has no
// start code.
//
// Source: csu/libc-start.c and csu/elf-init.c of glibc 2.28 and 2.36.
extern "C" {
using Main = int (*)(int, char **, char **);
using Constructor = void (*)(int, char **, char **);

int ccgraph_old_libc_start_main(Main main, int count, char **words, Constructor init, void (*fini)(),
                                void (*loaderFini)(), void *stackEnd);
__asm__(".symver ccgraph_old_libc_start_main, __libc_start_main@GLIBC_2.2.5");

// NOLINTBEGIN(bugprone-reserved-identifier): names of the linker and of glibc
extern __attribute__((visibility("hidden"))) const Constructor __init_array_start[];
extern __attribute__((visibility("hidden"))) const Constructor __init_array_end[];
void _init();

static void runConstructors(int count, char **words, char **environment) {
  _init();
  for (const Constructor *constructor = __init_array_start; constructor != __init_array_end; ++constructor)
    (*constructor)(count, words, environment);
}

__attribute__((visibility("hidden"))) int __libc_start_main(Main main, int count, char **words, void (*)(), void (*)(),
                                                            void (*loaderFini)(), void *stackEnd) {
  return ccgraph_old_libc_start_main(main, count, words, runConstructors, nullptr, loaderFini, stackEnd);
}
// NOLINTEND(bugprone-reserved-identifier)
}
