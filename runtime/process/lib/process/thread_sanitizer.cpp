#include "process/thread_sanitizer.h"

#if defined(__SANITIZE_THREAD__)

#include <exception>
#include <sanitizer/tsan_interface.h>
#include <sys/mman.h>
#include <ucontext.h>

extern "C" {
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
void AnnotateIgnoreSyncBegin(const char *file, int line);
void AnnotateIgnoreSyncEnd(const char *file, int line);
}

namespace ccgraph::runtime {

static void stopWatching() {
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
}

static void watch() {
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}

SharedByStreams::SharedByStreams() {
  stopWatching();
  AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
}

SharedByStreams::~SharedByStreams() {
  AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
  watch();
}

void HiddenCount::endUse(const void *object) { __tsan_release(const_cast<void *>(object)); }
void HiddenCount::awaitUses(const void *object) { __tsan_acquire(const_cast<void *>(object)); }

StreamThreads::Seen::Seen() { watch(); }
StreamThreads::Seen::~Seen() { stopWatching(); }

/// One stream: the sanitizer's idea of a thread, and a stack.
struct StreamThreads::Fiber {
  static constexpr size_t stackBytes = size_t{1} << 20;

  void *watched = nullptr, *watchedLoop = nullptr;
  void *stack = nullptr;
  ucontext_t own{}, loop{};
  const llvm::function_ref<void()> *body = nullptr;
  char *done = nullptr;
  std::exception_ptr failure;

  Fiber() : watched(__tsan_create_fiber(0)) {
    stack = mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    getcontext(&own);
    own.uc_stack.ss_sp = stack;
    own.uc_stack.ss_size = stackBytes;
    auto address = reinterpret_cast<uintptr_t>(this);
    makecontext(&own, reinterpret_cast<void (*)()>(&live), 2, static_cast<unsigned>(address >> 32),
                static_cast<unsigned>(address));
  }
  ~Fiber() {
    __tsan_destroy_fiber(watched);
    munmap(stack, stackBytes);
  }
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  void enter() {
    watchedLoop = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(watched, __tsan_switch_to_fiber_no_sync);
    swapcontext(&loop, &own);
  }
  void leave() {
    void *to = watchedLoop;
    // The fiber may never be resumed, and none may end while it is not watched.
    watch();
    __tsan_switch_to_fiber(to, __tsan_switch_to_fiber_no_sync);
    swapcontext(&own, &loop);
  }
};

// A context gets its arguments as ints.
void StreamThreads::live(unsigned high, unsigned low) {
  auto &fiber = *reinterpret_cast<Fiber *>(uintptr_t{high} << 32 | low);
  for (;;) {
    stopWatching();
    try {
      (*fiber.body)();
    } catch (...) {
      fiber.failure = std::current_exception();
    }
    __tsan_release(fiber.done);
    fiber.leave();
  }
}

StreamThreads::StreamThreads(const Plan &plan) : issued_(plan.streams.size()), events_(plan.numEvents) {
  for (size_t stream = 0; stream < plan.streams.size(); ++stream)
    fibers_.push_back(std::make_unique<Fiber>());
}

StreamThreads::~StreamThreads() = default;

void StreamThreads::visit(StreamId stream, llvm::function_ref<void()> body) {
  Fiber &fiber = *fibers_[stream];
  fiber.body = &body;
  fiber.done = &done_;
  fiber.enter();
  __tsan_acquire(&done_);
  if (std::exception_ptr failure = std::exchange(fiber.failure, nullptr))
    std::rethrow_exception(failure);
}

void StreamThreads::issue(StreamId stream) {
  visit(Plan::hostStream, [&] { __tsan_release(&issued_[stream]); });
}

void StreamThreads::begin(const PlanStep &step) {
  visit(step.stream, [&] {
    __tsan_acquire(&issued_[step.stream]);
    for (EventId event : step.waits)
      __tsan_acquire(&events_[event]);
  });
}

void StreamThreads::end(const PlanStep &step) {
  if (step.event)
    visit(step.stream, [&] { __tsan_release(&events_[*step.event]); });
}

} // namespace ccgraph::runtime

#endif
