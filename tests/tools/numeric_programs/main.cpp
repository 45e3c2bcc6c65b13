// ccgraph_numeric_programs compares what compareSums says of random programs with their bits on the local engine.
//
//   ccgraph_numeric_programs [--programs N] [--first N] [--print 1]
//
// Even numbers are programs of sums in two forms (sum_program.h); odd ones are programs of tests/support before and
// after a random pipeline of the passes. Both sides run on the local engine with the same inputs. An output that is
// said to be bitwise equal, for collectives in any order and in the order of the ranks, must have equal bits. For
// programs of sums in f32 and bf16, the stated bounds must hold against the same program in f64.
//
// It prints a line for each failure, then a table. Exit: 0, 1 if anything failed, 2 usage.
#include "sum_program.h"

#include "support/random_program.h"
#include "support/rank_program.h"
#include "support/seeded_run.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/numerics/compare_sums.h"
#include "ccgraph/passes/lower.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/runtime/comparison.h"
#include "ccgraph/runtime/engine.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <map>
#include <set>

using namespace ccgraph;
using namespace ccgraph::test;
using numerics::ComparedOutput;
using numerics::SumAnswer;
using numerics::SumOrder;

namespace {

struct Options {
  uint32_t programs = 200;
  uint32_t first = 0;
  uint32_t print = 0;
};

/// Counts for one family of programs.
struct Tally {
  size_t programs = 0, notCompared = 0, undecided = 0, outputs = 0, equal = 0, saidInAnyOrder = 0, saidInRankOrder = 0,
         wrong = 0, same = 0, differ = 0, bounded = 0, checked = 0, violated = 0;
  double closest = 0;
  std::map<std::string, size_t> causes;
};

/// The two programs of one number, and what they run on.
struct ProgramPair {
  std::unique_ptr<Graph> before, after;
  size_t ranks = 2;
};

/// Most are single passes, since the search of schedule-overlap takes longer than all else here.
constexpr llvm::StringLiteral pipelines[] = {"-O1",
                                             "-O2",
                                             "coalesce-collectives{layout=flat}",
                                             "coalesce-collectives{layout=grouped}",
                                             "coalesce-collectives{layout=flat},chunk-collectives{pieces=3}",
                                             "chunk-collectives{pieces=2}",
                                             "simplify-collectives",
                                             "compress-gradients",
                                             "decompose-all-reduce",
                                             "sink-waits,simplify-collectives,coalesce-collectives"};

Pipeline pipelineOf(llvm::StringRef text) {
  if (text.consume_front("-O"))
    return pipelineOfLevel(static_cast<unsigned>(text[0] - '0'));
  return llvm::cantFail(Pipeline::parse(text));
}

/// Runs passes without the checks, which other tests make; false if a pass refuses the graph.
bool runPasses(Graph &graph, const Pipeline &pipeline) {
  PassManagerOptions options;
  options.limitMemory = false;
  options.verifyEach = options.checkLegality = false;
  llvm::Expected<PipelineRun> result = runPipeline(graph, pipeline, options);
  return static_cast<bool>(result) || (llvm::consumeError(result.takeError()), false);
}

std::string fxOf(const Graph &graph) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::cantFail(writeFxText(os, graph));
  return os.str();
}

std::optional<runtime::RunResult> runLocally(const Graph &graph, const runtime::RunRequest &request) {
  llvm::Expected<std::unique_ptr<Plan>> plan = lowerGraph(graph, {.objects = request.objects});
  if (!plan)
    return llvm::consumeError(plan.takeError()), std::nullopt;
  runtime::PlanRequest planned{.plans = {plan->get()}, .ranks = request.ranks, .inputs = request.inputs};
  llvm::Expected<runtime::RunResult> result = runPlans(*runtime::findEngine("local"), planned);
  if (!result)
    return llvm::consumeError(result.takeError()), std::nullopt;
  return std::move(*result);
}

std::vector<numerics::RankGraph> onRanks(const Graph &graph, size_t ranks) {
  GroupTable groups = graph.groups();
  if (!groups.find("0")) {
    Group world{"0"};
    for (size_t rank = 0; rank != ranks; ++rank)
      world.ranks.push_back(static_cast<int64_t>(rank));
    groups.set(world);
  }
  return std::vector<numerics::RankGraph>(ranks, {&graph, groups});
}

SumAnswer answerOf(const ProgramPair &pair, SumOrder order) {
  llvm::Expected<SumAnswer> answer =
      numerics::compareSums({onRanks(*pair.before, pair.ranks), onRanks(*pair.after, pair.ranks), order});
  if (answer)
    return std::move(*answer);
  SumAnswer undecided;
  undecided.undecided = llvm::toString(answer.takeError());
  return undecided;
}

/// Draws programs until the terms of one can be evaluated; the others are counted.
std::optional<ProgramPair> passedPair(Context &context, uint32_t number, size_t &undecided) {
  for (uint32_t draw = 0; draw != 50; ++draw) {
    RandomProgram program = makeRandomProgram(context, randomNumbers(number * 50 + draw));
    if (!runPasses(*program.graph, llvm::cantFail(Pipeline::parse("inline-control-deps"))))
      continue;
    ProgramPair pair{std::move(program.graph), nullptr, program.ranks};
    pair.after = pair.before->clone();
    if (!answerOf(pair, SumOrder::Any).undecided.empty()) {
      ++undecided;
      continue;
    }
    if (runPasses(*pair.after, pipelineOf(pipelines[number / 2 % std::size(pipelines)])))
      return pair;
  }
  return std::nullopt;
}

/// The distance between the two numbers of a dtype around a magnitude.
double ulpAt(double magnitude, llvm::StringRef dtype) {
  const int digits = dtype == "bf16" ? 8 : 24;
  return magnitude == 0 ? 0 : std::ldexp(1.0, std::ilogb(magnitude) - digits + 1);
}

class NumericPrograms {
public:
  explicit NumericPrograms(const Options &options) : options_(options) {}

  int run() {
    for (uint32_t number = options_.first; number != options_.first + options_.programs; ++number)
      check(number);
    print();
    return sums_.wrong + sums_.violated + passes_.wrong == 0 ? 0 : 1;
  }

private:
  void check(uint32_t number) {
    Context context;
    const bool isOfSums = number % 2 == 0;
    Tally &tally = isOfSums ? sums_ : passes_;
    ++tally.programs;
    std::optional<ProgramPair> pair =
        isOfSums ? sumPair(context, number) : passedPair(context, number, tally.undecided);
    if (!pair) {
      ++tally.notCompared;
      return;
    }
    if (options_.print != 0)
      llvm::outs() << "program " << number << ", " << pair->ranks << " ranks\n"
                   << fxOf(*pair->before) << fxOf(*pair->after);
    const runtime::RunRequest request = seededRequest(*pair->before, pair->ranks);
    std::optional<runtime::RunResult> before = runLocally(*pair->before, request);
    std::optional<runtime::RunResult> after = runLocally(*pair->after, request);
    if (!before || !after) {
      ++tally.notCompared;
      return;
    }
    const runtime::Comparison bits = runtime::compareRuns({*before, *after, request.inputs}, {});
    std::set<std::pair<int64_t, std::string>> differing;
    for (const runtime::Difference &difference : bits.differences)
      differing.insert({static_cast<int64_t>(difference.rank), difference.output});
    const SumAnswer inAnyOrder = answerOf(*pair, SumOrder::Any), inRankOrder = answerOf(*pair, SumOrder::Ranks);
    if (!inAnyOrder.undecided.empty() || !inRankOrder.undecided.empty()) {
      ++tally.notCompared;
      if (options_.print != 0)
        llvm::outs() << "undecided: " << inAnyOrder.undecided << inRankOrder.undecided << '\n';
      return;
    }
    for (size_t i = 0; i != inAnyOrder.outputs.size(); ++i)
      count(number, tally, {inAnyOrder.outputs[i], inRankOrder.outputs[i]},
            differing.count({inAnyOrder.outputs[i].rank, inAnyOrder.outputs[i].name}) == 0);
    if (isOfSums && !isChangedPair(number))
      checkBounds(number, *pair, {*before, *after, request.inputs}, inRankOrder, context);
  }

  /// A fifth of the pairs differ in values, too, so that a wrong rule would say that different bits are equal.
  static bool isChangedPair(uint32_t number) { return number % 10 == 2; }

  static std::optional<ProgramPair> sumPair(Context &context, uint32_t number) {
    // A third of the pairs make all sums in one form.
    SumProgram before = makeSumProgram(context, {number, number, number}, SumNumbers::Own);
    const uint64_t forms = number % 3 == 0 ? number : number + 1;
    SumProgram after =
        makeSumProgram(context, {number, forms, number + 1, isChangedPair(number) ? number + 2 : 0}, SumNumbers::Own);
    return ProgramPair{std::move(before.graph), std::move(after.graph), before.ranks};
  }

  struct BothOrders {
    const ComparedOutput &any;
    const ComparedOutput &ranks;
  };
  void count(uint32_t number, Tally &tally, BothOrders said, bool areEqual) {
    ++tally.outputs;
    tally.equal += areEqual;
    tally.saidInAnyOrder += said.any.isBitwiseEqual && areEqual;
    tally.saidInRankOrder += said.ranks.isBitwiseEqual && areEqual;
    if ((said.any.isBitwiseEqual || said.ranks.isBitwiseEqual) && !areEqual) {
      ++tally.wrong;
      llvm::outs() << "program " << number << ": " << said.any.name << " of rank " << said.any.rank
                   << " is said to be bitwise equal, and is not\n";
    }
    if (said.any.isBitwiseEqual)
      return;
    if (options_.print != 0)
      describe(said.any);
    ++tally.differ;
    ++tally.causes[said.any.cause];
    tally.same += said.any.isSameFunction;
    tally.bounded += said.any.differenceUlps.has_value();
  }

  static void describe(const ComparedOutput &output) {
    llvm::outs() << output.name << " of rank " << output.rank << ": " << output.cause << '\n';
    for (const numerics::SumPlace &place : output.before)
      llvm::outs() << "  before: " << place.node << ": " << place.what << '\n';
    for (const numerics::SumPlace &place : output.after)
      llvm::outs() << "  after: " << place.node << ": " << place.what << '\n';
  }

  /// Converts the inputs of a program to f64; `magnitudes`: and takes their magnitudes.
  static std::vector<TensorMap> inF64(const std::vector<TensorMap> &inputs, SumNumbers numbers) {
    std::vector<TensorMap> result = inputs;
    for (TensorMap &rank : result)
      for (auto &[name, tensor] : rank) {
        std::vector<double> values = numbersOf(tensor);
        for (double &value : values)
          value = numbers == SumNumbers::Magnitudes ? std::fabs(value) : value;
        tensor = hostTensor(DType::F64, tensor.sizes, values);
      }
    return result;
  }

  static std::vector<TensorMap> valuesIn(Context &context, uint32_t number, const runtime::RunRequest &request,
                                         SumNumbers numbers) {
    SumProgram program = makeSumProgram(context, {number, number, number}, numbers);
    runtime::RunRequest exact = request;
    exact.graphs = {program.graph.get()};
    exact.inputs = inF64(request.inputs, numbers);
    return llvm::cantFail(runtime::interpret(exact));
  }

  void checkBounds(uint32_t number, const ProgramPair &pair, const runtime::ComparedRuns &runs,
                   const SumAnswer &inRankOrder, Context &context) {
    const runtime::RunRequest request = seededRequest(*pair.before, pair.ranks);
    const std::vector<TensorMap> exact = valuesIn(context, number, request, SumNumbers::Exact);
    const std::vector<TensorMap> magnitudes = valuesIn(context, number, request, SumNumbers::Magnitudes);
    const SumAnswer inAnyOrder = answerOf(pair, SumOrder::Any);
    for (const SumAnswer *answer : {&inRankOrder, &inAnyOrder})
      for (const ComparedOutput &output : answer->outputs) {
        if (output.dtype != "f32" && output.dtype != "bf16")
          continue;
        const auto rank = static_cast<size_t>(output.rank);
        auto valuesOf = [&](const std::vector<TensorMap> &of) { return numbersOf(of[rank].at(output.name)); };
        const std::vector<double> before = valuesOf(runs.expected), after = valuesOf(runs.got),
                                  wanted = valuesOf(exact), sizes = valuesOf(magnitudes);
        for (size_t i = 0; i != wanted.size(); ++i) {
          const double ulp = ulpAt(sizes[i], output.dtype);
          hold(number, output, "difference", {std::fabs(before[i] - after[i]), ulp, output.differenceUlps});
          hold(number, output, "error before", {std::fabs(before[i] - wanted[i]), ulp, output.beforeUlps});
          hold(number, output, "error after", {std::fabs(after[i] - wanted[i]), ulp, output.afterUlps});
        }
      }
  }

  struct Bounded {
    double error = 0;
    double ulp = 0;
    std::optional<double> ulps;
  };
  /// The values in f64 are rounded too, by far less than the slack.
  void hold(uint32_t number, const ComparedOutput &output, const char *what, const Bounded &bounded) {
    if (!bounded.ulps)
      return;
    ++sums_.checked;
    const double most = *bounded.ulps * bounded.ulp;
    if (most > 0)
      sums_.closest = std::max(sums_.closest, bounded.error / most);
    if (bounded.error <= most + bounded.ulp * 1e-6)
      return;
    ++sums_.violated;
    llvm::outs() << "program " << number << ": " << output.name << " of rank " << output.rank << ": the " << what
                 << " is " << bounded.error / bounded.ulp << " ulps, stated at most " << *bounded.ulps << '\n';
  }

  static std::string share(size_t part, size_t whole) {
    return std::to_string(part) + " (" + std::to_string(whole == 0 ? 0 : 1000 * part / whole / 10) + "." +
           std::to_string(whole == 0 ? 0 : 1000 * part / whole % 10) + " %)";
  }

  void print() const {
    auto row = [&](llvm::StringRef what, auto value) {
      llvm::outs() << "| " << what << " | " << value(sums_) << " | " << value(passes_) << " |\n";
    };
    llvm::outs() << "| what | programs of sums | programs after passes |\n|---|---:|---:|\n";
    row("programs", [](const Tally &tally) { return tally.programs; });
    row("not compared: lowering or the engine refuses one, or the passes make what cannot be decided",
        [](const Tally &tally) { return tally.notCompared; });
    row("left out at the draw: a change of a shape in place, a group that is an object, an operator with subgraphs",
        [](const Tally &tally) { return tally.undecided; });
    row("outputs of all ranks, written inputs included", [](const Tally &tally) { return tally.outputs; });
    row("equal bits", [](const Tally &tally) { return tally.equal; });
    row("said to be bitwise equal, collectives in any order, of those",
        [](const Tally &tally) { return share(tally.saidInAnyOrder, tally.equal); });
    row("said to be bitwise equal, collectives in the order of the ranks, of those",
        [](const Tally &tally) { return share(tally.saidInRankOrder, tally.equal); });
    row("**said to be bitwise equal, and are not**", [](const Tally &tally) { return tally.wrong; });
    row("not said to be bitwise equal in any order", [](const Tally &tally) { return tally.differ; });
    row("the same function of the inputs, of those",
        [](const Tally &tally) { return share(tally.same, tally.differ); });
    row("with a bound of the difference, of those",
        [](const Tally &tally) { return share(tally.bounded, tally.differ); });
    llvm::outs() << "\nElements of the programs of sums whose bound was compared with f64: " << sums_.checked
                 << "; **beyond the bound: " << sums_.violated << "**; the largest error is "
                 << static_cast<int>(sums_.closest * 100 + 0.5) << " % of its bound.\n\n";
    llvm::outs() << "| cause, where not bitwise equal in any order | programs of sums | programs after passes |\n"
                    "|---|---:|---:|\n";
    std::set<std::string> causes;
    for (const Tally *tally : {&sums_, &passes_})
      for (const auto &[cause, number] : tally->causes)
        causes.insert(cause);
    for (const std::string &cause : causes)
      row(cause, [&](const Tally &tally) {
        auto known = tally.causes.find(cause);
        return known == tally.causes.end() ? 0 : known->second;
      });
  }

  Options options_;
  Tally sums_, passes_;
};

int usage(llvm::StringRef word) {
  llvm::errs() << "ccgraph_numeric_programs: got '" << word << "', expected --programs N, --first N or --print 1\n";
  return 2;
}

} // namespace

int main(int count, char **words) {
  Options options;
  for (int i = 1; i < count; i += 2) {
    llvm::StringRef flag = words[i];
    uint32_t *value = flag == "--programs" ? &options.programs
                      : flag == "--first"  ? &options.first
                      : flag == "--print"  ? &options.print
                                           : nullptr;
    if (!value || i + 1 == count || llvm::StringRef(words[i + 1]).getAsInteger(10, *value))
      return usage(flag);
  }
  return NumericPrograms(options).run();
}
