// LocalWatchdog: a thread that ends the calls of backend local for which no rank waits when their deadline passes.
//
// A rank that waits for its call ends it at the deadline itself. A call that no rank waits for, such as an asynchronous
// all_reduce whose work the program has dropped, would otherwise remain in flight for ever, and its group would not
// report which rank did not come.
//
// Ownership: the backends of the process share one watchdog, whose thread ends with the last of them. It borrows the
// rooms. Thread-safe. Failure: none. Cost: a thread, which locks each group four times a second.
#pragma once

#include "process_groups/local_room.h"

#include <thread>

namespace ccgraph::runtime {

class LocalWatchdog {
public:
  /// How long after its deadline a call may end.
  static constexpr std::chrono::milliseconds poll{250};

  [[nodiscard]] static std::shared_ptr<LocalWatchdog> ofProcess();
  LocalWatchdog();
  ~LocalWatchdog();
  LocalWatchdog(const LocalWatchdog &) = delete;
  LocalWatchdog &operator=(const LocalWatchdog &) = delete;

  void watch(std::weak_ptr<LocalRoom> room);

private:
  void run();
  [[nodiscard]] std::vector<std::shared_ptr<LocalRoom>> liveRooms();

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::vector<std::weak_ptr<LocalRoom>> rooms_;
  std::thread thread_;
};

} // namespace ccgraph::runtime
