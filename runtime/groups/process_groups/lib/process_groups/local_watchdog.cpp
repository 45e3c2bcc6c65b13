#include "process_groups/local_watchdog.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {

std::shared_ptr<LocalWatchdog> LocalWatchdog::ofProcess() {
  static std::mutex mutex;
  static std::weak_ptr<LocalWatchdog> only;
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<LocalWatchdog> watchdog = only.lock();
  if (!watchdog)
    only = watchdog = std::make_shared<LocalWatchdog>();
  return watchdog;
}

LocalWatchdog::LocalWatchdog() : thread_([this] { run(); }) {}

LocalWatchdog::~LocalWatchdog() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void LocalWatchdog::watch(std::weak_ptr<LocalRoom> room) {
  std::lock_guard<std::mutex> lock(mutex_);
  rooms_.push_back(std::move(room));
}

std::vector<std::shared_ptr<LocalRoom>> LocalWatchdog::liveRooms() {
  std::vector<std::shared_ptr<LocalRoom>> live;
  llvm::erase_if(rooms_, [](const std::weak_ptr<LocalRoom> &room) { return room.expired(); });
  for (const std::weak_ptr<LocalRoom> &room : rooms_)
    if (std::shared_ptr<LocalRoom> here = room.lock())
      live.push_back(std::move(here));
  return live;
}

void LocalWatchdog::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!changed_.wait_for(lock, poll, [this] { return ends_; })) {
    std::vector<std::shared_ptr<LocalRoom>> rooms = liveRooms();
    lock.unlock();
    for (const std::shared_ptr<LocalRoom> &room : rooms)
      room->endOverdue();
    rooms.clear();
    lock.lock();
  }
}

} // namespace ccgraph::runtime
