// Tests one job with a separate text for each rank. The texts differ in facts that each rank has of its own: names and
// members of groups, the number of the device, source lines, constants, the offset of a chunk. Each rank rewrites its
// text alone. All ranks must then issue the same collectives in the same order, otherwise the job hangs.
#include "property/programs.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/group_id.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/passes/registry.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace ccgraph;

namespace {

using Cells = std::vector<std::vector<int64_t>>;

/// The facts that all ranks share.
struct Job {
  int64_t world = 3;
  std::vector<Cells> groups; ///< of "g0", "g1", ..., each a partition of the world into subgroups of any sizes
  std::vector<unsigned> steps;
};

Cells randomPartition(int64_t world, std::mt19937 &random) {
  Cells cells;
  for (int64_t rank = 0; rank < world; ++rank) {
    size_t place = random() % (cells.size() + 1);
    if (place == cells.size())
      cells.emplace_back();
    cells[place].push_back(rank);
  }
  return cells;
}

Job randomJob(unsigned seed) {
  std::mt19937 random(seed);
  Job job;
  job.world = 3 + static_cast<int64_t>(random() % 4);
  for (unsigned i = 0, count = 1 + random() % 2; i < count; ++i)
    job.groups.push_back(randomPartition(job.world, random));
  for (unsigned i = 0, count = 8 + random() % 10; i < count; ++i)
    job.steps.push_back(static_cast<unsigned>(random()));
  return job;
}

size_t cellOf(const Cells &cells, int64_t rank) {
  for (size_t i = 0; i < cells.size(); ++i)
    if (llvm::is_contained(cells[i], rank))
      return i;
  return cells.size();
}

/// A writer for the text of one rank. A collective reads a product or an input, and its result is used at once or at
/// the end.
class RankText {
public:
  RankText(const Job &job, int64_t rank) : job_(job), rank_(rank) {}

  std::string write() {
    text_ = "class graph(torch.nn.Module):\n    def forward(self, x: \"" + type("16, 64", "64, 1") + "\", w: \"" +
            type("64, 64", "64, 1") + "\"):\n";
    for (size_t i = 0; i < job_.steps.size(); ++i)
      step(std::to_string(i), job_.steps[i]);
    std::string results;
    for (const std::string &value : ends_)
      results += value + ", ";
    return text_ + "        return (" + results + current_ + ",)\n";
  }

private:
  std::string type(const std::string &sizes, const std::string &strides) const {
    return "f32[" + sizes + "][" + strides + "]cuda:" + std::to_string(rank_);
  }

  void line(const std::string &name, const std::string &typeText, const std::string &call) {
    text_ += "        # File: /home/rank" + std::to_string(rank_) + "/train.py:" + std::to_string(10 + rank_) +
             " in step, code: step()\n";
    text_ += "        " + name + ": \"" + typeText + "\" = torch.ops." + call + "\n";
  }

  std::string groupOf(unsigned choice) const {
    size_t which = choice % (job_.groups.size() + 1);
    if (which == 0)
      return "0";
    const Cells &cells = job_.groups[which - 1];
    return std::to_string(7 * which + cellOf(cells, rank_)); // a number that differs by rank, as in PyTorch
  }

  void step(const std::string &id, unsigned choice) {
    const unsigned kind = choice % 5;
    const std::string square = type("16, 64", "64, 1");
    if (kind == 0) {
      line("mm" + id, square, "aten.mm.default(" + current_ + ", w)");
      current_ = "mm" + id;
    } else if (kind == 1) { // the rank's part of a vocabulary
      line("sub" + id, square, "aten.sub.Tensor(" + current_ + ", " + std::to_string(1000 * rank_) + ")");
      current_ = "sub" + id;
    } else if (kind == 2) { // the rank's chunk
      std::string from = std::to_string(2 * rank_), to = std::to_string(2 * rank_ + 2);
      line("chunk" + id, type("2, 64", "64, 1"), "aten.slice.Tensor(" + current_ + ", 0, " + from + ", " + to + ")");
      reduce(id, "chunk" + id, type("2, 64", "64, 1"), choice);
    } else {
      reduce(id, kind == 3 ? current_ : "w", kind == 3 ? square : type("64, 64", "64, 1"), choice);
    }
  }

  void reduce(const std::string &id, const std::string &value, const std::string &typeText, unsigned choice) {
    line("ar" + id, typeText,
         "_c10d_functional.all_reduce.default(" + value + ", 'sum', '" + groupOf(choice / 5) + "')");
    line("wait" + id, typeText, "_c10d_functional.wait_tensor.default(ar" + id + ")");
    if (value == current_ && choice / 64 % 2 == 0)
      current_ = "wait" + id;
    else
      ends_.push_back("wait" + id);
  }

  const Job &job_;
  int64_t rank_;
  std::string text_;
  std::string current_ = "x";
  std::vector<std::string> ends_;
};

/// Adds the groups in the form of PyTorch's registry on this rank, with only its own subgroups.
void addOwnGroups(Graph &graph, const Job &job, int64_t rank) {
  std::vector<int64_t> all;
  for (int64_t i = 0; i < job.world; ++i)
    all.push_back(i);
  graph.groups().set({.name = "0", .ranks = all});
  for (size_t i = 0; i < job.groups.size(); ++i) {
    size_t cell = cellOf(job.groups[i], rank);
    graph.groups().set({.name = std::to_string(7 * (i + 1) + cell), .ranks = job.groups[i][cell]});
  }
}

/// Returns the kind, the group (numbered by first appearance in the text) and the inputs (by position) of each
/// collective in the order of issue.
std::vector<std::string> issued(const Graph &graph, const std::map<std::string, size_t> &groups) {
  std::vector<std::string> lines;
  for (const Node *node : graph) {
    std::optional<CollectiveCall> call = collectiveCall(*node);
    if (!call)
      continue;
    auto known = groups.find(call->group.str());
    std::string line =
        node->target().str().str() + " on " + (known == groups.end() ? "?" : std::to_string(known->second)) + " of";
    for (const Node *input : call->inputs)
      line += " " + input->name().str().str();
    lines.push_back(line);
  }
  return lines;
}

struct Setting {
  const char *name;
  unsigned level;
  int64_t ranksPerNode;
  bool bitwise;
};

std::vector<std::string> rewritten(const Job &job, int64_t rank, const Setting &setting) {
  Context context;
  std::string text = RankText(job, rank).write();
  auto graphs = llvm::cantFail(readFxText(context, {"rank" + std::to_string(rank), text}));
  Graph &graph = *graphs.front();
  addOwnGroups(graph, job, rank);
  std::map<std::string, size_t> groups;
  for (const Node *node : graph)
    if (std::optional<CollectiveCall> call = collectiveCall(*node))
      groups.try_emplace(call->group.str(), groups.size());
  PassManagerOptions manager;
  manager.bitwise = setting.bitwise;
  manager.machine = *machinePreset(defaultMachine);
  manager.machine->ranksPerNode = setting.ranksPerNode;
  auto run = runPipeline(graph, test::levelWithBeams(setting.level, test::narrowBeam), manager);
  if (!run)
    ADD_FAILURE() << llvm::toString(run.takeError()) << '\n' << text;
  return issued(graph, groups);
}

class RankFactsTest : public testing::TestWithParam<Setting> {};

} // namespace

TEST_P(RankFactsTest, EachRankIssuesTheSameCollectivesInTheSameOrder) {
  constexpr unsigned jobs = 25;
  for (unsigned seed = 0; seed < jobs; ++seed) {
    Job job = randomJob(seed);
    std::vector<std::string> first = rewritten(job, 0, GetParam());
    for (int64_t rank = 1; rank < job.world; ++rank)
      ASSERT_EQ(rewritten(job, rank, GetParam()), first) << "job " << seed << ", rank " << rank << '\n'
                                                         << RankText(job, rank).write();
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, RankFactsTest,
                         testing::Values(Setting{"O1", 1, 8, false}, Setting{"O2", 2, 8, false},
                                         Setting{"O2TwoRanksANode", 2, 2, false}, Setting{"O2Bitwise", 2, 8, true},
                                         Setting{"O3", 3, 8, false}, Setting{"O3TwoRanksANode", 3, 2, false}),
                         [](const auto &info) { return info.param.name; });
