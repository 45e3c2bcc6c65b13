#include "completeness/slow_program.h"

#include <algorithm>
#include <map>
#include <optional>

namespace ccgraph::test {

namespace {

/// A collective or a bucket that could take another.
struct Part {
  int position = 0;
  int64_t bytes = 0;
  int64_t count = 1;
  std::string key;
};

/// The waits on a launch or on its elements, one each, or nothing if anything else reads it.
bool onlyWaited(const Node &launch, bool list) {
  int waits = 0;
  for (const Use &use : launch.uses()) {
    const Node &user = *use.user();
    if (use.isOrdering())
      continue;
    if (list && isGetItem(user)) {
      if (!onlyWaited(user, false))
        return false;
      continue;
    }
    bool single = isWait(user) && user.args().size() == 1 && user.args()[0].is(Argument::Kind::Operand);
    for (const Use &further : user.uses())
      single = single && !isWait(*further.user());
    if (!single || ++waits > 1)
      return false;
  }
  return list || waits == 1;
}

bool isFunctional(const Node &node, const CollectiveSpec &spec) {
  llvm::StringRef target = node.target().str();
  return target.startswith("_c10d_functional.") && !spec.inPlace && spec.output < 0 && !spec.synchronous &&
         !spec.legacy && node.kwargs().empty();
}

/// Does some step write what the launch yields?
bool isWritten(const SlowProgram &program, const Node &launch) {
  auto results = program.storages().storages(&launch);
  return llvm::any_of(program.steps(), [&](const SlowStep &step) {
    return !step.wait && llvm::any_of(step.accesses, [&](const auto &access) {
      return writesElements(access.second) && llvm::is_contained(results, access.first);
    });
  });
}

std::optional<Part> partOf(const SlowProgram &program, int position) {
  const SlowStep &step = program.steps()[position];
  const Node &node = *step.node;
  const CollectiveSpec *spec = collectiveOf(node);
  bool kind = spec != nullptr && (spec->kind == CollectiveKind::AllReduce || spec->kind == CollectiveKind::AllGather ||
                                  spec->kind == CollectiveKind::ReduceScatter);
  if (!kind || !isFunctional(node, *spec) || !onlyWaited(node, spec->coalesced))
    return std::nullopt;
  // Because each wait on a list of reduce_scatters may copy all results again.
  if (spec->kind == CollectiveKind::ReduceScatter && isWritten(program, node))
    return std::nullopt;
  Part part;
  part.position = position;
  CollectiveCall call = *collectiveCall(node);
  const Type *first = spec->coalesced ? node.type()->elements()[0] : node.type();
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const Type *result = spec->coalesced ? node.type()->elements()[i] : node.type();
    const Type *input = call.inputs[i]->type();
    if (!result || !input || !result->numBytes() || !input->numBytes() || result->dtype() != first->dtype())
      return std::nullopt;
    part.bytes += std::max(*result->numBytes(), *input->numBytes());
  }
  part.count = static_cast<int64_t>(call.inputs.size());
  part.key = collectiveName(spec->kind).str() + " " + groupIdOf(node).text + " " + call.reduceOp + " " +
             std::to_string(call.groupSize.value_or(0)) + " " + shortName(first->dtype()).str() +
             first->device().kind.str().str() + std::to_string(first->device().index);
  return part;
}

class PairCheck {
public:
  PairCheck(const SlowProgram &program, const MergeLimits &limits)
      : program_(program), limits_(limits), needs_(program.needs()), neededBy_(needs_.size()) {
    for (int i = 0; i < program.size(); ++i)
      for (int need : needs_[i])
        neededBy_[need].push_back(i);
  }

  bool couldMerge(const Part &a, const Part &b) const {
    if (a.bytes + b.bytes > limits_.bytes || a.count + b.count > limits_.count)
      return false;
    for (int i = a.position; i <= b.position; ++i)
      if (program_.steps()[i].domain == Domain::All)
        return false;
    std::set<int> down = closure(neededBy_, a.position, a.position, b.position);
    if (down.count(b.position) != 0)
      return false;
    std::set<int> up = closure(needs_, b.position, a.position, b.position);
    return fits(a, b, up, true) || fits(a, b, down, false);
  }

private:
  /// What is reached from a position over these edges, between two positions; itself included.
  static std::set<int> closure(const std::vector<std::vector<int>> &edges, int from, int low, int high) {
    std::set<int> reached = {from};
    std::vector<int> open = {from};
    while (!open.empty()) {
      int step = open.back();
      open.pop_back();
      for (int next : edges[step])
        if (next >= low && next <= high && reached.insert(next).second)
          open.push_back(next);
    }
    return reached;
  }

  bool fits(const Part &a, const Part &b, const std::set<int> &moving, bool up) const {
    if (static_cast<int64_t>(moving.size()) - 1 > limits_.moves)
      return false;
    std::vector<int> order;
    for (int i = 0; i < program_.size(); ++i) {
      bool moves = moving.count(i) != 0;
      if (up && i == a.position)
        for (int other : moving)
          if (other != b.position)
            order.push_back(other);
      if (i == a.position && !up)
        continue;
      if (i == b.position && !up)
        order.push_back(a.position);
      if (i == a.position || i == b.position ? !(up && i == b.position) : !moves)
        order.push_back(i);
      if (up && i == a.position)
        order.push_back(b.position);
      if (!up && i == b.position)
        for (int other : moving)
          if (other != a.position)
            order.push_back(other);
    }
    return program_.peak(order, {a.position, b.position}) <= limits_.budget;
  }

  const SlowProgram &program_;
  const MergeLimits &limits_;
  std::vector<std::vector<int>> needs_, neededBy_;
};

} // namespace

Left pairsThatCouldMerge(const Graph &graph, const MergeLimits &limits) {
  SlowProgram program(graph);
  PairCheck check(program, limits);
  std::map<std::string, std::vector<Part>> byKey;
  for (int i = 0; i < program.size(); ++i)
    if (std::optional<Part> part = partOf(program, i))
      byKey[part->key].push_back(*part);
  Left left;
  for (const auto &[key, parts] : byKey)
    for (size_t b = 1; b < parts.size(); ++b)
      for (size_t a = 0; a < b; ++a)
        if (check.couldMerge(parts[a], parts[b]))
          left.push_back(program.steps()[parts[a].position].node->name().str().str() + " and " +
                         program.steps()[parts[b].position].node->name().str().str());
  return left;
}

} // namespace ccgraph::test
