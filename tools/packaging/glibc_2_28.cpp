// Lets a program or library that is linked with a newer glibc run with glibc 2.28, the oldest of the wheel tag
// manylinux_2_28.
//
// A linker binds a function to its newest version, so a program needs the glibc with which it was linked even if an
// older version of the function does the same. This file defines these functions again: hidden, so that the archives of
// the program find them here and other libraries of the process do not. Most definitions are a jump to the oldest
// version. Functions that glibc 2.28 does not have are written with functions that it has.
//
// glibc 2.34 moved the functions of libpthread and libdl into libc. A program for an older one must be linked with
// libpthread.so.0 and libdl.so.2, which are empty in newer versions. tools/packaging/wheel checks that no newer symbol
// is needed.
//
// Source of the versions: the dynamic symbol tables of glibc 2.36, objdump -T. x86-64 only.
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <malloc.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/stat.h>

#if !defined(__x86_64__) || !defined(__linux__)
#error "the versions of this file are those of x86-64"
#endif

#define CCGRAPH_OLD_FUNCTION(name, version)                                                                            \
  __asm__(".pushsection .text\n"                                                                                       \
          ".globl " #name "\n.hidden " #name "\n.type " #name ", @function\n" #name ":\n"                              \
          "  jmp *ccgraph_old_" #name "@GOTPCREL(%rip)\n"                                                              \
          ".size " #name ", . - " #name "\n"                                                                           \
          ".symver ccgraph_old_" #name ", " #name "@GLIBC_" #version "\n"                                              \
          ".popsection\n")

// libm: version 2.29 of the first five does not set errno as SVID requires; version 2.35 of hypot is faster.
CCGRAPH_OLD_FUNCTION(exp, 2.2.5);
CCGRAPH_OLD_FUNCTION(exp2, 2.2.5);
CCGRAPH_OLD_FUNCTION(log, 2.2.5);
CCGRAPH_OLD_FUNCTION(log2, 2.2.5);
CCGRAPH_OLD_FUNCTION(pow, 2.2.5);
CCGRAPH_OLD_FUNCTION(hypot, 2.2.5);

// libdl.
CCGRAPH_OLD_FUNCTION(dladdr1, 2.3.3);
CCGRAPH_OLD_FUNCTION(dlclose, 2.2.5);
CCGRAPH_OLD_FUNCTION(dlerror, 2.2.5);
CCGRAPH_OLD_FUNCTION(dlinfo, 2.3.3);
CCGRAPH_OLD_FUNCTION(dlopen, 2.2.5);
CCGRAPH_OLD_FUNCTION(dlsym, 2.2.5);

// libpthread.
CCGRAPH_OLD_FUNCTION(pthread_attr_setstacksize, 2.2.5);
CCGRAPH_OLD_FUNCTION(pthread_create, 2.2.5);
CCGRAPH_OLD_FUNCTION(pthread_detach, 2.2.5);
CCGRAPH_OLD_FUNCTION(pthread_getname_np, 2.12);
CCGRAPH_OLD_FUNCTION(pthread_getspecific, 2.2.5);
CCGRAPH_OLD_FUNCTION(pthread_join, 2.2.5);
CCGRAPH_OLD_FUNCTION(pthread_key_create, 2.2.5);
CCGRAPH_OLD_FUNCTION(pthread_key_delete, 2.2.5);
CCGRAPH_OLD_FUNCTION(pthread_once, 2.2.5);
CCGRAPH_OLD_FUNCTION(pthread_setname_np, 2.12);
CCGRAPH_OLD_FUNCTION(pthread_setspecific, 2.2.5);
CCGRAPH_OLD_FUNCTION(pthread_sigmask, 2.2.5);

#define CCGRAPH_HIDDEN extern "C" __attribute__((visibility("hidden")))

// Before 2.33, stat() was an inline function over these, with the version of the struct.
extern "C" int ccgraph_xstat(int version, const char *path, struct stat *result);
extern "C" int ccgraph_lxstat(int version, const char *path, struct stat *result);
extern "C" int ccgraph_fxstat(int version, int file, struct stat *result);
__asm__(".symver ccgraph_xstat, __xstat@GLIBC_2.2.5");
__asm__(".symver ccgraph_lxstat, __lxstat@GLIBC_2.2.5");
__asm__(".symver ccgraph_fxstat, __fxstat@GLIBC_2.2.5");
static constexpr int statVersion = 1;

CCGRAPH_HIDDEN int stat(const char *path, struct stat *result) { return ccgraph_xstat(statVersion, path, result); }
CCGRAPH_HIDDEN int lstat(const char *path, struct stat *result) { return ccgraph_lxstat(statVersion, path, result); }
CCGRAPH_HIDDEN int fstat(int file, struct stat *result) { return ccgraph_fxstat(statVersion, file, result); }
// On x86-64, both structs are the same.
CCGRAPH_HIDDEN int fstat64(int file, struct stat64 *result) {
  return ccgraph_fxstat(statVersion, file, reinterpret_cast<struct stat *>(result));
}

// 2.33: the older mallinfo counts in int.
CCGRAPH_HIDDEN struct mallinfo2 mallinfo2() {
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  struct mallinfo old = mallinfo();
  struct mallinfo2 result = {};
  result.arena = static_cast<unsigned>(old.arena);
  result.hblkhd = static_cast<unsigned>(old.hblkhd);
  result.uordblks = static_cast<unsigned>(old.uordblks);
  result.fordblks = static_cast<unsigned>(old.fordblks);
  return result;
}

// 2.32: false means that there may be other threads, which is never wrong.
CCGRAPH_HIDDEN char __libc_single_threaded; // NOLINT(bugprone-reserved-identifier): glibc's own name
char __libc_single_threaded = 0;

// 2.36. As there, the kernel's generator must answer, since a caller cannot receive an error.
CCGRAPH_HIDDEN uint32_t arc4random() {
  uint32_t number = 0;
  while (getrandom(&number, sizeof number, 0) != sizeof number) {
  }
  return number;
}

// 2.32: the names of the errors that a server socket can report.
CCGRAPH_HIDDEN const char *strerrorname_np(int error) {
  struct Name {
    int error;
    const char *name;
  };
  static constexpr Name names[] = {{EACCES, "EACCES"},
                                   {EADDRINUSE, "EADDRINUSE"},
                                   {EADDRNOTAVAIL, "EADDRNOTAVAIL"},
                                   {EAFNOSUPPORT, "EAFNOSUPPORT"},
                                   {EBADF, "EBADF"},
                                   {EINVAL, "EINVAL"},
                                   {EMFILE, "EMFILE"},
                                   {ENFILE, "ENFILE"},
                                   {ENOBUFS, "ENOBUFS"},
                                   {ENOMEM, "ENOMEM"},
                                   {EOPNOTSUPP, "EOPNOTSUPP"},
                                   {EPERM, "EPERM"}};
  for (const Name &entry : names)
    if (entry.error == error)
      return entry.name;
  return nullptr;
}

static timespec later(timespec time, int64_t nanoseconds) {
  constexpr int64_t second = 1'000'000'000;
  int64_t sum = time.tv_nsec + nanoseconds;
  return {time.tv_sec + sum / second, sum % second};
}

static bool isBefore(const timespec &a, const timespec &b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

// 2.30: waits until a time of any clock. The older function waits until a time of the system clock, which may be set
// during the wait. So each wait is short, and the given clock decides whether the time has come. A short wait that ends
// early is a spurious wakeup, which every caller must expect.
CCGRAPH_HIDDEN int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                                          const timespec *until) {
  constexpr int64_t slice = 20'000'000;
  timespec now = {}, system = {};
  if (clock_gettime(clock, &now) != 0 || clock_gettime(CLOCK_REALTIME, &system) != 0)
    return EINVAL;
  if (!isBefore(now, *until))
    return ETIMEDOUT;
  int64_t left = slice;
  if (isBefore(*until, later(now, slice)))
    left = (until->tv_sec - now.tv_sec) * 1'000'000'000 + until->tv_nsec - now.tv_nsec;
  timespec end = later(system, left);
  int code = pthread_cond_timedwait(condition, mutex, &end);
  if (code != ETIMEDOUT)
    return code;
  clock_gettime(clock, &now);
  return isBefore(now, *until) ? 0 : ETIMEDOUT;
}
