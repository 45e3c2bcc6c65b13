// Tests the functions of tools/packaging/glibc_2_28.cpp and the start of a program with them: each function of the list
// is called, directly or by the standard library. Prints the first condition that does not hold.
#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <mutex>
#include <pthread.h>
#include <random>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace {

void require(bool holds, const char *what) {
  if (holds)
    return;
  std::printf("error: %s\n", what);
  std::exit(1);
}

struct Constructed {
  Constructed() : value(41) {}
  int value;
};
Constructed constructedBeforeMain;

void checkNumbers(double two) {
  require(std::pow(two, 10) == 1024 && std::exp2(two) == 4 && std::log2(two * 4) == 3, "powers of two are exact");
  require(std::hypot(two * 1.5, two * 2) == 5, "hypot(3, 4) is 5");
  require(std::abs(std::log(std::exp(two)) - 2) < 1e-15, "log is the inverse of exp");
}

void checkFiles(const char *path) {
  struct stat byPath = {}, byLink = {}, byFile = {};
  struct stat64 wide = {};
  int file = open(path, O_RDONLY);
  require(stat(path, &byPath) == 0 && lstat(path, &byLink) == 0 && fstat(file, &byFile) == 0, "stat finds the program");
  require(fstat64(file, &wide) == 0 && wide.st_size == byPath.st_size, "fstat64 agrees with stat");
  require(byPath.st_ino == byFile.st_ino && byPath.st_ino == byLink.st_ino && byPath.st_size > 0, "stat agrees");
  require(stat("/nonexistent/file", &byPath) == -1 && errno == ENOENT, "stat reports a missing file");
  close(file);
}

void checkThreads() {
  using namespace std::chrono;
  std::mutex mutex;
  std::condition_variable changed;
  bool isReady = false;
  std::unique_lock lock(mutex);
  auto start = steady_clock::now();
  require(!changed.wait_for(lock, milliseconds(50), [&] { return isReady; }), "a wait ends at its deadline");
  require(steady_clock::now() - start >= milliseconds(50), "a wait does not end before its deadline");
  std::thread other([&] {
    pthread_setname_np(pthread_self(), "other");
    std::lock_guard guard(mutex);
    isReady = true;
    changed.notify_one();
  });
  require(changed.wait_for(lock, minutes(1), [&] { return isReady; }), "a notified wait ends");
  lock.unlock();
  other.join();
  timespec past = {0, 0};
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&held);
  require(pthread_cond_clockwait(&condition, &held, CLOCK_MONOTONIC, &past) == ETIMEDOUT, "a time that is over");
}

void checkLoader() {
  void *libm = dlopen("libm.so.6", RTLD_NOW);
  require(libm && dlsym(libm, "cos") && !dlsym(libm, "no such function") && dlerror(), "the loader finds symbols");
  Dl_info info;
  link_map *entry = nullptr;
  require(dladdr1(dlsym(libm, "cos"), &info, reinterpret_cast<void **>(&entry), RTLD_DL_LINKMAP) && entry,
          "the loader finds the library of a function");
  char origin[4096];
  require(dlinfo(libm, RTLD_DI_ORIGIN, origin) == 0 && *origin == '/', "the loader returns a library's folder");
  dlclose(libm);
}

void checkOthers() {
  std::random_device device;
  bool differs = false;
  for (int i = 0; i < 8; ++i)
    differs |= device() != device();
  require(differs, "random numbers differ");
  require(!std::strcmp(strerrorname_np(EADDRINUSE), "EADDRINUSE") && !strerrorname_np(-1), "errors have names");
  void *memory = std::malloc(1 << 16);
  require(memory && mallinfo2().uordblks >= 1 << 16, "memory is counted");
  std::free(memory);
}

} // namespace

int main(int count, char **words) {
  require(constructedBeforeMain.value == 41, "constructors run before main");
  checkNumbers(count + 1);
  checkFiles(words[0]);
  checkThreads();
  checkLoader();
  checkOthers();
  std::puts("ok");
}
