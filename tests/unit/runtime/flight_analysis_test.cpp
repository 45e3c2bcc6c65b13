// Tests how the culprit is found: by majority, by its own plan, by what others wait for.
#include "ccgraph/runtime/flight_analysis.h"

#include <gtest/gtest.h>

namespace ccgraph::runtime {
namespace {

/// Records of ranks 0 to n - 1, all in one group "0".
class Ranks {
public:
  explicit Ranks(int64_t n) {
    for (int64_t rank = 0; rank < n; ++rank) {
      FlightRecord record;
      record.rank = rank;
      record.worldSize = n;
      record.activity = RankActivity::Waiting;
      record.groups = {{"0", "", {}}};
      for (int64_t member = 0; member < n; ++member)
        record.groups[0].ranks.push_back(member);
      records.push_back(record);
    }
  }
  Ranks &group(const char *name, const std::vector<int64_t> &ranks) {
    for (int64_t rank : ranks)
      records[static_cast<size_t>(rank)].groups.push_back({name, "", ranks});
    return *this;
  }
  /// Adds the next call of the rank on the group.
  FlightCall &call(size_t rank, const char *operation, FlightState state, int64_t elements = 4, size_t group = 0) {
    FlightRecord &record = records[rank];
    FlightCall call;
    call.group = group;
    call.sequence = 1;
    for (const FlightCall &other : record.calls)
      call.sequence += other.group == group && !other.isTransfer();
    call.operation = operation;
    call.inputs = {{"f32", elements}};
    call.state = state;
    call.position = static_cast<int64_t>(record.calls.size());
    call.times.scheduled = 100 * static_cast<int64_t>(record.calls.size() + 1) + static_cast<int64_t>(rank);
    record.calls.push_back(call);
    return record.calls.back();
  }
  FlightCall &transfer(size_t rank, const char *operation, int64_t peer, FlightState state) {
    FlightCall &made = call(rank, operation, state);
    made.peer = peer;
    made.sequence = 1;
    return made;
  }
  [[nodiscard]] std::string sentence() const { return analyzeFlight(records).sentence; }

  std::vector<FlightRecord> records;
};

constexpr FlightState started = FlightState::Started, completed = FlightState::Completed,
                      scheduled = FlightState::Scheduled;

TEST(FlightAnalysis, NamesTheFewer) {
  Ranks ranks(3);
  for (size_t rank = 0; rank < 3; ++rank) {
    ranks.call(rank, "broadcast", completed);
    ranks.call(rank, rank == 1 ? "all_gather" : "all_reduce", started);
  }
  EXPECT_EQ(ranks.sentence(),
            "rank 1 is the culprit: collective 2 of group 0 is all_reduce f32[4] on ranks 0 and 2, and "
            "all_gather f32[4] on rank 1");
  EXPECT_EQ(analyzeFlight(ranks.records).culprits, std::vector<int64_t>{1});
}

TEST(FlightAnalysis, NamesNobodyWhereNobodyIsFewer) {
  Ranks ranks(2);
  ranks.call(0, "all_reduce", started, 4);
  ranks.call(1, "all_reduce", started, 5);
  EXPECT_EQ(ranks.sentence(), "ranks 0 and 1 disagree, and none is a majority: collective 1 of group 0 is all_reduce "
                              "f32[4] on rank 0, and all_reduce f32[5] on rank 1");
  EXPECT_FALSE(analyzeFlight(ranks.records).agree);
  EXPECT_TRUE(analyzeFlight(ranks.records).culprits.empty());
  ranks.records[0].calls[0].departure = "f32[5] by the plan";
  EXPECT_EQ(ranks.sentence(), "rank 0 is the culprit: collective 1 of group 0 is all_reduce f32[5] on rank 1, and "
                              "all_reduce f32[4] on rank 0, which is f32[5] by the plan");
}

TEST(FlightAnalysis, ComparesWhatTheKindSaysAlike) {
  auto agree = [](const char *operation) {
    Ranks ranks(3);
    for (size_t rank = 0; rank < 3; ++rank)
      ranks.call(rank, operation, completed, static_cast<int64_t>(rank));
    return analyzeFlight(ranks.records).agree;
  };
  for (const char *operation : {"all_to_all", "alltoall_base", "scatter"})
    EXPECT_TRUE(agree(operation)) << operation;
  for (const char *operation : {"all_reduce", "reduce_scatter", "all_gather", "gather"})
    EXPECT_FALSE(agree(operation)) << operation;
}

TEST(FlightAnalysis, TellsWhoDepartsFromItsPlanWhereNobodyElseCan) {
  Ranks ranks(2);
  ranks.call(0, "all_to_all", started, 3).departure = "f32[4] by the plan";
  ranks.call(1, "all_to_all", started);
  EXPECT_EQ(ranks.sentence(),
            "rank 0 is the culprit: collective 1 of group 0 is all_to_all f32[3], which is f32[4] by the plan");
}

TEST(FlightAnalysis, FollowsWhoWaitsForWhom) {
  Ranks ranks(3);
  ranks.group("a", {0, 1}).group("b", {1, 2});
  ranks.call(0, "all_reduce", started, 4, 1);
  ranks.call(1, "all_gather", started, 4, 2);
  ranks.records[2].activity = RankActivity::Busy;
  ranks.records[2].busyWith = "mm";
  EXPECT_EQ(ranks.sentence(),
            "rank 2 is the culprit: it has not launched collective 1 of group b, all_gather f32[4], for "
            "which rank 1 waits; it is busy with `mm`");
  ranks.records[2].activity = RankActivity::Ended;
  EXPECT_EQ(ranks.sentence(),
            "rank 2 is the culprit: it has not launched collective 1 of group b, all_gather f32[4], for "
            "which rank 1 waits; it has ended its program");
  ranks.records.pop_back();
  EXPECT_EQ(ranks.sentence(), "rank 2 is the culprit: it left no record, and it has not launched collective 1 of group "
                              "b, all_gather f32[4], for which rank 1 waits");
}

TEST(FlightAnalysis, SaysWhatIsIssuedIsNotLaunched) {
  Ranks ranks(2);
  ranks.call(0, "all_reduce", started);
  ranks.call(1, "broadcast", completed, 4);
  ranks.records[1].calls.clear();
  ranks.call(1, "all_reduce", scheduled);
  EXPECT_EQ(ranks.sentence(),
            "rank 1 is the culprit: it has not launched collective 1 of group 0, all_reduce f32[4], for "
            "which rank 0 waits; its last call was all_reduce f32[4]");
}

TEST(FlightAnalysis, TellsACircle) {
  Ranks ranks(2);
  ranks.group("a", {0, 1});
  ranks.records[0].groups[1].ranks = ranks.records[1].groups[1].ranks = {1, 0};
  ranks.call(0, "all_reduce", started, 4, 0);
  ranks.call(1, "all_gather", started, 4, 1);
  EXPECT_EQ(ranks.sentence(),
            "ranks 0 and 1 wait for one another, rank 0 in collective 1 of group 0, all_reduce f32[4], "
            "rank 1 in collective 1 of group a, all_gather f32[4]");
  ranks.records[1].calls[0].departure = "number 2 by the plan";
  EXPECT_EQ(ranks.sentence(),
            "rank 1 is the culprit: collective 1 of group a is all_gather f32[4], which is number 2 by "
            "the plan");
}

TEST(FlightAnalysis, TellsWhoHasNotEndedWhatAllLaunched) {
  Ranks ranks(3);
  for (size_t rank = 0; rank < 3; ++rank)
    ranks.call(rank, "all_reduce", rank == 2 ? started : completed);
  EXPECT_EQ(ranks.sentence(), "rank 2 is the culprit: it has not completed collective 1 of group 0, all_reduce f32[4], "
                              "which all have launched");
}

TEST(FlightAnalysis, TellsWhoIsBehindInWhatAllEnqueued) {
  Ranks ranks(3);
  for (size_t rank = 0; rank < 3; ++rank) {
    ranks.call(rank, "all_reduce", rank == 1 ? scheduled : started).position.reset();
    ranks.records[rank].activity = RankActivity::Unknown;
  }
  EXPECT_EQ(ranks.sentence(),
            "rank 1 is the culprit: it has not started collective 1 of group 0, all_reduce f32[4], which "
            "the others have");
  ranks.records[1].calls[0].state = started;
  EXPECT_EQ(ranks.sentence(),
            "ranks 0, 1 and 2 have not completed collective 1 of group 0, all_reduce f32[4], which all "
            "have launched, and none is behind");
  EXPECT_FALSE(analyzeFlight(ranks.records).agree);
}

TEST(FlightAnalysis, PairsTransfersByChannel) {
  Ranks ranks(3);
  ranks.transfer(0, "send", 2, completed);
  ranks.transfer(2, "recv", 0, completed);
  ranks.transfer(0, "send", 1, started);
  ranks.records[1].activity = RankActivity::Ended;
  EXPECT_EQ(ranks.sentence(),
            "rank 1 is the culprit: it has not launched transfer 1 from rank 0 to rank 1, send f32[4], "
            "for which rank 0 waits; it has ended its program");
}

TEST(FlightAnalysis, DoesNotAskARankAboutWhatItHasForgotten) {
  Ranks ranks(2);
  ranks.call(0, "broadcast", completed);
  ranks.call(0, "all_reduce", completed);
  ranks.call(1, "broadcast", completed);
  ranks.call(1, "all_reduce", completed);
  ranks.records[1].calls.erase(ranks.records[1].calls.begin());
  ranks.records[0].calls[0].state = started;
  EXPECT_FALSE(analyzeFlight(ranks.records).agree);
  ranks.records[1].forgottenCalls = 1;
  ranks.records[0].calls[0].state = completed;
  EXPECT_EQ(ranks.sentence(), "the records of ranks 0 and 1 agree");
}

TEST(FlightAnalysis, TakesGroupsOfUnknownRanksByTheirNames) {
  Ranks ranks(3);
  for (size_t rank = 0; rank < 3; ++rank) {
    ranks.records[rank].groups = {{"7", "", {}}};
    ranks.records[rank].worldSize = 0;
    ranks.call(rank, rank == 0 ? "all_gather" : "all_reduce", started);
  }
  EXPECT_EQ(ranks.sentence(),
            "rank 0 is the culprit: collective 1 of group 7 is all_reduce f32[4] on ranks 1 and 2, and "
            "all_gather f32[4] on rank 0");
}

TEST(FlightAnalysis, LeavesOutWhatWasDoneAfterTheFirstRecord) {
  // Rank 1 was stopped before its first collective, and resumed after the others had timed out.
  Ranks ranks(3);
  for (size_t rank = 0; rank < 3; ++rank) {
    FlightCall &call = ranks.call(rank, "all_reduce", started);
    call.times = {100, rank == 1 ? 1100 : 100, 0};
    ranks.records[rank].taken = rank == 1 ? 1200 : 1000 + static_cast<int64_t>(rank);
  }
  ranks.call(1, "all_gather", started).times = {1110, 1120, 0};
  EXPECT_EQ(ranks.sentence(),
            "rank 1 is the culprit: it has not launched collective 1 of group 0, all_reduce f32[4], for "
            "which ranks 0 and 2 wait; its last call was all_gather f32[4]");
}

/// Two ranks have ended: rank 0 waited until 1000 for the other, which ran a last step long after its collective.
Ranks endedLate(FlightTimes last, bool communicates) {
  Ranks ranks(2);
  for (size_t rank = 0; rank < 2; ++rank) {
    ranks.call(rank, "all_reduce", completed).times = {100, 100, 200};
    ranks.records[rank].activity = RankActivity::Ended;
    ranks.records[rank].taken = rank == 0 ? 1000 : 1300;
    ranks.records[rank].steps = {{0, "all_reduce", "all_reduce", true, "0", {100, 100, 200}}};
  }
  ranks.records[1].steps.push_back({1, "relu", "aten.relu.default", communicates, "compute", last});
  return ranks;
}

TEST(FlightAnalysis, LeavesOutThatAStoppedRankHasEndedSince) {
  std::string sentence = "rank 1 is the culprit: it is busy with `relu`, and rank 0 has ended";
  EXPECT_EQ(endedLate({100, 1200, 1210}, false).sentence(), sentence) << "it was stopped before the step";
  EXPECT_EQ(endedLate({100, 900, 1210}, false).sentence(), sentence) << "it was stopped in the step";
  EXPECT_EQ(endedLate({100, 1200, 1210}, true).sentence(), sentence) << "it was stopped before it launched";
  EXPECT_TRUE(analyzeFlight(endedLate({100, 300, 400}, false).records).agree);
}

TEST(FlightAnalysis, NamesWhoHasLeftOutWhatItsPairLaunches) {
  // In a pair, rank 0 has continued to the collective that all launch; rank 1 launches it after the pair's collective.
  Ranks ranks(3);
  ranks.group("pair", {0, 1});
  for (FlightRecord &record : ranks.records)
    record.graphDigest = "one";
  ranks.call(1, "all_gather", started, 4, 1).position = 0;
  ranks.call(1, "all_reduce", scheduled).position = 1;
  ranks.call(0, "all_reduce", started).position = 1;
  ranks.call(2, "all_reduce", started).position = 1;
  EXPECT_EQ(
      ranks.sentence(),
      "rank 0 is the culprit: it has not launched collective 1 of group pair, all_gather f32[4], for which rank 1 "
      "waits; it has left it out, and issued what comes later");
  for (FlightRecord &record : ranks.records)
    record.graphDigest.clear();
  EXPECT_TRUE(analyzeFlight(ranks.records).culprits.empty()) << "places of unlike plans tell nothing";
}

TEST(FlightAnalysis, NamesNobodyWhoWaitsForTheElementsOfAStoppedRank) {
  // Ranks 1 and 2 have launched a collective of both; rank 1 is stopped, and rank 2 cannot continue to the collective
  // for which rank 0 waits.
  for (const std::vector<int64_t> &waited : {std::vector<int64_t>{0, 1, 2}, std::vector<int64_t>{0, 2}}) {
    Ranks ranks(3);
    ranks.group("pair", {1, 2});
    for (int64_t rank : waited)
      ranks.records[static_cast<size_t>(rank)].groups.push_back({"waited", "", waited});
    ranks.call(0, "all_gather", started, 4, 1);
    ranks.call(1, "all_to_all", started, 4, 1);
    ranks.call(2, "all_to_all", started, 4, 1);
    ranks.records[1].activity = RankActivity::Busy;
    ranks.records[1].busyWith = "mm";
    EXPECT_EQ(analyzeFlight(ranks.records).culprits, std::vector<int64_t>{1}) << ranks.sentence();
  }
}

TEST(FlightAnalysis, OfNothingSaysSo) { EXPECT_EQ(analyzeFlight({}).sentence, "there is no record"); }

} // namespace
} // namespace ccgraph::runtime
