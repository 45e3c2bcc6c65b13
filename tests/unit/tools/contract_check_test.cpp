// Tests contracts on regressions: each edit of a good program is found by the contract that was written from the good
// program, at the expected node, while the good program satisfies it.
#include "ccgraph/checks/contract_check.h"

#include "ccgraph/frontend/contract_file.h"
#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/ir/verifier.h"

#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

/// A line of FX text in a module.
std::string line(const std::string &module, int number, const std::string &statement) {
  return "        # Annotation: {'module_fqn': '" + module + "'} File: /job/model.py:" + std::to_string(number) +
         " in forward, code: x\n        " + statement + "\n";
}

/// Three layers, each with a gathered weight (group fsdp) and a sum over group tp, and a loss averaged over fsdp.
std::string layer(int i) {
  std::string n = std::to_string(i), next = std::to_string(i + 1), of = "layers." + n;
  const std::string type = "\"bf16[4, 8][8, 1]cuda:0\"", whole = "\"bf16[8, 8][8, 1]cuda:0\"";
  const std::string c10 = "torch.ops._c10d_functional.", aten = "torch.ops.aten.";
  return line(of + ".wq", 10,
              "shard" + n + ": \"bf16[2, 8][8, 1]cuda:0\" = torch.ops.prims.convert_element_type.default(w" + n +
                  ", torch.bfloat16)") +
         line(of + ".wq", 11,
              "gather" + n + ": " + whole + " = " + c10 + "all_gather_into_tensor.default(shard" + n + ", 4, 'fsdp')") +
         line(of, 12, "relu" + n + ": " + type + " = " + aten + "relu.default(h" + n + ")") +
         line(of + ".wq", 13, "weight" + n + ": " + whole + " = " + c10 + "wait_tensor.default(gather" + n + ")") +
         line(of, 14, "mm" + n + ": " + type + " = " + aten + "mm.default(relu" + n + ", weight" + n + ")") +
         line(of, 15, "reduce" + n + ": " + type + " = " + c10 + "all_reduce.default(mm" + n + ", 'sum', 'tp')") +
         line(of, 16, "gelu" + n + ": " + type + " = " + aten + "gelu.default(relu" + n + ")") +
         line(of, 17, "reduced" + n + ": " + type + " = " + c10 + "wait_tensor.default(reduce" + n + ")") +
         line(of, 18, "h" + next + ": " + type + " = " + aten + "add.Tensor(gelu" + n + ", reduced" + n + ")");
}

std::string program(int layers = 3) {
  std::string text = "class GraphModule(torch.nn.Module):\n    def forward(self, h0: \"bf16[4, 8][8, 1]cuda:0\"";
  for (int i = 0; i != layers; ++i)
    text += ", w" + std::to_string(i) + ": \"f32[2, 8][8, 1]cuda:0\"";
  text += "):\n";
  for (int i = 0; i != layers; ++i)
    text += layer(i);
  text += line("loss", 30, "sum0: \"bf16[][]cuda:0\" = torch.ops.aten.sum.default(h" + std::to_string(layers) + ")");
  text +=
      line("loss", 31, "mean: \"bf16[][]cuda:0\" = torch.ops._c10d_functional.all_reduce.default(sum0, 'avg', 'fsdp')");
  text += line("loss", 32, "loss: \"bf16[][]cuda:0\" = torch.ops._c10d_functional.wait_tensor.default(mean)");
  return text + "        return (loss,)\n";
}

/// Multiplies the sizes of tensors by 1024, so that computation takes time. A text with small numbers is easier to
/// edit.
std::string enlarged(std::string text) {
  const std::pair<std::string, std::string> sizes[] = {
      {"[1, 8]", "[1024, 8192]"}, {"[2, 8]", "[2048, 8192]"},      {"[4, 8]", "[4096, 8192]"},
      {"[8, 8]", "[8192, 8192]"}, {"[16, 8]", "[16384, 8192]"},    {"[8, 1]", "[8192, 1]"},
      {"[2, 2]", "[2048, 2048]"}, {", 0, 0, 8)", ", 0, 0, 8192)"}, {", 0, 0, 1)", ", 0, 0, 1024)"}};
  for (const auto &[from, to] : sizes)
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  return text;
}

std::unique_ptr<Graph> graphOf(Context &context, const std::string &smallText) {
  std::string text = enlarged(smallText);
  std::unique_ptr<Graph> graph = std::move(llvm::cantFail(readFxText(context, {"step.py", text})).front());
  Group fsdp, tp;
  fsdp.name = "fsdp";
  fsdp.ranks = {0, 1, 2, 3};
  tp.name = "tp";
  tp.partition = {{0, 1}, {2, 3}};
  graph->groups().set(fsdp);
  graph->groups().set(tp);
  llvm::cantFail(verifyOrError(*graph));
  return graph;
}

CommunicationFacts factsOf(const std::string &text) {
  Context context;
  std::unique_ptr<Graph> graph = graphOf(context, text);
  const LabeledGraph graphs[] = {{graph.get(), "step"}};
  Machine machine = *machinePreset(defaultMachine);
  return llvm::cantFail(gatherCommunication({graphs, &machine}));
}

/// Returns the contract of the good program, after it was written and read.
Contract goodContract() {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeContract(os, contractOf(factsOf(program()), defaultMachine));
  return llvm::cantFail(readContract({"comm.toml", os.str()}));
}

std::string textOf(llvm::ArrayRef<ContractFinding> findings) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const ContractFinding &finding : findings)
    print(os, finding, "comm.toml");
  return os.str();
}

/// A replacement of the first `from` by `to`; or the addition of lines after the line that contains `from`.
struct Edit {
  std::string from;
  std::string to;
  bool addsLines = false;
};
Edit after(const char *from, std::string lines) { return {from, std::move(lines), true}; }

struct Regression {
  const char *name;
  /// the rule of the finding, and a node that it names; empty: it names none
  const char *rule;
  const char *node;
  std::vector<Edit> edits;
};

std::string edited(std::string text, llvm::ArrayRef<Edit> edits) {
  for (const Edit &edit : edits) {
    size_t at = text.find(edit.from);
    EXPECT_NE(at, std::string::npos) << edit.from;
    if (edit.addsLines)
      text.insert(text.find('\n', at) + 1, edit.to);
    else
      text.replace(at, edit.from.size(), edit.to);
  }
  return text;
}

const std::string c10d = "torch.ops._c10d_functional.";
const std::string act = ": \"bf16[4, 8][8, 1]cuda:0\" = ";
const std::string weight = ": \"bf16[8, 8][8, 1]cuda:0\" = ";

/// A second gather of the weight of layer 1, whose result is waited for.
std::string secondGather() {
  return line("layers.1.wq", 19, "more" + weight + c10d + "all_gather_into_tensor.default(shard1, 4, 'fsdp')") +
         line("layers.1.wq", 20, "late" + act + "torch.ops.aten.relu.default(h1)") +
         line("layers.1.wq", 21, "moreW" + weight + c10d + "wait_tensor.default(more)");
}

std::vector<Regression> valueRegressions() {
  return {
      {"a gather in f32 that was bf16",
       "dtype",
       "gather1",
       {{"gather1" + weight + c10d + "all_gather_into_tensor.default(shard1",
         "gather1: \"f32[8, 8][8, 1]cuda:0\" = " + c10d + "all_gather_into_tensor.default(w1"},
        {"weight1" + weight, "weight1: \"f32[8, 8][8, 1]cuda:0\" = "},
        {"mm.default(relu1, weight1)", "mm.default(relu1, cast1)"},
        {"mm1: ", "cast1" + weight +
                      "torch.ops.prims.convert_element_type.default(weight1, torch.bfloat16)\n"
                      "        mm1: "}}},
      {"a gather of twice the bytes",
       "bytes",
       "gather1",
       {{"gather1" + weight + c10d + "all_gather_into_tensor.default(shard1",
         "twice1: \"bf16[4, 8][8, 1]cuda:0\" = torch.ops.aten.cat.default([shard1, shard1])\n        "
         "gather1: \"bf16[16, 8][8, 1]cuda:0\" = " +
             c10d + "all_gather_into_tensor.default(twice1"},
        {"weight1" + weight, "weight1: \"bf16[16, 8][8, 1]cuda:0\" = "},
        {"mm.default(relu1, weight1)", "mm.default(relu1, part1)"},
        {"mm1: ", "part1" + weight + "torch.ops.aten.slice.Tensor(weight1, 0, 0, 8)\n        mm1: "}}},
      {"another reduction", "reduction", "reduce1", {{"(mm1, 'sum', 'tp')", "(mm1, 'max', 'tp')"}}},
      {"an average that became a sum", "reduction", "mean", {{"(sum0, 'avg'", "(sum0, 'sum'"}}},
      {"another group", "unlisted", "reduce1", {{"(mm1, 'sum', 'tp')", "(mm1, 'sum', 'fsdp')"}}},
      {"an all_reduce that became a broadcast",
       "unlisted",
       "reduce1",
       {{"all_reduce.default(mm1, 'sum', 'tp')", "broadcast.default(mm1, 0, 'tp')"}}},
      {"a weight that is kept to the end", "peak-bytes", "", {{"return (loss,)", "return (loss, weight0, weight1)"}}},
  };
}

std::vector<Regression> waitRegressions() {
  return {
      {"the wait of a gather moved up",
       "exposed-collectives",
       "gather1",
       {{"weight1" + weight + c10d + "wait_tensor.default(gather1)",
         "same1" + act + "torch.ops.aten.neg.default(relu1)"},
        after("gather1: ", "        weight1" + weight + c10d + "wait_tensor.default(gather1)\n")}},
      {"the wait of a sum moved up",
       "exposed-collectives",
       "reduce1",
       {{"reduced1" + act + c10d + "wait_tensor.default(reduce1)", "same1" + act + "torch.ops.aten.neg.default(gelu1)"},
        after("reduce1: ", "        reduced1" + act + c10d + "wait_tensor.default(reduce1)\n")}},
      {"computation that now depends on the sum",
       "exposed-collectives",
       "reduce1",
       {{"gelu1" + act + "torch.ops.aten.gelu.default(relu1)", "reduced1" + act + c10d +
                                                                   "wait_tensor.default(reduce1)\n        gelu1" + act +
                                                                   "torch.ops.aten.gelu.default(reduced1)"},
        {"        reduced1" + act + c10d +
             "wait_tensor.default(reduce1)\n        # Annotation: {'module_fqn': "
             "'layers.1'} File: /job/model.py:18",
         "        # Annotation: {'module_fqn': 'layers.1'} File: /job/model.py:18"}}},
      {"a launch without a wait",
       "missing-wait",
       "lost",
       {after("mm1: ", line("layers.1", 22, "lost" + act + c10d + "all_reduce.default(mm1, 'sum', 'tp')"))}},
      {"a second wait",
       "dead-wait",
       "twice",
       {after("weight1: ", line("layers.1", 23, "twice" + weight + c10d + "wait_tensor.default(weight1)"))}},
      {"a wait on a computed value",
       "dead-wait",
       "twice",
       {after("relu1: ", line("layers.1", 24, "twice" + act + c10d + "wait_tensor.default(relu1)"))}},
  };
}

std::vector<Regression> countRegressions() {
  return {
      {"one exposed sum more",
       "exposed-percent",
       "again",
       {after("loss: ",
              line("loss", 33, "again: \"bf16[][]cuda:0\" = " + c10d + "all_reduce.default(loss, 'avg', 'fsdp')") +
                  line("loss", 34, "both: \"bf16[][]cuda:0\" = " + c10d + "wait_tensor.default(again)")),
        {"return (loss,)", "return (both,)"}}},
      {"one collective more in a layer",
       "count",
       "more",
       {after("relu1: ", secondGather()), {"mm.default(relu1, weight1)", "mm.default(relu1, moreW)"}}},
      {"a dead collective that is no longer eliminated", "dead-collective", "more", {after("relu1: ", secondGather())}},
      {"a collective that is lost",
       "count",
       "reduce0",
       {{"reduce1" + act + c10d + "all_reduce.default(mm1, 'sum', 'tp')",
         "same1" + act + "torch.ops.aten.neg.default(mm1)"},
        {"reduced1" + act + c10d + "wait_tensor.default(reduce1)",
         "reduced1" + act + "torch.ops.aten.neg.default(same1)"}}},
      {"a gather in two parts",
       "count",
       "half",
       {{"gather1" + weight + c10d + "all_gather_into_tensor.default(shard1",
         "part1: \"bf16[1, 8][8, 1]cuda:0\" = torch.ops.aten.slice.Tensor(shard1, 0, 0, 1)\n        "
         "half: \"bf16[4, 8][8, 1]cuda:0\" = " +
             c10d +
             "all_gather_into_tensor.default(part1, 4, 'fsdp')\n        "
             "gather1" +
             weight + c10d + "all_gather_into_tensor.default(shard1"},
        after("weight1: ", "        halfW: \"bf16[4, 8][8, 1]cuda:0\" = " + c10d + "wait_tensor.default(half)\n"),
        {"return (loss,)", "return (loss, halfW)"}}},
      {"an exchange in a module that had none",
       "unlisted",
       "a2a",
       {after("gelu1: ",
              line("moe", 40, "a2a" + act + c10d + "all_to_all_single.default(gelu1, [2, 2], [2, 2], 'tp')") +
                  line("moe", 41, "moved" + act + c10d + "wait_tensor.default(a2a)")),
        {"add.Tensor(gelu1,", "add.Tensor(moved,"}}},
      {"a gather of activations",
       "unlisted",
       "acts",
       {after("gelu1: ",
              line("layers.1", 42,
                   "acts: \"bf16[8, 8][8, 1]cuda:0\" = " + c10d + "all_gather_into_tensor.default(gelu1, 2, 'tp')") +
                  line("layers.1", 43, "allActs: \"bf16[8, 8][8, 1]cuda:0\" = " + c10d + "wait_tensor.default(acts)")),
        {"return (loss,)", "return (loss, allActs)"}}},
  };
}

std::vector<Regression> regressions() {
  std::vector<Regression> all;
  for (const auto &part : {valueRegressions(), waitRegressions(), countRegressions()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

bool names(const ContractFinding &finding, llvm::StringRef node) {
  return node.empty() || llvm::any_of(finding.nodes, [&](const NodePlace &place) { return place.node == node; });
}

} // namespace

TEST(ContractCheck, TheGoodProgramSatisfiesItsContract) {
  EXPECT_EQ(textOf(checkContract(goodContract(), factsOf(program()))), "");
}

TEST(ContractCheck, EachRegressionIsFoundAtItsNode) {
  Contract contract = goodContract();
  EXPECT_EQ(regressions().size(), 20U);
  for (const Regression &regression : regressions()) {
    std::vector<ContractFinding> findings = checkContract(contract, factsOf(edited(program(), regression.edits)));
    bool isFound = llvm::any_of(findings, [&](const ContractFinding &finding) {
      return finding.rule == regression.rule && names(finding, regression.node);
    });
    EXPECT_TRUE(isFound) << regression.name << "\n" << textOf(findings);
  }
}

TEST(ContractCheck, AnotherNumberOfLayersIsFound) {
  for (int layers : {2, 4}) {
    std::vector<ContractFinding> findings = checkContract(goodContract(), factsOf(program(layers)));
    EXPECT_TRUE(llvm::any_of(findings, [](const ContractFinding &finding) { return finding.rule == "modules"; }))
        << textOf(findings);
  }
}

TEST(ContractCheck, EqualLayersShareOneRule) {
  Contract contract = goodContract();
  std::vector<std::string> modules;
  for (const CollectiveRule &rule : contract.collectives)
    modules.push_back(rule.module);
  EXPECT_EQ(modules, (std::vector<std::string>{"layers.*.wq", "layers.*", "loss"}));
  EXPECT_EQ(contract.collectives.front().modules, Bounds::exactly(3));
  EXPECT_FALSE(contract.allowsUnlisted);
}

TEST(ContractCheck, LayersThatDifferHaveRulesOfTheirOwn) {
  std::string text = edited(program(), {after("relu1: ", secondGather()), {"(relu1, weight1)", "(relu1, moreW)"}});
  CommunicationFacts facts = factsOf(text);
  Contract contract = contractOf(facts, "");
  std::vector<std::string> modules;
  for (const CollectiveRule &rule : contract.collectives)
    if (rule.kind == CollectiveKind::AllGather)
      modules.push_back(rule.module + " " + rule.count->str());
  EXPECT_EQ(modules, (std::vector<std::string>{"layers.0.wq 1", "layers.1.wq 2", "layers.2.wq 1"}));
  EXPECT_EQ(textOf(checkContract(contract, facts)), "");
}

TEST(ContractCheck, AFindingNamesTheContractAndOnlyTheAdditionalNode) {
  std::string text = edited(program(), {after("relu1: ", secondGather()), {"(relu1, weight1)", "(relu1, moreW)"}});
  Contract contract;
  contract.collectives.push_back(
      {.module = "layers.*", .kind = CollectiveKind::AllGather, .count = Bounds::exactly(1), .place = {7, 1}});
  EXPECT_EQ(textOf(checkContract(contract, factsOf(text))),
            "error: module layers.1 has 2 all_gather collectives, expected 1 [count]\n"
            "  required by comm.toml:7:1\n"
            "  step: more (/job/model.py:19: x)\n"
            "  repair: remove the additional collective, or raise the count\n");
}

TEST(ContractCheck, ALackingCollectiveIsNamedByItsCounterpart) {
  std::string text = edited(program(), {{"reduce1" + act + c10d + "all_reduce.default(mm1, 'sum', 'tp')",
                                         "s1" + act + "torch.ops.aten.neg.default(mm1)"},
                                        {"reduced1" + act + c10d + "wait_tensor.default(reduce1)",
                                         "reduced1" + act + "torch.ops.aten.neg.default(s1)"}});
  Contract contract;
  contract.collectives.push_back({.module = "layers.*", .group = "tp", .count = Bounds::exactly(1)});
  EXPECT_EQ(textOf(checkContract(contract, factsOf(text))),
            "error: module layers.1 has 0 collectives of group tp, expected 1 [count]\n"
            "  step: reduce0 (/job/model.py:15: x)\n"
            "  repair: the nodes below are those of module layers.0 that this module lacks\n");
}

TEST(ContractCheck, APatternWithoutModulesIsAFinding) {
  Contract contract;
  contract.collectives.push_back({.module = "blocks.*", .count = Bounds::exactly(1)});
  EXPECT_EQ(textOf(checkContract(contract, factsOf(program()))),
            "error: pattern blocks.* selects no module, expected at least one [modules]\n"
            "  repair: the dump must record modules, and the pattern must match their paths\n");
}

TEST(ContractCheck, AGroupIsSelectedByNameOrDescription) {
  CommunicationFacts facts = factsOf(program());
  for (CollectiveFacts &one : facts.collectives)
    one.groupDescription = "mesh_" + one.group;
  for (const char *group : {"tp", "mesh_tp"}) {
    Contract contract;
    contract.collectives.push_back({.group = group, .count = Bounds::exactly(3)});
    EXPECT_EQ(textOf(checkContract(contract, facts)), "");
  }
  EXPECT_EQ(contractOf(facts, "").collectives.front().group, "mesh_fsdp");
}

TEST(ContractCheck, UnknownBytesAreAFindingOfABytesRule) {
  CommunicationFacts facts = factsOf(program());
  facts.collectives.front().bytes.reset();
  Contract contract;
  contract.collectives.push_back({.module = "layers.0", .group = "fsdp", .bytes = Bounds::atMost(1 << 20)});
  EXPECT_EQ(textOf(checkContract(contract, facts)),
            "error: module layers.0 moves an unknown number of bytes in collectives of group fsdp, expected at most "
            "1048576 [bytes]\n"
            "  step: gather0 (/job/model.py:11: x)\n"
            "  repair: give values to the symbols of these collectives, or leave bytes out of the rule\n");
}

TEST(ContractCheck, LimitsHoldAtTheLimitAndNotOneBelow) {
  CommunicationFacts facts = factsOf(program());
  Contract contract;
  contract.limits.peakBytes = facts.peakBytes;
  EXPECT_EQ(checkContract(contract, facts).size(), 0U);
  contract.limits.peakBytes = facts.peakBytes - 1;
  EXPECT_EQ(checkContract(contract, facts).size(), 1U);
  contract.limits.peakBytes.reset();
  const double percent = 100.0 * static_cast<double>(facts.exposed) / static_cast<double>(facts.total);
  contract.limits.exposedPercent = percent;
  EXPECT_EQ(checkContract(contract, facts).size(), 0U);
  contract.limits.exposedPercent = percent - 0.01;
  EXPECT_EQ(checkContract(contract, facts).size(), 1U);
}

TEST(ContractCheck, GraphsOfAStepAreSummed) {
  Context context;
  std::unique_ptr<Graph> graph = graphOf(context, program());
  const LabeledGraph graphs[] = {{graph.get(), "forward"}, {graph.get(), "backward"}};
  CommunicationFacts facts = llvm::cantFail(gatherCommunication({graphs}));
  Contract contract;
  contract.collectives.push_back({.kind = CollectiveKind::AllGather, .count = Bounds::exactly(6)});
  contract.collectives.push_back({.graph = "backward", .kind = CollectiveKind::AllGather, .count = Bounds::exactly(3)});
  EXPECT_EQ(textOf(checkContract(contract, facts)), "");
  EXPECT_EQ(facts.total, 0);
  EXPECT_EQ(contractOf(facts, "").collectives.front().graph, "forward");
}

} // namespace ccgraph
