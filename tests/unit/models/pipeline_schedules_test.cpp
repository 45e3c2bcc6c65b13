// Tests the schedules of pipelines: each of the five is correct for 4 to 16 stages, and each of 20 mutations of each is
// found, by its rule.
#include "ccgraph/frontend/pipeline_file.h"
#include "ccgraph/ir/pipeline_verifier.h"
#include "models/pipeline_schedules.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace ccgraph::models {
namespace {

PipelineSchedule scheduleOf(const PipelineRequest &request) { return llvm::cantFail(makePipelineSchedule(request)); }

std::string textOf(const PipelineSchedule &schedule) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writePipelineSchedule(os, schedule);
  return os.str();
}

std::string rulesOf(const PipelineSchedule &schedule) {
  std::set<std::string> rules;
  for (const Diagnostic &finding : verifyPipelineSchedule(schedule))
    rules.insert(finding.rule);
  return llvm::join(rules, " ");
}

/// The number of ranks for which the schedule has that many stages.
PipelineRequest requestOf(PipelineKind kind, int64_t stages, int64_t microbatches = 0) {
  PipelineRequest request{kind};
  request.ranks = stages / request.stagesOfRank();
  request.microbatches = microbatches;
  return request;
}

/// Applies `change` to the action with this text.
template <typename Change>
void changeAction(PipelineSchedule &schedule, llvm::StringRef text, Change change) {
  for (auto &slots : schedule.ranks)
    for (size_t i = 0; i != slots.size(); ++i)
      for (PipelineAction &action : slots[i].actions)
        if (action.str() == text)
          return change(slots, i, action);
  ADD_FAILURE() << "no action " << text.str() << " in\n" << textOf(schedule);
}

using Slots = std::vector<PipelineSlot>;

void erase(PipelineSchedule &schedule, llvm::StringRef text) {
  changeAction(schedule, text, [&](Slots &slots, size_t i, const PipelineAction &action) {
    PipelineAction gone = action;
    llvm::erase_if(slots[i].actions, [&](const PipelineAction &one) { return one == gone; });
  });
}
void repeat(PipelineSchedule &schedule, llvm::StringRef text) {
  changeAction(schedule, text,
               [](Slots &slots, size_t, const PipelineAction &action) { slots.push_back({{PipelineAction(action)}}); });
}
void rename(PipelineSchedule &schedule, llvm::StringRef text, const PipelineAction &other) {
  changeAction(schedule, text, [&](Slots &, size_t, PipelineAction &action) { action = other; });
}
/// Moves the action to the beginning of its rank.
void moveFirst(PipelineSchedule &schedule, llvm::StringRef text) {
  changeAction(schedule, text, [](Slots &slots, size_t i, const PipelineAction &action) {
    PipelineAction moved = action;
    llvm::erase_if(slots[i].actions, [&](const PipelineAction &one) { return one == moved; });
    slots.insert(slots.begin(), {{moved}});
  });
}
void moveBehind(PipelineSchedule &schedule, llvm::StringRef text, llvm::StringRef other) {
  PipelineAction moved;
  changeAction(schedule, text, [&](Slots &, size_t, const PipelineAction &action) { moved = action; });
  erase(schedule, text);
  changeAction(schedule, other, [&](Slots &slots, size_t i, const PipelineAction &) {
    slots.insert(slots.begin() + static_cast<std::ptrdiff_t>(i) + 1, {{moved}});
  });
}
void moveToRank(PipelineSchedule &schedule, llvm::StringRef text, size_t rank) {
  PipelineAction moved;
  changeAction(schedule, text, [&](Slots &, size_t, const PipelineAction &action) { moved = action; });
  erase(schedule, text);
  schedule.ranks[rank].push_back({{moved}});
}

struct Mutation {
  std::string name;
  std::string rules;
  std::function<void(PipelineSchedule &)> apply;
  bool hasTransfers = false;
};

/// What the backward of stage 1, microbatch 1 consists of.
std::string backwardOf(const PipelineSchedule &schedule) {
  return textOf(schedule).find("1B1") != std::string::npos ? "1B1" : "1I1";
}

std::vector<Mutation> mutationsOfComputation() {
  using S = PipelineSchedule;
  return {
      {"a forward is left out", "pipeline.missing", [](S &s) { erase(s, "1F1"); }},
      {"a backward is left out", "pipeline.missing", [](S &s) { erase(s, backwardOf(s)); }},
      {"a forward is repeated", "pipeline.repeated", [](S &s) { repeat(s, "1F1"); }},
      {"a backward is repeated", "pipeline.repeated", [](S &s) { repeat(s, backwardOf(s)); }},
      {"a backward comes before its forward", "pipeline.order", [](S &s) { moveFirst(s, backwardOf(s)); }},
      {"a forward has another microbatch", "pipeline.missing pipeline.repeated",
       [](S &s) {
         rename(s, "1F1", {PipelineActionKind::Forward, 1, 0});
       }},
      {"a microbatch does not exist", "pipeline.missing pipeline.stage",
       [](S &s) {
         rename(s, "0F1", {PipelineActionKind::Forward, 0, s.microbatches});
       }},
      {"a stage does not exist", "pipeline.missing pipeline.stage",
       [](S &s) {
         rename(s, "0F1", {PipelineActionKind::Forward, s.stages, 1});
       }},
      {"a forward is on another rank", "pipeline.order pipeline.stage", [](S &s) { moveToRank(s, "0F1", 1); }},
      {"a backward comes before the next forward, for which its neighbor waits", "pipeline.deadlock",
       [](S &s) { moveBehind(s, textOf(s).find("0B0") != std::string::npos ? "0B0" : "0I0", "0F0"); }},
  };
}

std::vector<Mutation> mutationsOfTransfers() {
  using S = PipelineSchedule;
  using enum PipelineActionKind;
  return {
      {"a send is left out", "pipeline.pairing", [](S &s) { erase(s, "0SEND_F1"); }, true},
      {"a receive is left out", "pipeline.missing", [](S &s) { erase(s, "1RECV_F1"); }, true},
      {"a gradient is not sent", "pipeline.pairing", [](S &s) { erase(s, "1SEND_B1"); }, true},
      {"a gradient is not received", "pipeline.missing", [](S &s) { erase(s, "0RECV_B1"); }, true},
      {"a send is repeated", "pipeline.repeated", [](S &s) { repeat(s, "0SEND_F1"); }, true},
      {"a send has another microbatch", "pipeline.repeated",
       [](S &s) {
         rename(s, "0SEND_F1", {SendForward, 0, 0});
       },
       true},
      {"a send comes before its value", "pipeline.order", [](S &s) { moveFirst(s, "0SEND_F1"); }, true},
      {"a receive comes after its use", "pipeline.order",
       [](S &s) {
         erase(s, "1RECV_F1");
         changeAction(s, "1F1", [](Slots &slots, size_t, const PipelineAction &) {
           slots.push_back({{{RecvForward, 1, 1}}});
         });
       },
       true},
      {"two receives are exchanged", "pipeline.pairing",
       [](S &s) {
         rename(s, "1RECV_F1", {RecvForward, 1, 99});
         rename(s, "1RECV_F0", {RecvForward, 1, 1});
         erase(s, "1RECV_F99");
         changeAction(s, "1F0", [](Slots &slots, size_t i, const PipelineAction &) {
           slots.insert(slots.begin() + static_cast<std::ptrdiff_t>(i), {{{RecvForward, 1, 0}}});
         });
       },
       true},
      {"a receive is on another rank", "pipeline.order", [](S &s) { moveToRank(s, "1RECV_F1", 0); }, true},
  };
}

} // namespace

TEST(PipelineSchedules, EachIsCorrectForFourToSixteenStages) {
  for (const auto &[name, kind] : pipelineKinds())
    for (int64_t stages = 4; stages <= 16; stages += 2)
      for (int64_t microbatches : {2 * stages, 3 * stages}) {
        PipelineSchedule schedule = scheduleOf(requestOf(kind, stages, microbatches));
        EXPECT_EQ(schedule.stages, stages);
        EXPECT_EQ(rulesOf(schedule), "") << name << " of " << stages << " stages\n" << textOf(schedule);
        EXPECT_EQ(rulesOf(withTransfers(schedule)), "") << name << " of " << stages << " stages";
      }
}

TEST(PipelineSchedules, FewMicrobatchesAreCorrectToo) {
  for (PipelineKind kind :
       {PipelineKind::GPipe, PipelineKind::OneForwardOneBackward, PipelineKind::Interleaved, PipelineKind::ZeroBubbleV})
    for (int64_t microbatches : {1, 2, 3}) {
      PipelineSchedule schedule = scheduleOf(requestOf(kind, 8, microbatches));
      EXPECT_EQ(rulesOf(schedule), "") << textOf(schedule);
      EXPECT_EQ(rulesOf(withTransfers(schedule)), "") << textOf(schedule);
    }
}

TEST(PipelineSchedules, AFileReadsBackAsTheSchedule) {
  for (const auto &[name, kind] : pipelineKinds()) {
    PipelineSchedule schedule = withTransfers(scheduleOf(requestOf(kind, 8)));
    std::string text = textOf(schedule);
    PipelineSchedule again = llvm::cantFail(readPipelineSchedule({"schedule.csv", text}));
    EXPECT_EQ(textOf(again), text);
    EXPECT_EQ(again.stages, 8);
    EXPECT_EQ(again.microbatches, schedule.microbatches);
    EXPECT_TRUE(isPipelineSchedule(text));
  }
}

TEST(PipelineSchedules, EachMutationIsFound) {
  for (const auto &[name, kind] : pipelineKinds())
    for (int64_t stages : {4, 8}) {
      std::vector<Mutation> mutations = mutationsOfComputation(), more = mutationsOfTransfers();
      mutations.insert(mutations.end(), more.begin(), more.end());
      EXPECT_EQ(mutations.size(), 20U);
      for (const Mutation &mutation : mutations) {
        PipelineSchedule schedule = scheduleOf(requestOf(kind, stages));
        if (mutation.hasTransfers)
          schedule = withTransfers(schedule);
        mutation.apply(schedule);
        EXPECT_EQ(rulesOf(schedule), mutation.rules) << mutation.name << ", " << name << " of " << stages << " stages\n"
                                                     << textOf(schedule);
      }
    }
}

TEST(PipelineSchedules, OneForwardOneBackwardOfThreeStages) {
  EXPECT_EQ(textOf(scheduleOf({PipelineKind::OneForwardOneBackward, 3, 0, 4})), "0F0,0F1,0F2,0B0,0F3,0B1,0B2,0B3\n"
                                                                                "1F0,1F1,1B0,1F2,1B1,1F3,1B2,1B3\n"
                                                                                "2F0,2B0,2F1,2B1,2F2,2B2,2F3,2B3\n");
}

TEST(PipelineSchedules, ADeadlockIsACircleOfRanks) {
  PipelineSchedule schedule = llvm::cantFail(readPipelineSchedule({"bad.csv", "0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1\n"}));
  EXPECT_EQ(toString(verifyPipelineSchedule(schedule)),
            "bad.csv:1:5: error: rank 0 at 0B0: 2 ranks wait for one another [pipeline.deadlock]\n"
            "  note: rank 0 stands at 0B0, which needs 1B0 of rank 1\n"
            "  note: rank 1 stands at 1F1, which needs 0F1 of rank 0\n");
}

TEST(PipelineSchedules, TransfersOfOneDirectionArePairedInTheirOrder) {
  PipelineSchedule schedule =
      llvm::cantFail(readPipelineSchedule({"bad.csv", "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
                                                      "1RECV_F1,1F1,1RECV_F0,1F0,1B0,1SEND_B0,1B1,1SEND_B1\n"}));
  EXPECT_EQ(toString(verifyPipelineSchedule(schedule)),
            "bad.csv:2:1: error: rank 1 at 1RECV_F1: receive 1 from rank 0 is paired with 0SEND_F0, expected 0SEND_F1 "
            "[pipeline.pairing]\n"
            "  note: NCCL pairs the transfers of two ranks by their order: receive in the order of the sends\n");
}

TEST(PipelineSchedules, RefusesNumbersWithoutASchedule) {
  auto errorOf = [](const PipelineRequest &request) {
    auto schedule = makePipelineSchedule(request);
    return schedule ? "none" : llvm::toString(schedule.takeError());
  };
  EXPECT_EQ(errorOf({PipelineKind::GPipe, 4, 2, 8}),
            "error: gpipe: --stages-per-rank 2, expected 1, as this schedule has [gen.schedule]\n"
            "  note: only --schedule interleaved has a choice\n");
  EXPECT_EQ(errorOf({PipelineKind::Interleaved, 4, 2, 9}),
            "error: interleaved: --microbatches 9 on 4 ranks, expected a multiple of the ranks [gen.schedule]\n"
            "  note: the next multiple is 12\n");
  EXPECT_EQ(errorOf({PipelineKind::DualPipeV, 4, 0, 7}),
            "error: dualpipe: --microbatches 7, expected at least one for each of the 8 stages [gen.schedule]\n"
            "  note: the two directions of the schedule need as many to overlap\n");
}

} // namespace ccgraph::models
