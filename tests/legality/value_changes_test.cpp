// Tests --check-equivalence on 200 rewrites that change values: each must end with exit code 3.
//
// The test proves the change without the tool: it runs both programs, and some returned tensor must differ in its
// bytes.
#include "driver/opt_driver.h"
#include "legality/illegal_edits.h"
#include "support/random_program.h"
#include "support/rewrites.h"
#include "support/seeded_run.h"

#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/verifier.h"
#include "ccgraph/runtime/interpreter.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <unistd.h>

namespace ccgraph::test {
namespace {

constexpr size_t numRewrites = 200;

// --- Edits that the legality tests do not have, since they keep every rule of the IR ---------------------------------

bool isFloat(const Node *node) {
  return node->type() && node->type()->isTensor() && ccgraph::isFloat(node->type()->dtype()) &&
         node->type()->numElements().value_or(0) > 0;
}

/// Makes one returned value slightly larger.
bool scaleOutput(Trial &trial) {
  Node *output = trial.graph().output();
  std::vector<unsigned> places;
  for (unsigned i = 0; i < output->numOperands(); ++i)
    if (isFloat(output->operand(i)))
      places.push_back(i);
  if (places.empty())
    return false;
  unsigned place = trial.random.of(places);
  Node *value = output->operand(place);
  Node *scaled = makeCall(output, "scaled", "aten.add.Tensor", {value, 1});
  trial.graph().setType(scaled, value->type());
  trial.graph().setOperand(output, place, scaled);
  return true;
}

bool swapOutputs(Trial &trial) {
  Node *output = trial.graph().output();
  std::vector<std::pair<unsigned, unsigned>> pairs;
  for (unsigned i = 0; i < output->numOperands(); ++i)
    for (unsigned k = i + 1; k < output->numOperands(); ++k)
      if (output->operand(i) != output->operand(k) && output->operand(i)->type() == output->operand(k)->type())
        pairs.emplace_back(i, k);
  if (pairs.empty())
    return false;
  auto [i, k] = trial.random.of(pairs);
  Node *first = output->operand(i);
  trial.graph().setOperand(output, i, output->operand(k));
  trial.graph().setOperand(output, k, first);
  return true;
}

/// Replaces a unary or binary operator by another one of the same type.
bool exchangeOperator(Trial &trial) {
  static const std::map<std::string, const char *> others = {
      {"aten.add.Tensor", "aten.sub.Tensor"},    {"aten.sub.Tensor", "aten.add.Tensor"},
      {"aten.mul.Tensor", "aten.add.Tensor"},    {"aten.neg.default", "aten.abs.default"},
      {"aten.relu.default", "aten.neg.default"}, {"aten.abs.default", "aten.neg.default"}};
  auto nodes = nodesWhere(trial.graph(), [](const Node &node) { return others.count(node.target().str().str()) != 0; });
  if (nodes.empty())
    return false;
  Node *node = trial.random.of(nodes);
  trial.graph().setTarget(node, trial.graph().context().identifier(others.at(node->target().str().str())));
  return true;
}

/// Lets a reader read an earlier value of the same type.
bool readAnotherValue(Trial &trial) {
  std::vector<Node *> nodes = trial.graph().nodes();
  std::vector<std::tuple<Node *, unsigned, Node *>> places;
  for (size_t i = 0; i < nodes.size(); ++i)
    for (unsigned k = 0; k < nodes[i]->numOperands(); ++k)
      for (size_t other = i > 10 ? i - 10 : 0; other < i; ++other)
        if (nodes[other] != nodes[i]->operand(k) && nodes[other]->type() &&
            nodes[other]->type() == nodes[i]->operand(k)->type())
          places.emplace_back(nodes[i], k, nodes[other]);
  if (places.empty())
    return false;
  auto [node, index, other] = trial.random.of(places);
  trial.graph().setOperand(node, index, other);
  return true;
}

struct NamedEdit {
  const char *name;
  bool (*apply)(Trial &);
  bool ofBuckets = false;
};
constexpr NamedEdit edits[] = {{"another reduction", useAnotherReduction},
                               {"a collective dropped", dropCollective},
                               {"a wrong slice of a bucket", takeWrongSlice, true},
                               {"members swapped", swapMembers, true},
                               {"replacements swapped", swapReplacements, true},
                               {"operands swapped", swapOperands},
                               {"a read before a write", moveReadBeforeWrite},
                               {"a twin that is none", claimFalseTwin},
                               {"an output scaled", scaleOutput},
                               {"outputs swapped", swapOutputs},
                               {"another operator", exchangeOperator},
                               {"another value read", readAnotherValue}};

// --- Running ---------------------------------------------------------------------------------------------------------

std::optional<runtime::RunResult> run(const Graph &graph, const Graph &inputsOf, size_t ranks) {
  runtime::RunRequest request = seededRequest(inputsOf, ranks, 0);
  request.graphs = {&graph};
  auto result = runtime::interpret(request);
  if (result)
    return std::move(*result);
  llvm::consumeError(result.takeError());
  return std::nullopt;
}

bool differ(const runtime::RunResult &a, const runtime::RunResult &b) {
  for (size_t rank = 0; rank < a.size(); ++rank)
    for (const auto &[name, tensor] : a[rank]) {
      auto other = b[rank].find(name);
      if (other == b[rank].end() || other->second.data != tensor.data)
        return true;
    }
  return false;
}

bool changesValues(const RandomProgram &program, const Graph &after) {
  llvm::Error broken = verifyOrError(after);
  bool verified = !broken;
  llvm::consumeError(std::move(broken));
  if (!verified)
    return false;
  auto was = run(*program.graph, *program.graph, program.ranks);
  auto now = run(after, *program.graph, program.ranks);
  return was && now && differ(*was, *now);
}

class Files {
public:
  Files() : folder_(std::filesystem::temp_directory_path() / ("ccgraph-values-" + std::to_string(getpid()))) {
    std::filesystem::create_directory(folder_);
  }
  ~Files() { std::filesystem::remove_all(folder_); }
  std::string write(const char *name, const Graph &graph) const {
    std::string path = folder_ / name;
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    writeJsonGraph(os, graph);
    return path;
  }

private:
  std::filesystem::path folder_;
};

driver::ExitCode compare(const std::string &before, const std::string &after, size_t ranks) {
  std::string number = std::to_string(ranks);
  const char *arguments[] = {before.c_str(), "--check-equivalence", number.c_str(), "--compare", after.c_str()};
  return driver::optMain(arguments, {llvm::nulls(), llvm::nulls()});
}

RandomProgram anyProgram(Context &context, Random &random) {
  std::vector<uint32_t> numbers(40 + random.below(200));
  for (uint32_t &number : numbers)
    number = static_cast<uint32_t>(random.below(1U << 20));
  return makeRandomProgram(context, numbers);
}

TEST(ValueChanges, CheckEquivalenceEndsInExitCode3) {
  Files files;
  size_t tried = 0;
  size_t caught = 0;
  std::map<std::string, size_t> byName;
  for (uint64_t seed = 0; tried < numRewrites && seed < 20 * numRewrites; ++seed) {
    Random random(seed);
    Context context;
    RandomProgram program = anyProgram(context, random);
    SourceGraph source{"program", program.graph->clone()};
    const NamedEdit &edit = edits[seed % std::size(edits)];
    std::string pass = edit.ofBuckets ? "coalesce-collectives{layout=flat}" : anyPass(random, *program.graph);
    LegalResult result = edit.ofBuckets || random.below(2) ? afterPass(source, pass) : untouched(source);
    Trial trial{result, random, false};
    if (!edit.apply(trial) || !changesValues(program, *result.graph))
      continue;
    ++tried;
    ++byName[edit.name];
    driver::ExitCode code =
        compare(files.write("before.json", *program.graph), files.write("after.json", *result.graph), program.ranks);
    caught += code == driver::ExitCode::CheckFailed ? 1 : 0;
    EXPECT_EQ(code, driver::ExitCode::CheckFailed) << edit.name << " with seed " << seed;
  }
  for (const auto &[name, count] : byName)
    std::printf("  %-26s %3zu\n", name.c_str(), count);
  std::printf("value-changing rewrites caught by --check-equivalence: %zu/%zu\n", caught, tried);
  EXPECT_EQ(tried, numRewrites);
}

TEST(ValueChanges, CheckEquivalenceAcceptsWhatPassesMake) {
  Files files;
  size_t told = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    Context context;
    RandomProgram program = anyProgram(context, random);
    LegalResult result = afterPass({"program", program.graph->clone()}, anyPass(random, *program.graph));
    std::string before = files.write("before.json", *program.graph);
    // A program may return only constants, which cannot distinguish programs, so it is first compared with itself.
    if (program.graph->output()->numOperands() == 0 || compare(before, before, program.ranks) != driver::ExitCode::Ok)
      continue;
    ++told;
    EXPECT_EQ(compare(before, files.write("after.json", *result.graph), program.ranks), driver::ExitCode::Ok) << seed;
  }
  EXPECT_GT(told, 30U);
}

} // namespace
} // namespace ccgraph::test
