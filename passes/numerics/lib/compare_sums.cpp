#include "ccgraph/numerics/compare_sums.h"

#include "differing_sums.h"
#include "error_bound.h"
#include "exact_steps.h"
#include "job_terms.h"
#include "node_values.h"
#include "placed_parts.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/signature.h"
#include "ccgraph/ir/value_names.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::numerics {
namespace {

llvm::Error inputError(const llvm::Twine &message, const llvm::Twine &repair) {
  return makeError(diagnose("same.numerics", message.str(), repair.str()));
}

/// The elements of one output of both programs.
struct OutputPair {
  const HeldValue &before, &after;
};

class SumComparer {
public:
  explicit SumComparer(const SumComparison &comparison) : comparison_(comparison) {}

  llvm::Expected<SumAnswer> run() {
    if (llvm::Error error = comparison_.placements ? checkPlaced() : checkJob())
      return error;
    JobTerms before = evaluateJob(table_, {Side::Before, comparison_.before, comparison_.order});
    if (answer_.undecided = before.problem; !answer_.undecided.empty())
      return std::move(answer_);
    JobProgram program{Side::After, comparison_.after, comparison_.order};
    if (comparison_.placements)
      program.inputElements = [this](int64_t rank, size_t position) { return placedInput(rank, position); };
    JobTerms after = evaluateJob(table_, program);
    if (answer_.undecided = after.problem; !answer_.undecided.empty())
      return std::move(answer_);
    if (llvm::Error error = comparison_.placements ? comparePlaced(before.ranks.front(), after.ranks)
                                                   : compareRanks(before.ranks, after.ranks))
      return error;
    return std::move(answer_);
  }

private:
  llvm::Error checkJob() {
    if (comparison_.before.size() != comparison_.after.size() || comparison_.before.empty())
      return inputError("the programs have " + llvm::Twine(comparison_.before.size()) + " and " +
                            llvm::Twine(comparison_.after.size()) + " ranks, expected equal numbers",
                        "give the graphs of the same ranks before and after");
    for (size_t rank = 0; rank != comparison_.before.size(); ++rank)
      if (llvm::Error error = checkInputs(rank))
        return error;
    return llvm::Error::success();
  }

  /// Positions beyond the inputs and outputs are an error of the comparison of values (equality/same_step.h), too.
  llvm::Error checkPlaced() {
    placeholders_ = placeholdersOf(*comparison_.before.front().graph);
    const int64_t ranks = numRanks(comparison_.placements->mesh);
    if (comparison_.before.size() != 1 || ranks != static_cast<int64_t>(comparison_.after.size()))
      return inputError("the mesh has " + llvm::Twine(ranks) + " ranks, the job has " +
                            llvm::Twine(comparison_.after.size()),
                        "state the mesh in the placements: \"mesh\": {\"axes\": [\"dp\", \"tp\"], \"sizes\": [2, 4]}");
    for (const TensorPlacement &input : comparison_.placements->inputs)
      if (input.single >= placeholders_.size())
        return inputError("input '" + input.of + "' is at position " + llvm::Twine(input.single) +
                              " of the single graph, which has " + llvm::Twine(placeholders_.size()),
                          "positions count the inputs of each graph from 0");
    return llvm::Error::success();
  }

  /// Returns the elements that a rank holds of an input of the step of one device. A partial sum is an input of its
  /// own.
  std::optional<RunList> placedInput(int64_t rank, size_t position) {
    for (const TensorPlacement &placement : comparison_.placements->inputs) {
      if (placement.position != position || isPartialSum(placement))
        continue;
      NodeValues nodes(table_, comparison_.order, 0);
      const HeldValue whole =
          nodes.input(*placeholders_[placement.single], "input " + std::to_string(placement.single) + " of rank 0");
      std::optional<HeldTensor> part =
          whole.isTensor() ? placedPart(whole.tensor, placement, comparison_.placements->mesh, rank) : std::nullopt;
      return part ? std::optional(part->memory->elements) : std::nullopt;
    }
    return std::nullopt;
  }

  llvm::Error comparePlaced(const RankResults &single, llvm::ArrayRef<RankResults> ranks) {
    for (const TensorPlacement &placement : comparison_.placements->outputs) {
      if (isPartialSum(placement)) {
        answer_.assumed.push_back("the sum of '" + placement.of + "' over the ranks is made outside of the step");
        continue;
      }
      for (size_t rank = 0; rank != ranks.size(); ++rank)
        if (llvm::Error error = comparePlacedOutput(placement, single, ranks[rank], static_cast<int64_t>(rank)))
          return error;
    }
    return llvm::Error::success();
  }

  llvm::Error comparePlacedOutput(const TensorPlacement &placement, const RankResults &single,
                                  const RankResults &parallel, int64_t rank) {
    if (placement.single >= single.outputs.size() || placement.position >= parallel.outputs.size())
      return inputError("output '" + placement.of + "' is at position " + llvm::Twine(placement.position) + " and at " +
                            llvm::Twine(placement.single) + " of the single graph, expected positions below " +
                            llvm::Twine(parallel.outputs.size()) + " and " + llvm::Twine(single.outputs.size()),
                        "positions count the outputs of each graph from 0");
    const HeldValue &whole = single.outputs[placement.single], &got = parallel.outputs[placement.position];
    std::optional<HeldTensor> part =
        whole.isTensor() ? placedPart(whole.tensor, placement, comparison_.placements->mesh, rank) : std::nullopt;
    return compare(placement.of, rank, {part ? HeldValue::of(*part) : whole, got});
  }

  llvm::Error compareRanks(llvm::ArrayRef<RankResults> before, llvm::ArrayRef<RankResults> after) {
    for (size_t rank = 0; rank != before.size(); ++rank)
      if (llvm::Error error = compareRank(static_cast<int64_t>(rank), before[rank], after[rank]))
        return error;
    return llvm::Error::success();
  }

  /// Terms of inputs correspond by position, so their types must be equal.
  llvm::Error checkInputs(size_t rank) {
    const std::vector<const Node *> before = placeholdersOf(*comparison_.before[rank].graph),
                                    after = placeholdersOf(*comparison_.after[rank].graph);
    if (before.size() != after.size())
      return inputError("rank " + llvm::Twine(rank) + " has " + llvm::Twine(before.size()) + " inputs before and " +
                            llvm::Twine(after.size()) + " after",
                        "compare two programs of one job, with equal inputs in one order");
    for (size_t i = 0; i != before.size(); ++i)
      if (typeText(before[i]->type()) != typeText(after[i]->type()))
        return inputError("input " + llvm::Twine(i) + " of rank " + llvm::Twine(rank) + " is " +
                              typeText(before[i]->type()) + " before and " + typeText(after[i]->type()) + " after",
                          "compare two programs of one job, with equal inputs in one order");
    return llvm::Error::success();
  }

  llvm::Error compareRank(int64_t rank, const RankResults &before, const RankResults &after) {
    if (before.outputs.size() != after.outputs.size())
      return inputError("rank " + llvm::Twine(rank) + " has " + llvm::Twine(before.outputs.size()) +
                            " outputs before and " + llvm::Twine(after.outputs.size()) + " after",
                        "compare two programs of one job, with equal outputs in one order");
    for (size_t i = 0; i != before.outputs.size(); ++i)
      if (llvm::Error error = compare(outputName(i), rank, {before.outputs[i], after.outputs[i]}))
        return error;
    const std::vector<const Node *> names = placeholdersOf(*comparison_.before[static_cast<size_t>(rank)].graph);
    for (size_t i = 0; i != names.size(); ++i)
      if (isWritten(before.inputs[i]) || isWritten(after.inputs[i]))
        if (llvm::Error error = compare(afterName(names[i]->name().str()), rank, {before.inputs[i], after.inputs[i]}))
          return error;
    return llvm::Error::success();
  }

  [[nodiscard]] bool isWritten(const HeldValue &input) const {
    if (!input.isTensor() || input.tensor.memory->elements.size() == 0)
      return false;
    llvm::ArrayRef<Run> runs = input.tensor.memory->elements.runs();
    return runs.size() != 1 || table_.at(runs.front().term).kind != Term::Kind::Input || runs.front().start != 0;
  }

  llvm::Error compare(const std::string &name, int64_t rank, OutputPair pair) {
    if (pair.before.kind == HeldValue::Kind::None && pair.after.kind == HeldValue::Kind::None)
      return llvm::Error::success();
    ComparedOutput output;
    output.name = name;
    output.rank = rank;
    if (!pair.before.isTensor() || !pair.after.isTensor()) {
      output.isBitwiseEqual = pair.before.kind == HeldValue::Kind::Opaque &&
                              pair.after.kind == HeldValue::Kind::Opaque && pair.before.opaque == pair.after.opaque;
      output.isSameFunction = output.isBitwiseEqual;
      output.cause = output.isBitwiseEqual ? "" : "another operation";
      answer_.outputs.push_back(std::move(output));
      return llvm::Error::success();
    }
    const HeldTensor &before = pair.before.tensor, &after = pair.after.tensor;
    if (before.sizes != after.sizes || before.dtype != after.dtype)
      return inputError(name + " of rank " + llvm::Twine(rank) + " is " + shortName(before.dtype) +
                            intListText(before.sizes) + " before and " + shortName(after.dtype) +
                            intListText(after.sizes) + " after",
                        "compare two programs of one job, with equal outputs in one order");
    compareElements(output, before, after);
    answer_.outputs.push_back(std::move(output));
    return llvm::Error::success();
  }

  void compareElements(ComparedOutput &output, const HeldTensor &before, const HeldTensor &after) {
    output.dtype = shortName(before.dtype).str();
    const RunList left = elementsOf(table_, before), right = elementsOf(table_, after);
    output.isBitwiseEqual = sameElements(left, right);
    output.beforeUlps = errors_.ulps(left, before.dtype);
    output.afterUlps = errors_.ulps(right, before.dtype);
    output.isSameFunction = output.isBitwiseEqual;
    if (output.isBitwiseEqual)
      output.differenceUlps = 0;
    else
      DifferingSums(table_, left, right).describe(output, before.dtype);
  }

  const SumComparison &comparison_;
  TermTable table_;
  /// against exact arithmetic on the inputs
  ErrorBounds errors_{table_, [](TermId) { return false; }};
  SumAnswer answer_;
  /// with placements: of the step of one device
  std::vector<const Node *> placeholders_;
};

} // namespace

bool SumAnswer::allBitwiseEqual() const {
  return undecided.empty() && llvm::all_of(outputs, [](const ComparedOutput &output) { return output.isBitwiseEqual; });
}

bool SumAnswer::allSameFunctions() const {
  return undecided.empty() && llvm::all_of(outputs, [](const ComparedOutput &output) { return output.isSameFunction; });
}

llvm::Expected<SumAnswer> compareSums(const SumComparison &comparison) { return SumComparer(comparison).run(); }

} // namespace ccgraph::numerics
