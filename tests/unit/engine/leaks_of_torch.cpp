// What the leak sanitizer, where there is one, shall not hold against us: PyTorch's libraries for CUDA make objects as they are loaded, and
// never give them back.

// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the sanitizer's name
extern "C" const char *__lsan_default_suppressions() { return "leak:libtorch_cuda.so\nleak:libc10_cuda.so\n"; }
