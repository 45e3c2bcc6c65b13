// Calls every collective of a process group on the ranks of a backend, and compares the values with those of the
// interpreter's reduction and of plain concatenation.
//
//   ccgraph_group_ranks local RANKS
//   mpirun -n RANKS ccgraph_group_ranks mpi FILE
//
// FILE does not exist yet: the file store of the job. The last line is "rank R: N values compared, 0 wrong".
#include "ccgraph/runtime/broadcast_coalesced.h"
#include "ccgraph/runtime/engine.h"
#include "ccgraph/runtime/job.h"
#include "collectives/buffer.h"
#include "collectives/reduce.h"
#include "stores/store_error.h"
#include "tensor/elements.h"
#include "tools/group_jobs.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

using namespace ccgraph;
using namespace ccgraph::runtime;

namespace {

constexpr DType dtypes[] = {DType::U8,   DType::I8,  DType::I16, DType::I32, DType::I64,  DType::F16,
                            DType::BF16, DType::F32, DType::F64, DType::C64, DType::C128, DType::Bool};
constexpr ReduceOp reductions[] = {ReduceOp::Sum, ReduceOp::Avg,  ReduceOp::Product, ReduceOp::Min,
                                   ReduceOp::Max, ReduceOp::Band, ReduceOp::Bor,     ReduceOp::Bxor};

struct Count {
  int compared = 0;
  int wrong = 0;
};

Tensor valuesOf(DType dtype, int64_t elements, int64_t rank) {
  Tensor tensor = Tensor::zeros(dtype, {elements});
  for (int64_t i = 0; i < elements; ++i)
    writeElement<Complex>(dtype, tensor.data() + i * tensor.elementSize(),
                          Complex(static_cast<double>((i * 7 + rank * 3) % 5), static_cast<double>(rank % 2)));
  return tensor;
}

class Calls {
public:
  explicit Calls(Job &job) : group_(job.world()), rank_(job.rank()), ranks_(job.worldSize()) {}

  Count run() {
    for (DType dtype : dtypes) {
      for (int64_t elements : {3, 5000})
        for (ReduceOp op : reductions)
          if (!llvm::errorToBool(checkReducible(op, dtype)) &&
              !(op == ReduceOp::Avg && classOf(dtype) == DTypeClass::Integer))
            reduce(dtype, op, elements);
      move(dtype);
    }
    manyRows();
    transfers();
    anySource();
    return count_;
  }

private:
  void expect(const Tensor &got, const Tensor &expected) {
    ++count_.compared;
    count_.wrong += got.toHost().data == expected.toHost().data ? 0 : 1;
  }
  std::vector<Tensor> rows(DType dtype, int64_t elements) const {
    std::vector<Tensor> all;
    for (int64_t rank = 0; rank < ranks_; ++rank)
      all.push_back(valuesOf(dtype, elements, rank));
    return all;
  }
  static Tensor concatenated(std::vector<Tensor> rows) { return Buffer(std::move(rows)).read(); }

  void reduce(DType dtype, ReduceOp op, int64_t elements) {
    Tensor whole = reduceInOrder(op, rows(dtype, elements * ranks_)), all = valuesOf(dtype, elements * ranks_, rank_);
    Tensor part = Tensor::zeros(dtype, {elements}), once = valuesOf(dtype, elements * ranks_, rank_);
    llvm::cantFail(finish(group_.reduceScatterTensor(part, all, op)));
    expect(part, whole.slice(0, elements * rank_, elements * (rank_ + 1)).cloneContiguous());
    llvm::cantFail(finish(group_.allReduce(all, op)));
    expect(all, whole);
    llvm::cantFail(finish(group_.reduce(once, ranks_ - 1, op)));
    expect(once, rank_ == ranks_ - 1 ? whole : valuesOf(dtype, elements * ranks_, rank_));
  }

  void move(DType dtype) {
    std::vector<Tensor> all = rows(dtype, 4), list;
    Tensor mine = valuesOf(dtype, 4, rank_);
    for (int64_t i = 0; i < ranks_; ++i)
      list.push_back(Tensor::zeros(dtype, {4}));
    llvm::cantFail(finish(group_.allGather(list, mine)));
    expect(concatenated(list), concatenated(all));
    llvm::cantFail(finish(group_.allToAll(list, all)));
    expect(list.front(), all[static_cast<size_t>(rank_)]);
    for (int64_t root = 0; root < ranks_; ++root) {
      bool isRoot = rank_ == root;
      Tensor moved = valuesOf(dtype, 4, rank_), share = Tensor::zeros(dtype, {4});
      llvm::cantFail(finish(group_.broadcast(moved, root)));
      expect(moved, all[static_cast<size_t>(root)]);
      llvm::cantFail(finish(group_.gather(isRoot ? list : std::vector<Tensor>(), mine, root)));
      if (isRoot)
        expect(concatenated(list), concatenated(all));
      llvm::cantFail(finish(group_.scatter(share, isRoot ? all : std::vector<Tensor>(), root)));
      expect(share, all[static_cast<size_t>(rank_)]);
    }
    llvm::cantFail(broadcastCoalesced(group_, {mine, list.front()}, 8, 0));
    expect(mine, all.front());
    llvm::cantFail(finish(group_.barrier()));
  }

  /// More rows than the first message of a call has room to describe (call_opening.cpp).
  void manyRows() {
    std::vector<Tensor> all;
    for (int64_t i = 0; i < 60; ++i)
      all.push_back(valuesOf(DType::F32, i, rank_));
    llvm::cantFail(finish(group_.allReduceCoalesced(all)));
    for (int64_t i = 0; i < 60; ++i)
      expect(all[static_cast<size_t>(i)], reduceInOrder(ReduceOp::Sum, rows(DType::F32, i)));
  }

  /// Many calls in flight, in an order of waits that differs from rank to rank.
  void transfers() {
    int64_t next = (rank_ + 1) % ranks_, before = (rank_ + ranks_ - 1) % ranks_;
    std::vector<Tensor> sums, received;
    std::vector<WorkPtr> works;
    for (int64_t i = 0; i < 8; ++i) {
      sums.push_back(valuesOf(DType::F32, 20000 + i, rank_));
      works.push_back(llvm::cantFail(group_.allReduce(sums.back())));
      received.push_back(Tensor::zeros(DType::F32, {100 + i}));
      if (ranks_ == 1)
        continue;
      for (WorkPtr &work : llvm::cantFail(group_.batch({{GroupOp::Send, valuesOf(DType::F32, 100 + i, rank_), next, i},
                                                        {GroupOp::Recv, received.back(), before, i}})))
        works.push_back(std::move(work));
    }
    if (rank_ % 2 == 1)
      std::reverse(works.begin(), works.end());
    for (const WorkPtr &work : works)
      llvm::cantFail(work->wait());
    for (int64_t i = 0; i < 8; ++i) {
      expect(sums[static_cast<size_t>(i)], reduceInOrder(ReduceOp::Sum, rows(DType::F32, 20000 + i)));
      if (ranks_ > 1)
        expect(received[static_cast<size_t>(i)], valuesOf(DType::F32, 100 + i, before));
    }
  }

  /// Rank 0 receives one message of each other rank, in the order in which they come.
  void anySource() {
    constexpr int64_t tag = 100;
    std::vector<bool> came(static_cast<size_t>(ranks_), false);
    if (rank_ != 0)
      llvm::cantFail(finish(group_.send(valuesOf(DType::F32, 10, rank_), 0, {.tag = tag})));
    for (int64_t i = 1; rank_ == 0 && i < ranks_; ++i) {
      Tensor received = Tensor::zeros(DType::F32, {10});
      WorkPtr work = llvm::cantFail(group_.recvAnySource(received, {.tag = tag}));
      llvm::cantFail(work->wait());
      int64_t source = llvm::cantFail(work->sourceRank());
      expect(received, valuesOf(DType::F32, 10, source));
      count_.wrong += came[static_cast<size_t>(source)] ? 1 : 0;
      came[static_cast<size_t>(source)] = true;
    }
  }

  ProcessGroup &group_;
  int64_t rank_;
  int64_t ranks_;
  Count count_;
};

int report(Job &job) {
  Count count = Calls(job).run();
  std::printf("rank %d: %d values compared, %d wrong\n", static_cast<int>(job.rank()), count.compared, count.wrong);
  return count.wrong == 0 ? 0 : 1;
}

int runLocal(int64_t ranks) {
  std::atomic<int> failed = 0;
  test::onThreads(ranks, [&](Job &job) { failed += report(job); });
  return failed == 0 ? 0 : 1;
}

int runMpi(const std::string &path) {
  JobOptions options = test::optionsOfMpi(path);
  options.timeout = std::chrono::seconds(60);
  int code = 0;
  {
    auto job = llvm::cantFail(Job::init(std::move(options)));
    code = report(*job);
    std::fflush(stdout);
  }
  return findEngine("mpi")->leave(code);
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 2 && std::string(argv[1]) == "mpi")
    return runMpi(argv[2]);
  if (argc > 2 && std::string(argv[1]) == "local")
    return runLocal(std::atoll(argv[2]));
  std::fprintf(stderr, "usage: %s local RANKS | mpi FILE\n", argv[0]);
  return 2;
}
