// Errors of process groups: wrong arguments, ranks that disagree, and ranks that do not come. None of them hangs.
#include "ccgraph/runtime/flight_analysis.h"
#include "ranks.h"

namespace ccgraph::runtime {
namespace {

using namespace std::chrono_literals;
using test::errorOf;
using test::onRanks;
using test::textOf;
using Texts = std::vector<std::string>;

Tensor zeros(DType dtype, IntList sizes) { return Tensor::zeros(dtype, sizes); }
Tensor floats(int64_t count) { return zeros(DType::F32, {count}); }
std::vector<Tensor> lists(DType dtype, int64_t count) {
  std::vector<Tensor> all;
  for (int64_t i = 0; i < count; ++i)
    all.push_back(zeros(dtype, {2}));
  return all;
}

/// The error of one call on rank 0 of two ranks; the other rank does nothing.
template <typename Call>
std::string errorOfCall(Call call) {
  return onRanks(2, [&](Job &job) { return job.rank() == 0 ? textOf(finish(call(job.world()))) : std::string(); })[0];
}

TEST(GroupErrors, OfDTypes) {
  std::vector<Tensor> mixed = {floats(2), zeros(DType::F16, {2})};
  std::string text =
      "group.dtype: Invalid usage of tensors with different dtypes: Found torch.float32 and torch.float16";
  EXPECT_EQ(errorOfCall([&](ProcessGroup &g) { return g.allGather(mixed, floats(2)); }), text);
  EXPECT_EQ(errorOfCall([&](ProcessGroup &g) { return g.allReduceCoalesced(mixed); }), text);
  EXPECT_EQ(errorOfCall([&](ProcessGroup &g) { return g.allGatherCoalesced({mixed}, lists(DType::F32, 2)); }), text);
  EXPECT_EQ(errorOfCall([&](ProcessGroup &g) { return g.allToAll(mixed, lists(DType::F32, 2)); }), text);
  EXPECT_EQ(errorOfCall([&](ProcessGroup &g) { return g.scatter(floats(2), mixed, 0); }), text);
  EXPECT_EQ(errorOfCall([&](ProcessGroup &g) { return g.gather(lists(DType::F16, 2), floats(2), 0); }), text);
  EXPECT_EQ(errorOfCall([&](ProcessGroup &g) { return g.reduceScatter(floats(2), lists(DType::F16, 2)); }), text);
  EXPECT_EQ(errorOfCall([&](ProcessGroup &g) { return g.allToAllSingle(floats(2), zeros(DType::F16, {2})); }), text);
  EXPECT_EQ(errorOfCall([&](ProcessGroup &g) { return g.allGatherIntoTensor(zeros(DType::F16, {4}), floats(2)); }),
            "group.dtype: invalid tensor type at index 0: Found torch.float16 and torch.float32");
  EXPECT_EQ(errorOfCall([&](ProcessGroup &g) { return g.allGather(lists(DType::F64, 2), zeros(DType::C128, {2})); }),
            "group.dtype: Invalid usage of tensors with different dtypes: Found torch.float64 and torch.complex128");
  EXPECT_EQ(errorOfCall([&](ProcessGroup &g) { return g.reduceScatterTensor(zeros(DType::F16, {1}), floats(2)); }),
            "group.dtype: Check failed: outputTensors[i].dtype() == inputTensors[i].dtype() (c10::Half vs. float).");
  EXPECT_EQ(errorOfCall([&](ProcessGroup &g) { return g.reduceScatter(floats(2), lists(DType::C64, 2)); }),
            "group.dtype: Check failed: outputs[0].dtype() == inputs[0][i].dtype() (float vs. c10::complex<float>).");
}

TEST(GroupErrors, OfReductions) {
  EXPECT_EQ(errorOfCall([&](ProcessGroup &g) { return g.allReduce(zeros(DType::C64, {2}), ReduceOp::Min); }),
            "group.dtype: all_reduce does not support RedOpType.MIN on complex tensors");
  EXPECT_EQ(errorOfCall([&](ProcessGroup &g) { return g.allReduce(floats(2), ReduceOp::Band); }),
            "group.dtype: Cannot use ReduceOp.BAND with non-integral dtype float32");
  EXPECT_EQ(errorOfCall([&](ProcessGroup &g) { return g.allReduce(zeros(DType::I64, {2}), ReduceOp::Avg); }),
            "group.dtype: result type Float can't be cast to the desired output type Long");
  EXPECT_EQ(errorOfCall([&](ProcessGroup &g) { return g.allReduce(zeros(DType::I32, {2}), Reduction::premulSum(2)); }),
            "group.dtype: premul_sum multiplies floating-point tensors, got torch.int32");
  EXPECT_NE(errorOfCall([&](ProcessGroup &g) { return g.allReduce(zeros(DType::U64, {2})); }), "");
}

TEST(GroupErrors, OfListsAndSizes) {
  auto expect = [](const std::string &text, auto call) { EXPECT_EQ(errorOfCall(call), "group.argument: " + text); };
  expect("invalid output tensor list at index 0 (expected length 2, got 3)",
         [](ProcessGroup &g) { return g.allGather(lists(DType::F32, 3), floats(2)); });
  expect("invalid tensor size at index 0 (expected (3), got (2))",
         [](ProcessGroup &g) { return g.allGather(lists(DType::F32, 2), floats(3)); });
  expect("invalid tensor size at index 0 (expected (1, 2), got (2))", [](ProcessGroup &g) {
    return g.allGather(lists(DType::F32, 2), zeros(DType::F32, {1, 2}));
  });
  expect("invalid tensor size at index 0 (expected (1, 2), got (2))",
         [](ProcessGroup &g) { return g.allGather(lists(DType::F32, 2), zeros(DType::C64, {1})); });
  expect("invalid tensor size at index 0 (expected 4 elements for 2 ranks, got 3)",
         [](ProcessGroup &g) { return g.allGatherIntoTensor(floats(3), floats(2)); });
  expect("Check failed: outputShape[0] * worldSize == inputShape[0] (4 vs. 2).",
         [](ProcessGroup &g) { return g.reduceScatterTensor(floats(2), floats(2)); });
  expect("got 2 inputs and 1 outputs, expected as many",
         [](ProcessGroup &g) { return g.allGatherIntoTensorCoalesced(lists(DType::F32, 1), lists(DType::F32, 2)); });
  expect("output lists should be equal to world size",
         [](ProcessGroup &g) { return g.allGatherCoalesced({lists(DType::F32, 1)}, lists(DType::F32, 1)); });
  expect("output lists should be equal to world size", [](ProcessGroup &g) {
    return g.allGatherCoalesced({lists(DType::F32, 1), lists(DType::F32, 3)}, lists(DType::F32, 2));
  });
  expect("invalid root rank: -1", [](ProcessGroup &g) { return g.broadcast(floats(2), -1); });
  expect("invalid root rank: 2", [](ProcessGroup &g) { return g.reduce(floats(2), 2); });
  expect("Argument ``gather_list`` must be specified on destination rank.",
         [](ProcessGroup &g) { return g.gather({}, floats(2), 0); });
  expect("Argument ``gather_list`` must NOT be specified on non-destination ranks.",
         [](ProcessGroup &g) { return g.gather(lists(DType::F32, 2), floats(2), 1); });
  expect("Incorrect output list size 3. Output list size should be 2, same as size of the process group.",
         [](ProcessGroup &g) { return g.gather(lists(DType::F32, 3), floats(2), 0); });
  expect("Argument ``scatter_list`` must be specified on source rank.",
         [](ProcessGroup &g) { return g.scatter(floats(2), {}, 0); });
  expect("Argument ``scatter_list`` must NOT be specified on non-source ranks.",
         [](ProcessGroup &g) { return g.scatter(floats(2), lists(DType::F32, 2), 1); });
  expect("Incorrect input list size 1. Input list size should be 2, same as size of the process group.",
         [](ProcessGroup &g) { return g.scatter(floats(2), lists(DType::F32, 1), 0); });
  expect("invalid input tensor list size, must be world size",
         [](ProcessGroup &g) { return g.reduceScatter(floats(2), lists(DType::F32, 1)); });
  expect("Check failed: outputs[0].sizes().vec() == inputs[0][i].sizes().vec() (2 1 vs. 2).", [](ProcessGroup &g) {
    return g.reduceScatter(zeros(DType::F32, {2, 1}), lists(DType::F32, 2));
  });
  expect("output tensor list size 1 does not match world size 2",
         [](ProcessGroup &g) { return g.allToAll(lists(DType::F32, 1), lists(DType::F32, 2)); });
  expect("Tensor's dim 0 does not divide equally across group size",
         [](ProcessGroup &g) { return g.allToAllSingle(floats(3), floats(3)); });
  expect("Number of tensor splits not equal to group size", [](ProcessGroup &g) {
    return g.allToAllSingle(floats(4), floats(4), {{4}, {4}});
  });
  expect("Split sizes must be non-negative", [](ProcessGroup &g) {
    return g.allToAllSingle(floats(4), floats(4), {{-1, 5}, {2, 2}});
  });
  expect("Split sizes doesn't match total dim 0 size", [](ProcessGroup &g) {
    return g.allToAllSingle(floats(4), floats(4), {{2, 2}, {1, 2}});
  });
}

TEST(GroupErrors, OfTransfers) {
  EXPECT_EQ(errorOfCall([](ProcessGroup &g) { return g.send(floats(1), 0); }),
            "group.argument: Invalid destination rank: destination rank should not be the same as the rank of the "
            "current process.");
  EXPECT_EQ(errorOfCall([](ProcessGroup &g) { return g.recv(floats(1), 0); }),
            "group.argument: Invalid source rank: source rank should not be the same as the rank of the current "
            "process.");
  EXPECT_EQ(errorOfCall([](ProcessGroup &g) { return g.send(floats(1), 7); }),
            "group.argument: Invalid destination rank: 7");
  EXPECT_EQ(errorOfCall([](ProcessGroup &g) { return g.recv(floats(1), -1); }),
            "group.argument: Invalid source rank: -1");
  std::string batch = onRanks(1, [](Job &job) {
    return errorOf(job.world().batch({{GroupOp::AllReduce, floats(1), 0}}));
  })[0];
  EXPECT_EQ(batch, "group.argument: Invalid ``op``. Expected ``op`` to be isend or irecv, got all_reduce");
}

// --- Ranks that disagree ---------------------------------------------------------------------------------------------

TEST(GroupErrors, RanksThatDisagreeAllGetTheSameError) {
  Texts texts = onRanks(3, [](Job &job) {
    Tensor tensor = floats(4);
    return textOf(finish(job.rank() == 2 ? job.world().broadcast(tensor, 0) : job.world().allReduce(tensor)));
  });
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_EQ(texts[1], texts[2]);
  EXPECT_NE(texts[0].find("run.ranks-disagree: ranks "), std::string::npos) << texts[0];
  EXPECT_NE(texts[0].find("and 2 disagree about collective 1 on ranks [0, 1, 2]"), std::string::npos) << texts[0];
}

TEST(GroupErrors, RanksThatDisagreeOnAFieldAreToldWhich) {
  auto textFor = [](auto call) { return onRanks(2, call)[0]; };
  EXPECT_NE(textFor([](Job &job) {
              return textOf(finish(job.world().allReduce(job.rank() == 0 ? floats(4) : floats(5))));
            }).find("elements"),
            std::string::npos);
  EXPECT_NE(textFor([](Job &job) {
              return textOf(finish(job.world().allReduce(zeros(job.rank() == 0 ? DType::F32 : DType::I32, {4}))));
            }).find("dtype f32 against i32"),
            std::string::npos);
  EXPECT_NE(textFor([](Job &job) {
              return textOf(finish(job.world().allReduce(floats(4), job.rank() == 0 ? ReduceOp::Sum : ReduceOp::Max)));
            }).find("reduction sum against max"),
            std::string::npos);
  EXPECT_NE(textFor([](Job &job) {
              Tensor tensor = floats(4);
              return textOf(finish(job.rank() == 0 ? job.world().allReduce(tensor) : job.world().reduce(tensor, 0)));
            }).find("kind all_reduce against reduce"),
            std::string::npos);
  EXPECT_NE(textFor([](Job &job) {
              Tensor tensor = floats(job.rank() == 0 ? 2 : 4);
              return textOf(finish(job.rank() == 0 ? job.world().send(tensor, 1) : job.world().recv(tensor, 0)));
            }).find("ranks 0 and 1 disagree about a transfer"),
            std::string::npos);
}

TEST(GroupErrors, AfterAFailureTheGroupIsOverButOthersAreNot) {
  Texts texts = onRanks(2, [](Job &job) {
    ProcessGroup *other = llvm::cantFail(job.newGroup({}));
    std::string first = textOf(finish(job.world().allReduce(job.rank() == 0 ? floats(4) : floats(5))));
    std::string again = textOf(finish(job.world().barrier()));
    return std::string(first == again && !first.empty() ? "" : first + again) + textOf(finish(other->barrier()));
  });
  EXPECT_EQ(texts, Texts(2));
}

// --- Ranks that do not come ------------------------------------------------------------------------------------------

TEST(GroupErrors, ARankThatIsAbsentEndsTheCallAtItsDeadline) {
  auto begun = std::chrono::steady_clock::now();
  Texts texts = onRanks(3, [](Job &job) {
    if (job.rank() == 1) {
      std::this_thread::sleep_for(600ms);
      return textOf(finish(job.world().barrier()));
    }
    return textOf(finish(job.world().allReduce(floats(4), ReduceOp::Sum, {.timeout = 150ms})));
  });
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 20s);
  EXPECT_NE(texts[0].find("run.deadline: rank "), std::string::npos) << texts[0];
  EXPECT_NE(texts[0].find("Timed out waiting 150ms for all_reduce `all_reduce` (collective 1 on ranks [0, 1, 2]), "
                          "which ranks [1] have not launched"),
            std::string::npos)
      << texts[0];
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_EQ(texts[0], texts[2]);
}

TEST(GroupErrors, ACallThatNoRankWaitsForEndsTheGroupAtItsDeadline) {
  Texts texts = onRanks(3, [](Job &job) {
    if (job.rank() == 1) {
      llvm::cantFail(job.store().wait({"over/0", "over/2"}));
      return textOf(finish(job.world().barrier()));
    }
    // The work is destroyed immediately, so only the watchdog sees the deadline.
    (void)llvm::cantFail(job.world().allReduce(floats(4), ReduceOp::Sum, {.timeout = 50ms}));
    std::string text;
    for (auto until = std::chrono::steady_clock::now() + 20s;
         text.empty() && std::chrono::steady_clock::now() < until;) {
      std::this_thread::sleep_for(10ms);
      text = errorOf(job.world().send(floats(1), 1));
    }
    llvm::cantFail(job.store().set("over/" + std::to_string(job.rank()), ""));
    return text;
  });
  EXPECT_NE(texts[0].find("run.deadline: rank "), std::string::npos) << texts[0];
  EXPECT_NE(texts[0].find("Timed out waiting 50ms for all_reduce `all_reduce` (collective 1 on ranks [0, 1, 2]), which "
                          "ranks [1] have not launched"),
            std::string::npos)
      << texts[0];
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_EQ(texts[0], texts[2]);
}

TEST(GroupErrors, AProgramThatPollsSeesTheDeadline) {
  auto poll = [](auto begin) {
    return onRanks(2, [&](Job &job) {
      if (job.rank() == 1) {
        llvm::cantFail(job.store().wait({"over"}));
        return std::string();
      }
      WorkPtr work = llvm::cantFail(begin(job.world()));
      auto until = std::chrono::steady_clock::now() + 20s;
      while (!work->isCompleted() && std::chrono::steady_clock::now() < until)
        std::this_thread::yield();
      llvm::cantFail(job.store().set("over", ""));
      return textOf(work->exception());
    })[0];
  };
  std::string text = poll([](ProcessGroup &g) { return g.barrier({.timeout = 50ms}); });
  EXPECT_NE(text.find("Timed out waiting 50ms for barrier"), std::string::npos) << text;
  text = poll([](ProcessGroup &g) { return g.recv(floats(1), 1, {.timeout = 50ms}); });
  EXPECT_NE(text.find("whose other end, rank 1, has not sent"), std::string::npos) << text;
  text = poll([](ProcessGroup &g) { return g.recvAnySource(floats(1), {.timeout = 50ms}); });
  EXPECT_NE(text.find("Timed out waiting 50ms for irecv, for which no rank has sent"), std::string::npos) << text;
}

TEST(GroupErrors, TheWatchdogLeavesCompleteCallsAlone) {
  Texts texts = onRanks(2, [](Job &job) {
    ProcessGroup &world = job.world();
    Tensor sum = floats(4), any = floats(1);
    WorkPtr work = llvm::cantFail(world.allReduce(sum, ReduceOp::Sum, {.timeout = 50ms}));
    WorkPtr moved = llvm::cantFail(job.rank() == 0 ? world.recvAnySource(any, {.timeout = 50ms}) : world.send(any, 0));
    llvm::cantFail(moved->wait());
    llvm::cantFail(work->wait());
    std::this_thread::sleep_for(400ms); // longer than the deadline and a poll of the watchdog
    return textOf(finish(world.barrier()));
  });
  EXPECT_EQ(texts, Texts(2));
}

TEST(GroupErrors, AShorterWaitLeavesTheCallInFlight) {
  Texts texts = onRanks(2, [](Job &job) {
    if (job.rank() == 1)
      llvm::cantFail(job.store().wait({"late"}));
    WorkPtr work = llvm::cantFail(job.world().allReduce(floats(4)));
    std::string early;
    if (job.rank() == 0) {
      early = textOf(work->wait(50ms));
      EXPECT_FALSE(work->isCompleted());
      EXPECT_EQ(textOf(work->exception()), "");
      llvm::cantFail(job.store().set("late", ""));
    }
    return early.substr(0, 61) + textOf(work->wait());
  });
  EXPECT_EQ(texts, (Texts{"run.deadline: rank 0: Timed out waiting 50ms for all_reduce `", ""}));
}

TEST(GroupErrors, ARankThatLeavesEndsTheOthersImmediately) {
  auto begun = std::chrono::steady_clock::now();
  Texts texts = onRanks(3, [](Job &job) {
    if (job.rank() == 2)
      return std::string(); // its job ends
    return textOf(finish(job.world().allReduce(floats(4))));
  });
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 20s);
  // Only the rank that has left is to blame, whether or not the others have come by then.
  EXPECT_EQ(texts[0], "run.rank-lost: rank 2 has left group 0: all_reduce `all_reduce` (collective 1 on ranks [0, 1, "
                      "2]), which it has not launched");
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(GroupErrors, AReceiveFromARankThatLeavesEnds) {
  Texts texts = onRanks(
      2, [](Job &job) { return job.rank() == 1 ? std::string() : textOf(finish(job.world().recv(floats(1), 1))); });
  EXPECT_NE(texts[0].find("run.rank-lost: rank 1 has left group 0"), std::string::npos) << texts[0];
  EXPECT_NE(onRanks(2,
                    [](Job &job) {
                      if (job.rank() == 1)
                        return std::string();
                      WorkPtr any = llvm::cantFail(job.world().recvAnySource(floats(1), {.timeout = 50ms}));
                      return textOf(any->wait());
                    })[0]
                .find("Timed out waiting 50ms for irecv, for which no rank has sent"),
            std::string::npos);
}

TEST(GroupErrors, TheMonitoredBarrierNamesTheRanks) {
  auto run = [](bool all) {
    return onRanks(3, [all](Job &job) {
      if (job.rank() != 0) {
        llvm::cantFail(job.store().wait({"over"}));
        return std::string();
      }
      std::string text = textOf(job.world().monitoredBarrier({.timeout = 60ms, .waitAllRanks = all}));
      llvm::cantFail(job.store().set("over", ""));
      return text;
    })[0];
  };
  EXPECT_EQ(run(false), "run.deadline: [Rank 0]: Rank 1 failed to pass monitoredBarrier in 60 ms");
  EXPECT_EQ(run(true), "run.deadline: [Rank 0]: Ranks 1, 2 failed to pass monitoredBarrier in 60 ms");
  Texts texts = onRanks(3, [](Job &job) { return textOf(job.world().monitoredBarrier()); });
  EXPECT_EQ(texts, Texts(3));
  texts = onRanks(3, [](Job &job) {
    return job.rank() == 2 ? std::string() : textOf(job.world().monitoredBarrier({.timeout = 60ms}));
  });
  EXPECT_NE(texts[1].find("Rank 1 successfully reached monitoredBarrier, but received errors while waiting for "
                          "send/recv from rank 0. Please check rank 0 logs for faulty rank."),
            std::string::npos)
      << texts[1];
}

// --- Debug level DETAIL ----------------------------------------------------------------------------------------------

TEST(DebugDetail, NamesTheOddRankByMajority) {
  std::vector<std::string> notes(3);
  Texts texts = onRanks(3,
                        [&](Job &job) {
                          Tensor tensor = floats(2);
                          llvm::cantFail(finish(job.world().barrier()));
                          llvm::Error error = finish(job.rank() == 1 ? job.world().broadcast(tensor, 0)
                                                                     : job.world().allReduce(tensor));
                          notes[static_cast<size_t>(job.rank())] = llvm::toString(std::move(error));
                          return notes[static_cast<size_t>(job.rank())];
                        },
                        {.debug = DebugLevel::Detail});
  for (const std::string &text : texts) {
    EXPECT_NE(text.find("Detected mismatch between collectives on ranks. Rank "), std::string::npos) << text;
    EXPECT_NE(text.find("rank 1 is odd: the other 2 ranks agree"), std::string::npos) << text;
  }
  EXPECT_NE(texts[0].find("Rank 0 is running collective: CollectiveFingerPrint(SequenceNumber=1, OpType=ALLREDUCE, "
                          "TensorShape=[2], TensorDtypes=Float, TensorDeviceTypes=cpu), but Rank 1 is running "
                          "collective: CollectiveFingerPrint(SequenceNumber=1, OpType=BROADCAST"),
            std::string::npos)
      << texts[0];
  EXPECT_NE(texts[0].find("Op type: ALLREDUCE vs BROADCAST"), std::string::npos) << texts[0];
}

TEST(DebugDetail, ComparesDTypesAndShapesAndKeepsFewKeys) {
  auto textFor = [](auto tensorOf) {
    return onRanks(2, [&](Job &job) { return textOf(finish(job.world().allReduce(tensorOf(job.rank())))); },
                   {.debug = DebugLevel::Detail})[0];
  };
  EXPECT_NE(textFor([](int64_t rank) {
              return zeros(rank == 0 ? DType::F32 : DType::I32, {2});
            }).find("Tensor Tensor dtypes: Float vs Int"),
            std::string::npos);
  EXPECT_NE(textFor([](int64_t rank) { return floats(2 + rank); }).find("Tensor Tensor shapes: 2 vs 3"),
            std::string::npos);
  std::vector<int64_t> keys = onRanks(2,
                                      [](Job &job) {
                                        for (int i = 0; i < 20; ++i)
                                          llvm::cantFail(finish(job.world().barrier()));
                                        return llvm::cantFail(job.store().numKeys());
                                      },
                                      {.debug = DebugLevel::Detail});
  EXPECT_LE(keys[0], 10);
}

TEST(DebugLevel, IsParsedInAnyCase) {
  EXPECT_EQ(llvm::cantFail(parseDebugLevel("oFf")), DebugLevel::Off);
  EXPECT_EQ(llvm::cantFail(parseDebugLevel("info")), DebugLevel::Info);
  EXPECT_EQ(llvm::cantFail(parseDebugLevel("DeTaIl")), DebugLevel::Detail);
  for (const char *wrong : {"0", "", " ", " off", "OFFF", "true"})
    EXPECT_EQ(errorOf(parseDebugLevel(wrong)),
              "group.argument: The value of TORCH_DISTRIBUTED_DEBUG must be OFF, INFO, or DETAIL. Got '" +
                  std::string(wrong) + "'");
}

// --- Flight records --------------------------------------------------------------------------------------------------

TEST(FlightRecords, OfGroupsShowTheCulprit) {
  std::vector<FlightRecord> records = onRanks(3, [](Job &job) {
    llvm::cantFail(finish(job.world().allReduce(floats(4))));
    if (job.rank() != 1)
      (void)textOf(finish(job.world().broadcast(floats(4), 0, {.timeout = 100ms})));
    else
      std::this_thread::sleep_for(200ms);
    return job.flightRecord();
  });
  FlightVerdict verdict = analyzeFlight(records);
  EXPECT_FALSE(verdict.agree);
  EXPECT_EQ(verdict.culprits, std::vector<int64_t>{1}) << verdict.sentence;
  ASSERT_EQ(records[0].calls.size(), 2U);
  EXPECT_EQ(records[0].calls[0].state, FlightState::Completed);
  EXPECT_EQ(records[0].calls[1].state, FlightState::Started);
  EXPECT_EQ(records[0].calls[1].operation, "broadcast");
  EXPECT_EQ(records[0].calls[1].sequence, 2);
}

TEST(FlightRecords, HaveABound) {
  FlightRecord record = onRanks(1, [](Job &job) {
    for (int i = 0; i < 600; ++i)
      llvm::cantFail(finish(job.world().barrier()));
    return job.flightRecord();
  })[0];
  EXPECT_EQ(record.calls.size(), 512U);
  EXPECT_EQ(record.forgottenCalls, 88);
}

} // namespace
} // namespace ccgraph::runtime
