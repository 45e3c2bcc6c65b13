// What inferPlacements claims, held to the values of all ranks: the steps of tests/data/same-step (and of the folder
// CCGRAPH_PAIRS) are evaluated, a replicated value must be equal on its axis, and an operator that is applied to the
// joined operands must give the joined result, up to powers of the axis sizes. Claims as wrong rules would make them
// must be refuted.
#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/group_file.h"
#include "ccgraph/frontend/placement_file.h"
#include "ccgraph/ir/context.h"
#include "ccgraph/placements/infer_placements.h"
#include "ccgraph/toolkit/graph_choice.h"
#include "ccgraph/toolkit/graph_files.h"
#include "distribute.h"
#include "trial.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

namespace ccgraph::equality {
namespace {

namespace fs = std::filesystem;
using placements::AxisHold;
using placements::HoldKind;

/// A step of all ranks with its placements, evaluated once.
class OracleCase {
public:
  explicit OracleCase(const fs::path &folder) : folder_(folder), trial_(1) {}

  bool load() {
    read({folder_ / "single" / "readable.py"});
    std::vector<fs::path> parallel = numbered("rank", ".py"), groups = numbered("groups.rank", ".json");
    if (parallel.empty())
      parallel = {folder_ / "parallel" / "readable.py"};
    read(parallel);
    if (groups.empty())
      groups = {folder_ / "facts.json"};
    for (const fs::path &path : groups)
      tables_.push_back(llvm::cantFail(readGroupFile(llvm::cantFail(InputFile::open(path.string())).source())));
    comparison_.single = graphs_.front().get();
    comparison_.placements =
        llvm::cantFail(readPlacementFile(llvm::cantFail(InputFile::open((folder_ / "io.json").string())).source()));
    addRanks();
    llvm::Error error = runTrial(comparison_, trial_);
    return !error && !trial_.problem ? true : (llvm::consumeError(std::move(error)), false);
  }

  [[nodiscard]] placements::PlacementAnswer infer() const {
    placements::PlacementQuestion question;
    question.known = comparison_.placements;
    for (const RankStep &rank : comparison_.ranks)
      question.ranks.push_back({rank.graph, rank.groups});
    return llvm::cantFail(placements::inferPlacements(question));
  }

  [[nodiscard]] llvm::ArrayRef<NamedAxis> mesh() const { return comparison_.placements.mesh; }
  [[nodiscard]] Evaluator &evaluator() { return trial_.evaluator; }
  [[nodiscard]] const Graph &graph() const { return *comparison_.ranks.front().graph; }

  /// Returns the values of a node of rank 0 on all ranks; empty for a value that is no tensor.
  [[nodiscard]] std::vector<Array> valuesOf(const placements::PlacedValue &of) const {
    std::vector<Array> arrays;
    for (size_t rank = 0; rank != comparison_.ranks.size(); ++rank) {
      const Node &node = *programs_[rank][places_[of.node->id()]];
      Value value = trial_.ranks[rank].values[node.id()];
      if (value.is(Value::Type::List) && of.element < value.list.size())
        value = Value(value.list[of.element]);
      if (!value.is(Value::Type::Tensor))
        return {};
      arrays.push_back(equality::read(value.tensor));
    }
    return arrays;
  }

private:
  void read(const std::vector<fs::path> &paths) {
    for (fs::path path : paths) {
      if (!fs::exists(path))
        path += ".gz";
      Diagnostics warnings;
      GraphInput input = llvm::cantFail(openGraphs(path.string(), "", warnings));
      graphs_.push_back(llvm::cantFail(loadGraph(context_, input.file, input.selector, &warnings)));
    }
  }
  [[nodiscard]] std::vector<fs::path> numbered(const std::string &prefix, const std::string &suffix) const {
    std::vector<fs::path> files;
    while (true) {
      fs::path path = folder_ / "parallel" / (prefix + std::to_string(files.size()) + suffix);
      if (!fs::exists(path) && !fs::exists(path.string() + ".gz"))
        return files;
      files.push_back(path);
    }
  }
  /// Takes the sizes of the axes from the groups.
  void sizeMesh() {
    for (NamedAxis &axis : comparison_.placements.mesh)
      for (const Group &group : tables_.front().groups())
        if (axis.size == 0 && (comparison_.placements.mesh.size() == 1 || group.description == "mesh_" + axis.name))
          axis.size = group.size().value_or(0);
  }
  void addRanks() {
    sizeMesh();
    const auto ranks = static_cast<size_t>(numRanks(mesh()));
    for (size_t rank = 0; rank != ranks; ++rank) {
      const Graph *graph = graphs_[graphs_.size() > 2 ? rank + 1 : 1].get();
      comparison_.ranks.push_back({graph, tables_[tables_.size() > 1 ? rank : 0]});
      Group world{"0"};
      for (size_t member = 0; member != ranks; ++member)
        world.ranks.push_back(static_cast<int64_t>(member));
      if (!comparison_.ranks.back().groups.find("0"))
        comparison_.ranks.back().groups.set(world);
      programs_.emplace_back();
      for (const Node *node : *graph)
        programs_.back().push_back(node);
    }
    places_.resize(graph().idLimit());
    for (size_t place = 0; place != programs_.front().size(); ++place)
      places_[programs_.front()[place]->id()] = place;
  }

  fs::path folder_;
  Context context_;
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<GroupTable> tables_;
  StepComparison comparison_;
  Trial trial_;
  std::vector<std::vector<const Node *>> programs_;
  std::vector<size_t> places_;
};

/// Joins arrays along a dimension whose blocks are cut.
Array joinedBlocks(std::vector<Array> parts, const AxisHold &hold) {
  const auto dim = static_cast<size_t>(hold.dim);
  for (Array &part : parts) {
    IntList sizes = part.sizes;
    sizes[dim] /= hold.blocks;
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(dim), hold.blocks);
    part = reshaped(part, sizes);
  }
  Array joined = concatenated(parts, dim + 1);
  IntList sizes = joined.sizes;
  sizes[dim] *= sizes[dim + 1];
  sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(dim) + 1);
  return reshaped(joined, sizes);
}

/// The work of the oracle, and the claims that it refuted.
struct OracleReport {
  size_t replicated = 0, joined = 0, computed = 0;
  std::vector<std::string> refuted;
};

class Oracle {
public:
  Oracle(OracleCase &step, const placements::PlacementAnswer &answer) : step_(step), answer_(answer) {}

  OracleReport run() {
    whole_.resize(step_.graph().idLimit());
    for (const placements::PlacedValue &value : answer_.values) {
      std::optional<Array> joined = join(value);
      auto &elements = whole_[value.node->id()];
      elements.resize(value.element + 1);
      elements[value.element] = joined;
      report_.joined += joined.has_value();
    }
    for (const Node *node : step_.graph())
      if (node->opcode() == Opcode::CallFunction)
        check(*node);
    return std::move(report_);
  }

private:
  void refute(const Node &node, const std::string &text) {
    report_.refuted.push_back(node.name().str().str() + " (" + node.target().str().str() + "): " + text);
  }

  /// The values are those at the end of the step, so a value that is written later is not what the node returned.
  static bool isWritten(const Node &node) {
    return llvm::any_of(node.uses(), [&](const Use &use) {
      if (use.isOrdering() || use.user()->opcode() != Opcode::CallFunction)
        return false;
      const llvm::StringRef base = use.user()->target().str().rsplit('.').first;
      return base.endswith(".irecv") || base.endswith(".batch_p2p_ops") ||
             (use.user()->operand(0) == &node && isInPlace(base));
    });
  }

  std::optional<Array> join(const placements::PlacedValue &value) {
    std::vector<Array> arrays = step_.valuesOf(value);
    if (arrays.empty() || isWritten(*value.node) || !hasOneOrder(value))
      return std::nullopt;
    for (size_t axis = step_.mesh().size(); axis-- > 0;) {
      std::vector<Array> next;
      const auto count = static_cast<size_t>(step_.mesh()[axis].size);
      for (size_t first = 0; first != arrays.size(); first += count) {
        std::vector<Array> line(arrays.begin() + static_cast<std::ptrdiff_t>(first),
                                arrays.begin() + static_cast<std::ptrdiff_t>(first + count));
        std::optional<Array> joined = joinLine(value, axis, std::move(line));
        if (!joined)
          return std::nullopt;
        next.push_back(std::move(*joined));
      }
      arrays = std::move(next);
    }
    return arrays.front();
  }

  /// Two axes that cut one dimension are joined in an order that the answer does not state.
  static bool hasOneOrder(const placements::PlacedValue &value) {
    for (size_t i = 0; i != value.axes.size(); ++i)
      for (size_t j = 0; j != i; ++j)
        if (value.axes[i].kind == HoldKind::Sharded && value.axes[j].kind == HoldKind::Sharded &&
            value.axes[i].dim == value.axes[j].dim)
          return false;
    return true;
  }

  std::optional<Array> joinLine(const placements::PlacedValue &value, size_t axis, std::vector<Array> line) {
    const AxisHold &hold = value.axes[axis];
    switch (hold.kind) {
    case HoldKind::Replicated:
      ++report_.replicated;
      for (const Array &array : line)
        if (!hold.assumed && (array.sizes != line.front().sizes || !sameWords(array, line.front()))) {
          refute(*value.node, "is not equal on the ranks of " + step_.mesh()[axis].name);
          return std::nullopt;
        }
      return line.front();
    case HoldKind::Sharded:
      return joinShards(value, hold, std::move(line));
    case HoldKind::Partial:
      return joinPartial(value, hold, line);
    case HoldKind::Varying:
    case HoldKind::Undecided:
      return std::nullopt;
    }
    return std::nullopt;
  }

  std::optional<Array> joinShards(const placements::PlacedValue &value, const AxisHold &hold, std::vector<Array> line) {
    const auto dim = static_cast<size_t>(hold.dim);
    for (const Array &array : line) {
      bool fits = array.sizes.size() > dim && array.sizes.size() == line.front().sizes.size();
      for (size_t i = 0; fits && i != array.sizes.size(); ++i)
        fits = i == dim ? array.sizes[i] % hold.blocks == 0 : array.sizes[i] == line.front().sizes[i];
      if (!fits) {
        refute(*value.node, "cannot be joined along dimension " + std::to_string(dim));
        return std::nullopt;
      }
    }
    return hold.blocks == 1 ? concatenated(line, dim) : joinedBlocks(std::move(line), hold);
  }

  std::optional<Array> joinPartial(const placements::PlacedValue &value, const AxisHold &hold,
                                   const std::vector<Array> &line) {
    for (const Array &array : line)
      if (array.sizes != line.front().sizes) {
        refute(*value.node, "cannot be reduced: sizes differ");
        return std::nullopt;
      }
    const bool isFloat = line.front().kind == Kind::Float;
    if (hold.reduction == ReduceOp::Sum)
      return combinedArrays(line, [&](Word x, Word y) { return isFloat ? add(x, y) : x + y; });
    auto key = [&](Word word) { return isFloat ? orderKey(word) : word ^ (uint64_t{1} << 63); };
    const bool isMax = hold.reduction == ReduceOp::Max;
    return combinedArrays(line, [&](Word x, Word y) { return (key(x) < key(y)) == isMax ? y : x; });
  }

  [[nodiscard]] const std::optional<Array> *wholeOf(const Node &node, size_t element = 0) const {
    return element < whole_[node.id()].size() ? &whole_[node.id()][element] : nullptr;
  }

  /// Applies the operator to the joined operands, and compares with the joined result.
  void check(const Node &node) {
    const std::optional<Array> *result = wholeOf(node);
    if (!result || !*result || whole_[node.id()].size() != 1 || node.numOperands() == 0 || addsShare(node) ||
        (node.op()->role == OpRole::Collective && (isReported(node) || reducesMaxima(node))) || isOwn(node))
      return;
    std::optional<Array> expected = isMovement(node) ? regroupedWhole(node, **result) : compute(node);
    if (!expected)
      return;
    ++report_.computed;
    if (expected->sizes == (*result)->sizes ? !isMultiple(*expected, **result) : expected->count() != 1)
      refute(node, "the operator of the whole operands gives another value");
  }

  [[nodiscard]] bool isReported(const Node &node) const {
    return llvm::any_of(answer_.findings, [&](const auto &finding) { return finding.node == &node; });
  }
  [[nodiscard]] bool anyHold(const Node &node, llvm::function_ref<bool(const AxisHold &)> test) const {
    return llvm::any_of(answer_.values, [&](const placements::PlacedValue &value) {
      return value.node == &node && llvm::any_of(value.axes, test);
    });
  }
  /// A sum of maxima is the same on all ranks and no value of one device.
  [[nodiscard]] bool reducesMaxima(const Node &node) const {
    return anyHold(*node.operand(0), [](const AxisHold &hold) {
      return hold.kind == HoldKind::Partial && hold.reduction != ReduceOp::Sum;
    });
  }
  [[nodiscard]] bool isOwn(const Node &node) const {
    return anyHold(node, [](const AxisHold &hold) { return hold.isOwn; });
  }

  /// A bias divided by the number of ranks is added to a partial sum on each rank: the sum over the ranks has it once,
  /// the whole operands give a share of it.
  [[nodiscard]] bool addsShare(const Node &node) const {
    auto isDivided = [](const Node *operand) { return operand->target().str().contains(".div."); };
    return (node.target().str().contains(".addmm.") ||
            (node.target().str().contains(".add.") && llvm::any_of(node.dataOperands(), isDivided))) &&
           anyHold(node, [](const AxisHold &hold) { return hold.kind == HoldKind::Partial; });
  }

  /// Views with sizes among their arguments, waits and collectives keep the order of the elements.
  static bool isMovement(const Node &node) {
    llvm::StringRef target = node.target().str();
    return node.op()->role == OpRole::Wait || node.op()->role == OpRole::Collective || target.contains(".view.") ||
           target.contains("._unsafe_view.") || target.contains(".reshape.");
  }
  std::optional<Array> regroupedWhole(const Node &node, const Array &result) const {
    const std::optional<Array> *input = wholeOf(*node.operand(0));
    const bool isView = node.op()->role == OpRole::Compute;
    if (!input || !*input || (*input)->count() != result.count() || (!isView && (*input)->sizes != result.sizes))
      return std::nullopt;
    return reshaped(**input, result.sizes);
  }

  std::optional<Array> compute(const Node &node) {
    // Joined logarithms lose the roots of unity that the exponential needs (ring.h).
    if (node.target().str().contains("_log_softmax_backward_data") || node.target().str().contains(".exp."))
      return std::nullopt;
    // Sizes and places of a rank stand in the arguments of these.
    for (llvm::StringRef word : {"expand", "slice", "split", "select", "new_", "full", "getitem", "dense_backward",
                                 "arange", "_like", "gather", "scatter", "pad", "upsample"})
      if (node.target().str().contains(word))
        return std::nullopt;
    std::vector<Value> values(step_.graph().idLimit()), broadcast = values;
    for (const Node *operand : node.dataOperands()) {
      const std::optional<Array> *whole = wholeOf(*operand);
      if (!whole || !*whole || whole_[operand->id()].size() != 1)
        return std::nullopt;
      values[operand->id()] = Value(**whole);
      broadcast[operand->id()] = Value(withoutSizes(**whole));
    }
    uint64_t draws = 0;
    llvm::Expected<Value> value = step_.evaluator().evaluate(node, values, draws);
    if (!value) {
      llvm::consumeError(value.takeError());
      value = step_.evaluator().evaluate(node, broadcast, draws);
    }
    if (!value) {
      refute(node, "the whole operands do not fit: " + llvm::toString(value.takeError()));
      return std::nullopt;
    }
    if (draws != 0 || !value->is(Value::Type::Tensor))
      return std::nullopt;
    return equality::read(value->tensor);
  }

  /// A tensor of equal elements has the size that a rank gave it, and is a part of any size; elementwise operators need
  /// one element of it.
  static Array withoutSizes(const Array &array) {
    bool isOne = array.count() > 1 && llvm::all_of(*array.words, [&](Word word) { return word == array[0]; });
    return isOne ? filled(array.kind, IntList(array.sizes.size(), 1), array[0]) : array;
  }

  /// A mean of parts and an average over ranks differ from the sum by a power of the axis sizes.
  bool isMultiple(const Array &expected, const Array &result) {
    if (sameWords(expected, result))
      return true;
    if (expected.kind != Kind::Float || result.kind != Kind::Float)
      return false;
    std::vector<Word> factors = {fromPlain(1)};
    for (const NamedAxis &axis : step_.mesh())
      for (size_t i = 0, count = factors.size(); i != count; ++i)
        for (Word by : {numberOfInteger(axis.size), step_.evaluator().field().inverse(numberOfInteger(axis.size))})
          factors.push_back(multiply(factors[i], by));
    return llvm::any_of(factors, [&](Word factor) { return sameWords(scaledArray(expected, factor), result); });
  }

  OracleCase &step_;
  const placements::PlacementAnswer &answer_;
  /// by node id and element
  std::vector<std::vector<std::optional<Array>>> whole_;
  OracleReport report_;
};

std::vector<fs::path> oracleCases() {
  std::vector<fs::path> cases;
  std::vector<fs::path> folders = {fs::path(CCGRAPH_TEST_DATA) / "same-step"};
  if (const char *more = std::getenv("CCGRAPH_PAIRS"))
    folders.emplace_back(more);
  for (const fs::path &folder : folders)
    for (const fs::directory_entry &entry : fs::directory_iterator(folder))
      if (fs::exists(entry.path() / "truth.json"))
        cases.push_back(entry.path());
  std::sort(cases.begin(), cases.end());
  return cases;
}

class PlacementOracle : public testing::TestWithParam<fs::path> {};

TEST_P(PlacementOracle, RefutesNoClaim) {
  OracleCase step(GetParam());
  ASSERT_TRUE(step.load());
  const placements::PlacementAnswer answer = step.infer();
  OracleReport report = Oracle(step, answer).run();
  EXPECT_TRUE(report.refuted.empty()) << report.refuted.size() << " claims, the first: " << report.refuted.front();
  // Nothing is claimed of ranks that run different operators.
  if (answer.values.empty()) {
    EXPECT_FALSE(answer.undecided.empty());
    return;
  }
  EXPECT_GT(report.replicated, 10U);
  EXPECT_GT(report.computed, 10U);
}

INSTANTIATE_TEST_SUITE_P(Pairs, PlacementOracle, testing::ValuesIn(oracleCases()), [](const auto &info) {
  std::string name = info.param.filename().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !llvm::isAlnum(c); }, '_');
  return name + "_" + std::to_string(info.index);
});

/// A wrong rule: what it claims of a node in place of `hold`.
struct WrongRule {
  const char *name;
  const char *caseName;
  std::function<void(const Node &node, AxisHold &hold)> claim;
};

bool calls(const Node &node, llvm::StringRef word) {
  return node.opcode() == Opcode::CallFunction && node.target().str().contains(word);
}

std::vector<WrongRule> wrongRules() {
  auto replace = [](const char *word, HoldKind from, AxisHold to) {
    return [=](const Node &node, AxisHold &hold) {
      if (calls(node, word) && hold.kind == from)
        hold = to;
    };
  };
  const AxisHold whole{}, sum{HoldKind::Partial}, max{HoldKind::Partial, ReduceOp::Max};
  return {
      {"a product over a cut dimension is whole", "lm_vocab_w4", replace(".mm.", HoldKind::Partial, whole)},
      {"a product over a cut dimension is a maximum", "dp_mlp_w2", replace(".mm.", HoldKind::Partial, max)},
      {"a sum over a cut dimension is whole", "dp_mlp_w2", replace(".sum.", HoldKind::Partial, whole)},
      {"a maximum over a cut dimension is a sum", "lm_vocab_w4", replace(".amax.", HoldKind::Partial, sum)},
      {"a partial sum and a whole value make a partial sum", "lm_clip_tp_w2__local",
       replace(".add.", HoldKind::Varying, sum)},
      {"a function of parts is whole", "dp_mlp_w2", replace(".gelu.", HoldKind::Sharded, whole)},
      {"a difference from a whole value is whole", "lm_vocab_w4", replace(".sub.", HoldKind::Sharded, whole)},
      {"a look-up at an offset is whole", "lm_vocab_w4", replace(".embedding.", HoldKind::Varying, whole)},
      {"a look-up at an offset is a partial sum of the whole look-up", "lm_vocab_w4",
       [](const Node &node, AxisHold &hold) {
         if (calls(node, ".masked_fill.") && hold.kind == HoldKind::Varying)
           hold = {HoldKind::Replicated};
       }},
      {"a transposed matrix is cut along the same dimension", "dp_mlp_w2",
       [](const Node &node, AxisHold &hold) {
         if (calls(node, ".t.") && hold.kind == HoldKind::Sharded)
           hold.dim = 1 - hold.dim;
       }},
      {"a fused dimension is cut as one", "fused_tp_dp_2x2__group",
       [](const Node &node, AxisHold &hold) {
         if (calls(node, ".mm.") && hold.blocks > 1)
           hold.blocks = 1;
       }},
  };
}

class WrongPlacementRules : public testing::TestWithParam<WrongRule> {};

TEST_P(WrongPlacementRules, AreRefuted) {
  const WrongRule &rule = GetParam();
  OracleCase step(fs::path(CCGRAPH_TEST_DATA) / "same-step" / rule.caseName);
  ASSERT_TRUE(step.load());
  placements::PlacementAnswer answer = step.infer();
  for (placements::PlacedValue &value : answer.values)
    for (AxisHold &hold : value.axes)
      rule.claim(*value.node, hold);
  EXPECT_FALSE(Oracle(step, answer).run().refuted.empty()) << rule.name;
}

INSTANTIATE_TEST_SUITE_P(Rules, WrongPlacementRules, testing::ValuesIn(wrongRules()), [](const auto &info) {
  std::string name = info.param.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !llvm::isAlnum(c); }, '_');
  return name;
});

} // namespace
} // namespace ccgraph::equality
