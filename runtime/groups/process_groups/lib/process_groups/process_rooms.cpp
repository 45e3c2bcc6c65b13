#include "process_groups/process_rooms.h"

#include "process_groups/group_error.h"

#include <map>
#include <mutex>
#include <unistd.h>

namespace ccgraph::runtime {
namespace {

/// The rooms of this process that some member has not entered yet, by number.
struct Rooms {
  struct Open {
    std::shared_ptr<void> room;
    int64_t entered = 0;
  };
  std::mutex mutex;
  uint64_t next = 1;
  std::map<std::string, Open> byId;
};
Rooms &rooms() {
  static Rooms all;
  return all;
}

std::string processId() { return std::to_string(::getpid()); }

/// Under the lock.
void enter(Rooms &all, const std::string &id, int64_t members) {
  if (++all.byId[id].entered == members)
    all.byId.erase(id);
}

std::string addRoom(const BackendSetup &setup, std::shared_ptr<void> room) {
  Rooms &all = rooms();
  std::lock_guard<std::mutex> lock(all.mutex);
  std::string id = processId() + ":" + std::to_string(all.next++);
  all.byId[id].room = std::move(room);
  enter(all, id, setup.size());
  return id;
}

llvm::Expected<std::shared_ptr<void>> findRoom(const BackendSetup &setup, const RoomKind &kind, const std::string &id) {
  Rooms &all = rooms();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto found = all.byId.find(id);
  if (found != all.byId.end()) {
    std::shared_ptr<void> room = found->second.room;
    enter(all, id, setup.size());
    return room;
  }
  std::string process = llvm::StringRef(id).split(':').first.str();
  if (process == processId())
    return groupError("group.argument", "",
                      "all " + std::to_string(setup.size()) + " ranks of group " + setup.name +
                          " have come already, and here comes rank " + std::to_string(setup.rank) + " again",
                      "give each rank its own number, and each job a store of its own");
  return groupError("group.unsupported", "",
                    "the ranks of backend " + kind.backend.str() + " must be threads of one process: rank 0 of group " +
                        setup.name + " is in process " + process + ", and rank " + std::to_string(setup.rank) +
                        " in process " + processId(),
                    kind.repair.str());
}

} // namespace

llvm::Expected<std::shared_ptr<void>> enterRoom(const BackendSetup &setup, const RoomKind &kind,
                                                llvm::function_ref<std::shared_ptr<void>()> make) {
  if (setup.rank == 0) {
    std::shared_ptr<void> room = make();
    if (llvm::Error error = setup.store->set(kind.backend, addRoom(setup, room)))
      return error;
    return room;
  }
  if (llvm::Error error = setup.store->wait({kind.backend.str()}, setup.timeout))
    return error;
  llvm::Expected<std::string> id = setup.store->get(kind.backend);
  return id ? findRoom(setup, kind, *id) : id.takeError();
}

} // namespace ccgraph::runtime
