// Runs every recorded program in the reference interpreter: the outputs must be PyTorch's. Programs of a mesh, whose
// ranks' texts differ only in group names, must compute the same when they run as one text.
#include "support/recorded.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/runtime/fixed_outputs.h"

#include <gtest/gtest.h>

#include <set>

namespace ccgraph::test {
namespace {

/// Returns "" if the outputs are the recorded ones.
std::string problemOf(const LoadedProgram &program) {
  llvm::Expected<runtime::RunResult> result = runtime::interpret(program.request);
  if (!result)
    return llvm::toString(result.takeError());
  const auto &recorded = program.request.inputs;
  runtime::ComparisonRules rules = program.rules;
  rules.fixed = runtime::fixedOutputs(*program.graphs.front());
  runtime::Comparison comparison = runtime::compareRuns({recorded, *result, recorded}, rules);
  if (!comparison.answered())
    return "what was compared proves nothing";
  if (comparison.equal())
    return "";
  const runtime::Difference &first = comparison.differences.front();
  return "rank " + std::to_string(first.rank) + " " + first.output + ": " + first.message;
}

TEST(RecordedValues, AreReproduced) {
  size_t calls = 0;
  for (const RecordedProgram &program : recordedPrograms())
    for (const std::string &values : program.values) {
      Context context;
      llvm::Expected<LoadedProgram> loaded = load(context, program, values);
      ASSERT_TRUE(static_cast<bool>(loaded)) << program.name << ": " << llvm::toString(loaded.takeError());
      EXPECT_EQ(problemOf(*loaded), "") << program.name;
      ++calls;
    }
  EXPECT_GT(calls, 100U);
}

/// Returns true if the nodes are equal except for the name of a collective's group.
bool sameButGroup(const Node &a, const Node &b) {
  if (a.name() != b.name() || a.target() != b.target() || a.type() != b.type() || a.args().size() != b.args().size())
    return false;
  const CollectiveSpec *spec = collectiveOf(a);
  for (size_t i = 0; i < a.args().size(); ++i)
    if (!sameArgument(a.args()[i], b.args()[i]) && !(spec && spec->group == static_cast<int>(i)))
      return false;
  for (unsigned i = 0; i < a.numOperands(); ++i)
    if (a.operand(i)->name() != b.operand(i)->name())
      return false;
  return a.kwargs().size() == b.kwargs().size();
}

bool sameButGroups(const Graph &a, const Graph &b) {
  const Node *x = a.front(), *y = b.front();
  for (; x && y; x = x->next(), y = y->next())
    if (!sameButGroup(*x, *y))
      return false;
  return !x && !y;
}

/// Gives each group of rank 0's text the subgroups that the ranks' own groups at the same position form; returns false
/// if one name would have two partitions.
bool unifyGroups(LoadedProgram &program) {
  std::map<std::string, std::set<std::vector<int64_t>>> cells;
  std::vector<std::map<std::string, std::string>> names(program.graphs.size());
  for (size_t rank = 0; rank < program.graphs.size(); ++rank) {
    const Node *own = program.graphs[rank]->front();
    for (const Node *node = program.graphs[0]->front(); node; node = node->next(), own = own->next()) {
      std::optional<CollectiveCall> first = collectiveCall(*node), mine = collectiveCall(*own);
      if (!first || first->group.empty())
        continue;
      std::string &known = names[rank][first->group.str()];
      if (!known.empty() && known != mine->group)
        return false;
      known = mine->group.str();
      const Group *group = program.graphs[rank]->groups().find(mine->group);
      cells[first->group.str()].insert(group->members(static_cast<int64_t>(rank)).vec());
    }
  }
  for (const auto &[name, members] : cells) {
    Group group;
    group.name = name;
    group.partition.assign(members.begin(), members.end());
    program.graphs[0]->groups().set(std::move(group));
  }
  program.request.graphs.resize(1);
  return true;
}

TEST(MeshPrograms, RunAsOneTextWithPartitions) {
  std::vector<std::string> names;
  for (const RecordedProgram &program : recordedPrograms()) {
    if (program.graphs.size() < 2)
      continue;
    Context context;
    llvm::Expected<LoadedProgram> loaded = load(context, program, program.values.front());
    ASSERT_TRUE(static_cast<bool>(loaded)) << program.name << ": " << llvm::toString(loaded.takeError());
    bool alike =
        llvm::all_of(loaded->graphs, [&](const auto &graph) { return sameButGroups(*loaded->graphs[0], *graph); });
    if (!alike)
      continue;
    llvm::Expected<runtime::RunResult> apart = runtime::interpret(loaded->request);
    ASSERT_TRUE(static_cast<bool>(apart)) << program.name << ": " << llvm::toString(apart.takeError());
    ASSERT_TRUE(unifyGroups(*loaded)) << program.name;
    llvm::Expected<runtime::RunResult> together = runtime::interpret(loaded->request);
    ASSERT_TRUE(static_cast<bool>(together)) << program.name << ": " << llvm::toString(together.takeError());
    EXPECT_TRUE(runtime::compareRuns({*apart, *together, loaded->request.inputs}, {}).equal()) << program.name;
    EXPECT_EQ(problemOf(*loaded), "") << program.name;
    names.push_back(program.name);
  }
  EXPECT_GE(names.size(), 5U) << "too few mesh programs were found to show anything";
  for (const std::string &name : names)
    std::cout << "  " << name << '\n';
}

} // namespace
} // namespace ccgraph::test
