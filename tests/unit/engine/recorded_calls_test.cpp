// The model of devices by itself: what streams, events, groups, registration and capture promise, and what they do not.
#include "simulated/recorded_calls.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace ccgraph::test {
namespace {

using namespace runtime;
using namespace std::chrono_literals;
using Calls = RecordedCalls;

/// The device of one rank.
struct Device {
  Device(StreamModel &model, size_t rank) : calls(model, rank, false) {
    EXPECT_EQ(calls.createStream("a", a), 0);
    EXPECT_EQ(calls.createStream("b", b), 0);
    EXPECT_EQ(calls.createEvent("e", e), 0);
    EXPECT_EQ(calls.createEvent("end", end), 0);
  }
  /// Waits until the stream has completed everything; returns its final code.
  int finish(GpuStream stream) {
    bool ended = false;
    int code = calls.record(end, stream);
    while (code == 0 && !ended)
      code = calls.query(end, ended);
    return code;
  }
  int set(float &to, const float &from, GpuStream stream) {
    return calls.copy(GpuCopy::OnDevice, reinterpret_cast<std::byte *>(&to), reinterpret_cast<const std::byte *>(&from),
                      sizeof(float), stream);
  }
  Calls calls;
  GpuStream a, b;
  GpuEvent e, end;
};

GpuRow rowOf(float &send, float &receive) {
  return {reinterpret_cast<std::byte *>(&send), reinterpret_cast<std::byte *>(&receive), 1, GpuType::F32};
}

/// Runs a body for each of two ranks at the same time, each with its communicator; returns the ending of the run.
template <typename Body>
StreamModel::Ending onTwoRanks(std::optional<uint64_t> seed, Body body) {
  StreamModel model(2, seed, 30s);
  auto host = [&](size_t rank) {
    Device device(model, rank);
    GpuComm comm;
    EXPECT_EQ(device.calls.openJob({}, 2, static_cast<int>(rank), comm), 0);
    body(device, rank, comm);
    model.leave(rank);
  };
  std::thread other(host, 1);
  host(0);
  other.join();
  return model.ending();
}

TEST(StreamModel, NothingRunsBeforeAHostWaits) {
  StreamModel model(1, 0, 30s);
  Device device(model, 0);
  float from = 1, to = 0;
  EXPECT_EQ(device.set(to, from, device.a), 0);
  from = 2;
  EXPECT_EQ(device.finish(device.a), 0);
  EXPECT_EQ(to, 2);
}

/// Returns the results of two streams that write to one number, unordered or ordered by an event.
std::set<float> lastWrites(bool ordered) {
  std::set<float> seen;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    StreamModel model(1, seed, 30s);
    Device device(model, 0);
    float one = 1, two = 2, to = 0;
    EXPECT_EQ(device.set(to, one, device.a), 0);
    EXPECT_EQ(device.calls.record(device.e, device.a), 0);
    if (ordered) {
      EXPECT_EQ(device.calls.wait(device.b, device.e), 0);
    }
    EXPECT_EQ(device.set(to, two, device.b), 0);
    EXPECT_EQ(device.finish(device.a), 0);
    EXPECT_EQ(device.finish(device.b), 0);
    seen.insert(to);
  }
  return seen;
}

TEST(StreamModel, OnlyEventsOrderStreams) {
  EXPECT_EQ(lastWrites(false), (std::set<float>{1, 2}));
  EXPECT_EQ(lastWrites(true), (std::set<float>{2}));
}

/// Computes y = sum of x, z = sum of y: in one group, or one after another.
std::set<float> sumsOfSums(bool group) {
  std::set<float> seen;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    float z[2] = {};
    onTwoRanks(seed, [&](Device &device, size_t rank, GpuComm comm) {
      float x = 1, y = 10;
      if (group) {
        EXPECT_EQ(device.calls.groupStart(), 0);
      }
      EXPECT_EQ(device.calls.allReduce(rowOf(x, y), GpuReduceOp::Sum, {comm, device.a}), 0);
      EXPECT_EQ(device.calls.allReduce(rowOf(y, z[rank]), GpuReduceOp::Sum, {comm, device.a}), 0);
      if (group) {
        EXPECT_EQ(device.calls.groupEnd(), 0);
      }
      EXPECT_EQ(device.finish(device.a), 0);
    });
    EXPECT_EQ(z[0], z[1]);
    seen.insert(z[0]);
  }
  return seen;
}

TEST(StreamModel, MembersOfAGroupRunInAnyOrder) {
  EXPECT_EQ(sumsOfSums(false), (std::set<float>{4}));
  EXPECT_EQ(sumsOfSums(true), (std::set<float>{4, 20}));
}

/// Each rank sends to the other and receives from it, one after the other or in one group.
StreamModel::Ending crossing(bool group) {
  return onTwoRanks(0, [&](Device &device, size_t rank, GpuComm comm) {
    auto mine = static_cast<float>(rank), theirs = 7.0F;
    auto peer = static_cast<int>(1 - rank);
    if (group) {
      EXPECT_EQ(device.calls.groupStart(), 0);
    }
    EXPECT_EQ(device.calls.send(rowOf(mine, mine), peer, {comm, device.a}), 0);
    EXPECT_EQ(device.calls.receive(rowOf(theirs, theirs), peer, {comm, device.a}), 0);
    if (group) {
      EXPECT_EQ(device.calls.groupEnd(), 0);
    }
    int code = device.finish(device.a);
    EXPECT_EQ(code, group ? Calls::Fine : Calls::Over);
    EXPECT_EQ(theirs, group ? static_cast<float>(peer) : 7.0F);
  });
}

TEST(StreamModel, SendsThatCrossWaitForEverUnlessTheyAreAGroup) {
  EXPECT_EQ(crossing(true).rule, "");
  StreamModel::Ending ending = crossing(false);
  EXPECT_EQ(ending.rule, "run.deadlock");
  EXPECT_EQ(ending.why, "no device can go on: rank 0: send f32[1] to 1 on comm0 (call 1) waits for ranks [1]; rank 1: "
                        "send f32[1] to 0 on comm0 (call 1) waits for ranks [0]");
}

TEST(StreamModel, MemoryThatIsRegisteredOnOneRankAloneIsUndefined) {
  for (bool both : {true, false}) {
    StreamModel::Ending ending = onTwoRanks(0, [&](Device &device, size_t rank, GpuComm comm) {
      float row[2] = {1, 0};
      GpuRegistration registration;
      if (both || rank == 0) {
        EXPECT_EQ(device.calls.registerMemory(comm, reinterpret_cast<std::byte *>(row), sizeof(row), registration), 0);
      }
      EXPECT_EQ(device.calls.allReduce(rowOf(row[0], row[1]), GpuReduceOp::Sum, {comm, device.a}), 0);
      EXPECT_EQ(device.finish(device.a), both ? Calls::Fine : Calls::Over);
    });
    EXPECT_EQ(ending.why,
              both ? ""
                   : "ranks 0 and 1 disagree about call 1 on comm0: allReduce sum f32[1] in registered memory "
                     "on one of them alone, which is undefined");
  }
}

TEST(StreamModel, ASplitGivesTheRanksOfAColorInTheOrderOfTheirKeys) {
  onTwoRanks(0, [&](Device &device, size_t rank, GpuComm comm) {
    GpuComm turned, none;
    int ranks = 0, place = 0;
    EXPECT_EQ(device.calls.split(comm, 0, rank == 0 ? 5 : 2, turned), 0);
    EXPECT_EQ(device.calls.placeIn(turned, ranks, place), 0);
    EXPECT_EQ(ranks, 2);
    EXPECT_EQ(place, rank == 0 ? 1 : 0);
    EXPECT_EQ(device.calls.split(comm, rank == 0 ? 0 : GpuCalls::noColor, 0, none), 0);
    EXPECT_EQ(none.raw != 0, rank == 0);
  });
}

// --- Capture ----------------------------------------------------------------------------------------------------

struct Capture : testing::Test {
  StreamModel model{1, 0, 30s};
  Device device{model, 0};
  GpuGraph graph;
  float from = 1, to = 0;
};

TEST_F(Capture, RunsWhenItIsLaunchedAndNotBefore) {
  EXPECT_EQ(device.calls.beginCapture(device.a), 0);
  EXPECT_EQ(device.set(to, from, device.a), 0);
  EXPECT_EQ(device.calls.endCapture(device.a, graph), 0);
  EXPECT_EQ(device.finish(device.a), 0);
  EXPECT_EQ(to, 0);
  for (float value : {3.0F, 4.0F}) {
    from = value;
    EXPECT_EQ(device.calls.launchGraph(graph, device.a), 0);
    EXPECT_EQ(device.finish(device.a), 0);
    EXPECT_EQ(to, value);
  }
}

TEST_F(Capture, TakesInStreamsThatWaitForIt) {
  EXPECT_EQ(device.calls.beginCapture(device.a), 0);
  EXPECT_EQ(device.calls.record(device.e, device.a), 0);
  EXPECT_EQ(device.calls.wait(device.b, device.e), 0);
  EXPECT_EQ(device.set(to, from, device.b), 0);
  EXPECT_EQ(device.calls.endCapture(device.a, graph), Calls::Unjoined);
  EXPECT_EQ(device.calls.errorText(Calls::Unjoined),
            "the capture ends while a stream that it has forked to has not been joined");
}

TEST_F(Capture, KnowsNoEventFromOutside) {
  EXPECT_EQ(device.calls.record(device.e, device.b), 0);
  EXPECT_EQ(device.calls.beginCapture(device.a), 0);
  EXPECT_EQ(device.calls.wait(device.a, device.e), Calls::Isolation);
}

TEST_F(Capture, LetsTheHostNeitherWaitNorTakeMemory) {
  bool ended = false;
  std::byte *memory = nullptr;
  EXPECT_EQ(device.calls.beginCapture(device.a), 0);
  EXPECT_EQ(device.calls.record(device.e, device.a), 0);
  EXPECT_EQ(device.calls.query(device.e, ended), Calls::WhileCaptured);
  EXPECT_EQ(device.calls.allocate(GpuPurpose::Growing, 4, memory), Calls::WhileCaptured);
  EXPECT_EQ(device.calls.beginCapture(device.b), Calls::WhileCaptured);
  EXPECT_EQ(device.calls.endCapture(device.b, graph), Calls::NotCaptured);
  EXPECT_EQ(device.calls.groupEnd(), Calls::NotInGroup);
}

} // namespace
} // namespace ccgraph::test
