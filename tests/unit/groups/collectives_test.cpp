// Collectives of process groups: values on 1 to 9 ranks, of each dtype and reduction, equal those of the interpreter's
// reduction (collectives/reduce.h) and of plain concatenation.
#include "collectives/buffer.h"
#include "collectives/reduce.h"
#include "tensor/elements.h"

#include "ranks.h"

namespace ccgraph::runtime {
namespace {

using test::errorOf;
using test::onRanks;
using test::textOf;

constexpr DType allDTypes[] = {DType::U8,   DType::I8,  DType::I16, DType::I32, DType::I64,  DType::F16,
                               DType::BF16, DType::F32, DType::F64, DType::C64, DType::C128, DType::Bool};
constexpr ReduceOp allReductions[] = {ReduceOp::Sum, ReduceOp::Avg,  ReduceOp::Product, ReduceOp::Min,
                                      ReduceOp::Max, ReduceOp::Band, ReduceOp::Bor,     ReduceOp::Bxor};

/// Elements that differ from rank to rank and from place to place, and whose sums and products fit small dtypes.
Tensor valuesOf(DType dtype, int64_t elements, int64_t rank) {
  Tensor tensor = Tensor::zeros(dtype, {elements});
  for (int64_t i = 0; i < elements; ++i)
    writeElement<Complex>(dtype, tensor.data() + i * tensor.elementSize(),
                          Complex(static_cast<double>((i * 7 + rank * 3) % 5), static_cast<double>(rank % 2)));
  return tensor;
}

bool isEqual(const Tensor &a, const Tensor &b) { return a.toHost().data == b.toHost().data; }
Tensor concatenated(std::vector<Tensor> rows) { return Buffer(std::move(rows)).read(); }
bool reduces(ReduceOp op, DType dtype) {
  bool isInteger = classOf(dtype) == DTypeClass::Integer;
  return !llvm::errorToBool(checkReducible(op, dtype)) && !(op == ReduceOp::Avg && isInteger);
}

class OnRanks : public testing::TestWithParam<std::tuple<int64_t, const char *>> {
protected:
  [[nodiscard]] int64_t ranks() const { return std::get<0>(GetParam()); }
  [[nodiscard]] bool hasTags() const { return std::get<1>(GetParam()) == std::string("local"); }
  /// Runs `body` on each rank, with the backend of the test.
  template <typename Body>
  [[nodiscard]] auto run(Body body) const {
    return onRanks(ranks(), body, {.backend = std::string("cpu:") + std::get<1>(GetParam())});
  }
  [[nodiscard]] std::vector<Tensor> rowsOf(DType dtype, int64_t elements) const {
    std::vector<Tensor> rows;
    for (int64_t rank = 0; rank < ranks(); ++rank)
      rows.push_back(valuesOf(dtype, elements, rank));
    return rows;
  }
};
INSTANTIATE_TEST_SUITE_P(Groups, OnRanks,
                         testing::Combine(testing::Range<int64_t>(1, 10), testing::Values("local", "nccl-recorded")),
                         [](const auto &info) {
                           std::string backend = std::get<1>(info.param) == std::string("local") ? "" : "Nccl";
                           return std::to_string(std::get<0>(info.param)) + backend;
                         });

TEST_P(OnRanks, ReductionsAreThoseOfTheInterpreter) {
  std::vector<int> wrong = run([&](Job &job) {
    ProcessGroup &group = job.world();
    int count = 0;
    for (DType dtype : allDTypes)
      for (ReduceOp op : allReductions) {
        if (!reduces(op, dtype))
          continue;
        int64_t elements = 3 * ranks();
        Tensor whole = reduceInOrder(op, rowsOf(dtype, elements));
        Tensor mine = valuesOf(dtype, elements, job.rank()), kept = valuesOf(dtype, elements, job.rank());
        llvm::cantFail(finish(group.allReduce(mine, op)));
        count += isEqual(mine, whole) ? 0 : 1;
        Tensor part = Tensor::zeros(dtype, {3}), chunk = whole.slice(0, 3 * job.rank(), 3 * job.rank() + 3);
        llvm::cantFail(finish(group.reduceScatterTensor(part, kept, op)));
        count += isEqual(part, chunk.cloneContiguous()) ? 0 : 1;
        std::vector<Tensor> parts;
        for (int64_t i = 0; i < ranks(); ++i)
          parts.push_back(kept.slice(0, 3 * i, 3 * i + 3));
        setToZeros(part);
        llvm::cantFail(finish(group.reduceScatter(part, parts, op)));
        count += isEqual(part, chunk.cloneContiguous()) ? 0 : 1;
        int64_t root = ranks() - 1;
        llvm::cantFail(finish(group.reduce(kept, root, op)));
        count += isEqual(kept, job.rank() == root ? whole : valuesOf(dtype, elements, job.rank())) ? 0 : 1;
      }
    return count;
  });
  EXPECT_EQ(wrong, std::vector<int>(wrong.size(), 0));
}

TEST_P(OnRanks, MovementsOfEachDType) {
  std::vector<int> wrong = run([&](Job &job) {
    ProcessGroup &group = job.world();
    int count = 0;
    auto expect = [&](const Tensor &got, const Tensor &expected) { count += isEqual(got, expected) ? 0 : 1; };
    for (DType dtype : allDTypes) {
      std::vector<Tensor> rows = rowsOf(dtype, 4);
      Tensor mine = valuesOf(dtype, 4, job.rank());
      std::vector<Tensor> list;
      for (int64_t i = 0; i < ranks(); ++i)
        list.push_back(Tensor::zeros(dtype, {4}));
      llvm::cantFail(finish(group.allGather(list, mine)));
      expect(concatenated(list), concatenated(rows));
      Tensor all = Tensor::zeros(dtype, {4 * ranks()});
      llvm::cantFail(finish(group.allGatherIntoTensor(all, mine)));
      expect(all, concatenated(rows));
      for (int64_t root = 0; root < ranks(); ++root) {
        bool isRoot = job.rank() == root;
        Tensor moved = valuesOf(dtype, 4, job.rank()), share = Tensor::zeros(dtype, {4});
        llvm::cantFail(finish(group.broadcast(moved, root)));
        expect(moved, rows[static_cast<size_t>(root)]);
        std::vector<Tensor> gathered;
        for (int64_t i = 0; isRoot && i < ranks(); ++i)
          gathered.push_back(Tensor::zeros(dtype, {4}));
        llvm::cantFail(finish(group.gather(gathered, mine, root)));
        if (isRoot)
          expect(concatenated(gathered), concatenated(rows));
        llvm::cantFail(finish(group.scatter(share, isRoot ? rows : std::vector<Tensor>(), root)));
        expect(share, rows[static_cast<size_t>(job.rank())]);
      }
    }
    return count;
  });
  EXPECT_EQ(wrong, std::vector<int>(wrong.size(), 0));
}

// Rank r sends (r + k) % 3 rows to rank k.
TEST_P(OnRanks, AllToAllWithEqualAndUnequalParts) {
  std::vector<int> wrong = run([&](Job &job) {
    ProcessGroup &group = job.world();
    int count = 0;
    auto part = [](int64_t from, int64_t to, int64_t rows) {
      Tensor values = valuesOf(DType::F32, rows * 2, from * 10 + to);
      return llvm::cantFail(values.view({rows, 2}));
    };
    for (bool equal : {true, false}) {
      Splits splits;
      std::vector<Tensor> sent, expected, received;
      for (int64_t peer = 0; peer < ranks(); ++peer) {
        int64_t rows = equal ? 2 : (job.rank() + peer) % 3;
        splits.inputs.push_back(rows);
        splits.outputs.push_back(rows);
        sent.push_back(part(job.rank(), peer, rows));
        expected.push_back(part(peer, job.rank(), rows));
        received.push_back(Tensor::zeros(DType::F32, {rows, 2}));
      }
      llvm::cantFail(finish(group.allToAll(received, sent)));
      count += isEqual(concatenated(received), concatenated(expected)) ? 0 : 1;
      Tensor from = concatenated(sent), to = Tensor::zeros(DType::F32, from.sizes());
      int64_t rows = from.numElements() / 2;
      Tensor from2 = llvm::cantFail(from.view({rows, 2})), to2 = llvm::cantFail(to.view({rows, 2}));
      llvm::cantFail(finish(group.allToAllSingle(to2, from2, equal ? Splits() : splits)));
      count += isEqual(to, concatenated(expected)) ? 0 : 1;
    }
    return count;
  });
  EXPECT_EQ(wrong, std::vector<int>(wrong.size(), 0));
}

TEST_P(OnRanks, CoalescedCallsAndStridedTensors) {
  std::vector<int> wrong = run([&](Job &job) {
    ProcessGroup &group = job.world();
    int count = 0;
    auto expect = [&](const Tensor &got, const Tensor &expected) { count += isEqual(got, expected) ? 0 : 1; };
    Tensor whole = reduceInOrder(ReduceOp::Sum, rowsOf(DType::F32, 6));
    std::vector<Tensor> two = {valuesOf(DType::F32, 6, job.rank()),
                               llvm::cantFail(valuesOf(DType::F32, 6, job.rank()).view({2, 3})).permute({1, 0})};
    llvm::cantFail(finish(group.allReduceCoalesced(two)));
    expect(two[0], whole);
    expect(two[1].permute({1, 0}), whole);
    std::vector<Tensor> outputs = {Tensor::zeros(DType::I64, {ranks()}), Tensor::zeros(DType::I64, {2 * ranks()})};
    llvm::cantFail(finish(group.allGatherIntoTensorCoalesced(
        outputs, {valuesOf(DType::I64, 1, job.rank()), valuesOf(DType::I64, 2, job.rank())})));
    expect(outputs[1], concatenated(rowsOf(DType::I64, 2)));
    std::vector<std::vector<Tensor>> lists;
    for (int64_t i = 0; i < ranks(); ++i)
      lists.push_back({Tensor::zeros(DType::I64, {1}), Tensor::zeros(DType::I64, {2})});
    llvm::cantFail(finish(
        group.allGatherCoalesced(lists, {valuesOf(DType::I64, 1, job.rank()), valuesOf(DType::I64, 2, job.rank())})));
    for (int64_t i = 0; i < ranks(); ++i)
      expect(lists[static_cast<size_t>(i)][1], valuesOf(DType::I64, 2, i));
    std::vector<Tensor> parts = {Tensor::zeros(DType::F32, {1}), Tensor::zeros(DType::F32, {2})};
    llvm::cantFail(finish(group.reduceScatterTensorCoalesced(
        parts, {valuesOf(DType::F32, ranks(), job.rank()), valuesOf(DType::F32, 2 * ranks(), job.rank())})));
    expect(parts[1], reduceInOrder(ReduceOp::Sum, rowsOf(DType::F32, 2 * ranks()))
                         .slice(0, 2 * job.rank(), 2 * job.rank() + 2)
                         .cloneContiguous());
    Tensor scaled = valuesOf(DType::F32, 6, job.rank());
    llvm::cantFail(finish(group.allReduce(scaled, Reduction::premulSum(0.5))));
    Tensor half = reduceInOrder(ReduceOp::Sum, rowsOf(DType::F32, 6));
    for (double &value : readAll(half))
      value *= 0.5;
    count += readAll(scaled)[3] == readAll(half)[3] * 0.5 ? 0 : 1;
    return count;
  });
  EXPECT_EQ(wrong, std::vector<int>(wrong.size(), 0));
}

TEST_P(OnRanks, ManyCallsInFlightInAnyOrderOfWaits) {
  std::vector<int> wrong = run([&](Job &job) {
    std::vector<Tensor> tensors;
    std::vector<WorkPtr> works;
    for (int64_t i = 0; i < 20; ++i) {
      tensors.push_back(valuesOf(DType::I64, 5 + i, job.rank()));
      works.push_back(llvm::cantFail(job.world().allReduce(tensors.back())));
    }
    int count = 0;
    for (size_t i = works.size(); i-- > 0;) {
      llvm::cantFail(works[i]->wait());
      Tensor expected = reduceInOrder(ReduceOp::Sum, rowsOf(DType::I64, tensors[i].numElements()));
      count += isEqual(tensors[i], expected) && works[i]->isCompleted() ? 0 : 1;
    }
    return count;
  });
  EXPECT_EQ(wrong, std::vector<int>(wrong.size(), 0));
}

/// Sums on three ranks, some of which destroy their works at once: the others complete the calls.
int wrongSums(Job &job, std::initializer_list<int64_t> ranksThatDrop) {
  constexpr int64_t calls = 50;
  std::vector<Tensor> tensors;
  std::vector<WorkPtr> works;
  for (int64_t i = 0; i < calls; ++i) {
    tensors.push_back(valuesOf(DType::I64, 200 + i, job.rank()));
    WorkPtr work = llvm::cantFail(job.world().allReduce(tensors.back()));
    if (!llvm::is_contained(ranksThatDrop, job.rank()))
      works.push_back(std::move(work));
  }
  for (const WorkPtr &work : works)
    llvm::cantFail(work->wait());
  llvm::cantFail(finish(job.world().barrier()));
  int wrong = 0;
  for (const Tensor &tensor : tensors) {
    std::vector<Tensor> rows;
    for (int64_t rank = 0; rank < 3; ++rank)
      rows.push_back(valuesOf(DType::I64, tensor.numElements(), rank));
    wrong += isEqual(tensor, reduceInOrder(ReduceOp::Sum, rows)) ? 0 : 1;
  }
  return wrong;
}

TEST(ProcessGroup, OthersCompleteCallsWhoseWorksAreDestroyed) {
  for (std::initializer_list<int64_t> drop : {std::initializer_list<int64_t>{0}, {0, 1}, {1, 2}}) {
    std::vector<int> wrong = onRanks(3, [&](Job &job) { return wrongSums(job, drop); });
    EXPECT_EQ(wrong, std::vector<int>(3, 0));
  }
}

TEST_P(OnRanks, TransfersInARing) {
  std::vector<int> wrong = run([&](Job &job) {
    if (ranks() == 1)
      return 0;
    int64_t next = (job.rank() + 1) % ranks(), before = (job.rank() + ranks() - 1) % ranks();
    Tensor sent = valuesOf(DType::F32, 4, job.rank()), received = Tensor::zeros(DType::F32, {4});
    Tensor sent2 = valuesOf(DType::I16, 4, job.rank()), received2 = Tensor::zeros(DType::I16, {4});
    std::vector<Transfer> transfers = {{GroupOp::Recv, received, before, 1},
                                       {GroupOp::Send, sent2, next, 2},
                                       {GroupOp::Send, sent, next, 1},
                                       {GroupOp::Recv, received2, before, 2}};
    if (!hasTags())
      transfers = {{GroupOp::Recv, received, before},
                   {GroupOp::Send, sent, next},
                   {GroupOp::Send, sent2, next},
                   {GroupOp::Recv, received2, before}};
    auto works = llvm::cantFail(job.world().batch(transfers));
    for (const WorkPtr &work : works)
      llvm::cantFail(work->wait());
    bool isSource = llvm::cantFail(works[0]->sourceRank()) == before;
    return isEqual(received, valuesOf(DType::F32, 4, before)) && isEqual(received2, valuesOf(DType::I16, 4, before)) &&
                   isSource && errorOf(works[1]->sourceRank()) != ""
               ? 0
               : 1;
  });
  EXPECT_EQ(wrong, std::vector<int>(wrong.size(), 0));
}

TEST(ProcessGroup, ReceivesFromAnySource) {
  std::vector<int64_t> sources = onRanks(3, [](Job &job) -> int64_t {
    Tensor tensor = valuesOf(DType::F32, 2, job.rank());
    if (job.rank() == 2) {
      llvm::cantFail(finish(job.world().send(tensor, 0, {.tag = 5})));
      return -1;
    }
    if (job.rank() == 1)
      return -1;
    WorkPtr work = llvm::cantFail(job.world().recvAnySource(tensor, {.tag = 5}));
    llvm::cantFail(work->wait());
    return llvm::cantFail(work->sourceRank());
  });
  EXPECT_EQ(sources[0], 2);
}

TEST(ProcessGroup, MovesComplex64AsPairsOfFloat32) {
  std::vector<int> wrong = onRanks(2, [](Job &job) {
    Tensor real = valuesOf(DType::F32, 2, job.rank()), pair = Tensor::zeros(DType::C64, {}),
           plain = Tensor::zeros(DType::F32, {2});
    llvm::cantFail(finish(job.world().allGather({plain, pair}, real)));
    return readElement<double>(DType::F32, plain.data()) ==
                       readElement<double>(DType::F32, valuesOf(DType::F32, 2, 0).data()) &&
                   readElement<Complex>(DType::C64, pair.data()) ==
                       Complex(readAll(valuesOf(DType::F32, 2, 1))[0], readAll(valuesOf(DType::F32, 2, 1))[1])
               ? 0
               : 1;
  });
  EXPECT_EQ(wrong, std::vector<int>(2, 0));
}

} // namespace
} // namespace ccgraph::runtime
