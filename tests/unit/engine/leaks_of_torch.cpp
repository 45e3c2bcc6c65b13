// Suppresses reports of the leak sanitizer: PyTorch's libraries for CUDA allocate objects when they are loaded, and
// never free them.

// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the sanitizer's name
extern "C" const char *__lsan_default_suppressions() { return "leak:libtorch_cuda.so\nleak:libc10_cuda.so\n"; }
