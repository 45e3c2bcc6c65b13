// The module behind MpiCalls (mpi_calls.h): the one file that names mpi.h. Loaded at the engine's first use.
#include "mpi/mpi_calls.h"

#include <climits>
#include <cstring>
#include <map>
#include <mpi.h>

namespace ccgraph::runtime {
namespace {

template <typename Raw>
uintptr_t pack(Raw handle) {
  static_assert(sizeof(handle) <= sizeof(uintptr_t));
  uintptr_t raw = 0;
  std::memcpy(&raw, &handle, sizeof(handle));
  return raw;
}
template <typename Raw>
Raw unpack(uintptr_t raw) {
  Raw handle;
  std::memcpy(&handle, &raw, sizeof(handle));
  return handle;
}
MPI_Comm commOf(MpiComm comm) { return unpack<MPI_Comm>(comm.raw); }

/// A count and a type that are so many bytes together.
struct Extent {
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
};

/// Types for counts beyond MPI's int. They are kept, because a collective in flight may still use them; a program has a
/// handful.
class LargeTypes {
public:
  int extentOf(int64_t bytes, Extent &made) {
    made = {static_cast<int>(bytes), MPI_BYTE};
    if (bytes <= INT_MAX)
      return MPI_SUCCESS;
    auto known = types_.find(bytes);
    if (known == types_.end()) {
      if (int error = build(bytes, made.type))
        return error;
      known = types_.emplace(bytes, made.type).first;
    }
    made = {1, known->second};
    return MPI_SUCCESS;
  }

private:
  /// Blocks of 1 GiB, and the rest after them. Its extent equals its bytes, so that several are contiguous.
  static int build(int64_t bytes, MPI_Datatype &made) {
    constexpr int64_t block = 1 << 30;
    MPI_Datatype one;
    if (int error = MPI_Type_contiguous(static_cast<int>(block), MPI_BYTE, &one))
      return error;
    int lengths[] = {static_cast<int>(bytes / block), static_cast<int>(bytes % block)};
    MPI_Aint places[] = {0, static_cast<MPI_Aint>(bytes / block * block)};
    MPI_Datatype types[] = {one, MPI_BYTE};
    int error = MPI_Type_create_struct(2, lengths, places, types, &made);
    MPI_Type_free(&one);
    return error ? error : MPI_Type_commit(&made);
  }
  std::map<int64_t, MPI_Datatype> types_;
};

class Calls final : public MpiCalls {
public:
  // --- The job ----------------------------------------------------------------------------------------
  int start(MpiStart &started) override {
    int running = 0, threads = 0;
    if (int error = MPI_Initialized(&running))
      return error;
    ours_ = running == 0;
    // A blocking call is made on a thread of its own, so that another thread can end the job meanwhile.
    if (int error =
            ours_ ? MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &threads) : MPI_Query_thread(&threads))
      return error;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &started.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &started.size);
    started.threads = threads >= MPI_THREAD_MULTIPLE;
    started.world = {pack(MPI_COMM_WORLD)};
    void *largest = nullptr;
    int known = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void *>(&largest), &known);
    if (known)
      started.largestTag = *static_cast<int *>(largest);
    return findHostRanks(started);
  }
  int stop() override { return ours_ ? MPI_Finalize() : MPI_SUCCESS; }
  void endAll(int exitCode) override { MPI_Abort(MPI_COMM_WORLD, exitCode); }
  [[nodiscard]] std::string errorText(int code) const override {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    return {text, static_cast<size_t>(length)};
  }

  // --- Communicators ----------------------------------------------------------------------------------
  int duplicate(MpiComm from, MpiComm &made, MpiRequest &request) override {
    // MPI writes the handle when the request completes, so it must be in the caller's memory.
    static_assert(sizeof(MPI_Comm) <= sizeof(made.raw));
    return started(MPI_Comm_idup(commOf(from), reinterpret_cast<MPI_Comm *>(&made.raw), &raw_), request);
  }
  int create(MpiComm from, const int *members, int numMembers, MpiComm &made) override {
    MPI_Group all, some;
    MPI_Comm comm = MPI_COMM_NULL;
    if (int error = MPI_Comm_group(commOf(from), &all))
      return error;
    int error = MPI_Group_incl(all, numMembers, members, &some);
    MPI_Group_free(&all);
    if (error)
      return error;
    error = MPI_Comm_create_group(commOf(from), some, 0, &comm);
    MPI_Group_free(&some);
    if (error)
      return error;
    made = {pack(comm)};
    return MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  int free(MpiComm comm) override {
    MPI_Comm raw = commOf(comm);
    return MPI_Comm_free(&raw);
  }

  // --- Requests ---------------------------------------------------------------------------------------
  int test(MpiRequest &request, bool &complete, MpiReceived *received) override {
    auto raw = unpack<MPI_Request>(request.raw);
    int done = 0;
    MPI_Status status;
    int error = MPI_Test(&raw, &done, received ? &status : MPI_STATUS_IGNORE);
    request = {pack(raw)};
    complete = done != 0;
    if (error || !complete || !received)
      return error;
    MPI_Count bytes = 0;
    error = MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
    *received = {bytes, status.MPI_SOURCE};
    return error;
  }
  int cancelReceive(MpiRequest &request) override {
    auto raw = unpack<MPI_Request>(request.raw);
    if (int error = MPI_Cancel(&raw))
      return error;
    return MPI_Request_free(&raw);
  }

  // --- Communication ----------------------------------------------------------------------------------
  int send(MpiComm comm, const MpiMessage &message, MpiRequest &request) override {
    Extent extent;
    if (int error = types_.extentOf(message.bytes, extent))
      return error;
    return started(MPI_Isend(message.data, extent.count, extent.type, message.peer, message.tag, commOf(comm), &raw_),
                   request);
  }
  int receive(MpiComm comm, const MpiMessage &message, MpiRequest &request) override {
    Extent extent;
    if (int error = types_.extentOf(message.bytes, extent))
      return error;
    int from = message.peer == anyMember ? MPI_ANY_SOURCE : message.peer;
    return started(MPI_Irecv(message.data, extent.count, extent.type, from, message.tag, commOf(comm), &raw_), request);
  }
  int barrier(MpiComm comm, MpiRequest &request) override {
    return started(MPI_Ibarrier(commOf(comm), &raw_), request);
  }
  int broadcast(MpiComm comm, std::byte *data, int64_t bytes, int root, MpiRequest &request) override {
    Extent extent;
    if (int error = types_.extentOf(bytes, extent))
      return error;
    return started(MPI_Ibcast(data, extent.count, extent.type, root, commOf(comm), &raw_), request);
  }
  int allGather(MpiComm comm, const std::byte *send, std::byte *receive, int64_t bytes, MpiRequest &request) override {
    Extent extent;
    if (int error = types_.extentOf(bytes, extent))
      return error;
    const void *from = send ? send : MPI_IN_PLACE;
    return started(
        MPI_Iallgather(from, extent.count, extent.type, receive, extent.count, extent.type, commOf(comm), &raw_),
        request);
  }
  int allToAll(MpiComm comm, const std::byte *send, std::byte *receive, int64_t bytes, MpiRequest &request) override {
    Extent extent;
    if (int error = types_.extentOf(bytes, extent))
      return error;
    return started(
        MPI_Ialltoall(send, extent.count, extent.type, receive, extent.count, extent.type, commOf(comm), &raw_),
        request);
  }
  int scatter(MpiComm comm, const std::byte *send, std::byte *receive, int64_t bytes, int root,
              MpiRequest &request) override {
    Extent extent;
    if (int error = types_.extentOf(bytes, extent))
      return error;
    void *to = receive ? receive : MPI_IN_PLACE;
    return started(
        MPI_Iscatter(send, extent.count, extent.type, to, extent.count, extent.type, root, commOf(comm), &raw_),
        request);
  }

private:
  static int findHostRanks(MpiStart &started) {
    MPI_Comm host;
    if (int error = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host))
      return error;
    int size = 0;
    MPI_Comm_size(host, &size);
    std::vector<int> ranks(static_cast<size_t>(size));
    int error = MPI_Allgather(&started.rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, host);
    MPI_Comm_free(&host);
    started.hostRanks.assign(ranks.begin(), ranks.end());
    return error;
  }
  int started(int error, MpiRequest &request) {
    if (!error)
      request = {pack(raw_)};
    return error;
  }

  bool ours_ = false;
  MPI_Request raw_ = MPI_REQUEST_NULL;
  LargeTypes types_;
};

} // namespace
} // namespace ccgraph::runtime

extern "C" ccgraph::runtime::MpiCalls *ccgraphMpiCalls(int version) {
  static ccgraph::runtime::Calls calls;
  return version == ccgraph::runtime::MpiCalls::version ? &calls : nullptr;
}
