#include "check_report/numerics_report.h"

#include "check_report/same_step_report.h"

#include "ccgraph/ir/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

namespace ccgraph::report {
namespace {

using numerics::ComparedOutput;
using numerics::SumAnswer;
using numerics::SumOrder;
using numerics::SumPlace;

/// How many outputs, and operations of an output, a text lists.
constexpr size_t mostOutputs = 10, mostSums = 3;

llvm::StringRef orderText(SumOrder order) {
  return order == SumOrder::Ranks ? "in the order of the ranks, in f64, rounded once, as the engines local and mpi do"
                                  : "in an order that depends on the kind, the size and the ranks of a call";
}

/// Outputs of one name that differ alike on several ranks.
struct OutputOnRanks {
  const ComparedOutput *output = nullptr;
  std::vector<int64_t> ranks;
};

bool differAlike(const ComparedOutput &a, const ComparedOutput &b) {
  auto alike = [](llvm::ArrayRef<SumPlace> x, llvm::ArrayRef<SumPlace> y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const SumPlace &p, const SumPlace &q) { return p.node == q.node && p.what == q.what; });
  };
  return a.name == b.name && a.cause == b.cause && a.differenceUlps == b.differenceUlps && alike(a.before, b.before) &&
         alike(a.after, b.after);
}

std::vector<OutputOnRanks> differing(const SumAnswer &answer) {
  std::vector<OutputOnRanks> list;
  for (const ComparedOutput &output : answer.outputs) {
    if (output.isBitwiseEqual)
      continue;
    auto *known = std::find_if(list.data(), list.data() + list.size(),
                               [&](const OutputOnRanks &entry) { return differAlike(*entry.output, output); });
    if (known == list.data() + list.size())
      list.push_back({&output, {output.rank}});
    else
      known->ranks.push_back(output.rank);
  }
  return list;
}

std::string ulpsText(std::optional<double> ulps) {
  if (!ulps)
    return "unknown";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format(*ulps < 100 ? "%.3g" : "%.0f", *ulps);
  return os.str();
}

void writeSums(llvm::raw_ostream &os, llvm::StringRef side, llvm::ArrayRef<SumPlace> sums) {
  for (const SumPlace &sum : sums.take_front(mostSums))
    os << "    " << side << visibleText(sum.node) << " on rank " << sum.rank << ": " << visibleText(sum.what)
       << (sum.source.empty() ? "" : " (" + visibleText(sum.source) + ")") << '\n';
  if (sums.size() > mostSums)
    os << "    " << side << "and " << sums.size() - mostSums << " more\n";
}

void writeOutput(llvm::raw_ostream &os, const OutputOnRanks &entry) {
  const ComparedOutput &output = *entry.output;
  os << "  " << visibleText(output.name) << " on " << ranksText(entry.ranks) << ": " << output.cause;
  if (output.differenceUlps)
    os << ", at most " << ulpsText(output.differenceUlps) << " ulps of " << output.dtype << " apart";
  else
    os << ", the bound of the difference is unknown";
  os << '\n';
  writeSums(os, "before: ", output.before);
  writeSums(os, "after:  ", output.after);
}

void writeHead(llvm::raw_ostream &os, const SumAnswer &answer, bool isOfStep) {
  const size_t equal =
      llvm::count_if(answer.outputs, [](const ComparedOutput &output) { return output.isBitwiseEqual; });
  const std::string all = counted(answer.outputs.size(), "output") + " of all ranks";
  if (isOfStep)
    os << "numerics: ";
  else
    os << (answer.allBitwiseEqual()    ? "the same: "
           : answer.allSameFunctions() ? "the same but for the order or the dtype of sums: "
                                       : "cannot be decided: some outputs are made by other operations; ");
  if (answer.allBitwiseEqual())
    os << "bitwise equal, " << all << '\n';
  else
    os << equal << " of " << all << " are bitwise equal\n";
}

void writeUlps(llvm::json::OStream &json, llvm::StringRef key, std::optional<double> ulps) {
  json.attribute(key, ulps ? llvm::json::Value(*ulps) : llvm::json::Value(nullptr));
}

void writeSums(llvm::json::OStream &json, llvm::StringRef key, llvm::ArrayRef<SumPlace> sums) {
  json.attributeArray(key, [&] {
    for (const SumPlace &sum : sums)
      json.object([&] {
        json.attribute("rank", sum.rank);
        json.attribute("node", llvm::json::fixUTF8(sum.node));
        json.attribute("source", llvm::json::fixUTF8(sum.source));
        json.attribute("what", llvm::json::fixUTF8(sum.what));
      });
  });
}

void writeOutput(llvm::json::OStream &json, const ComparedOutput &output) {
  json.object([&] {
    json.attribute("name", llvm::json::fixUTF8(output.name));
    json.attribute("rank", output.rank);
    json.attribute("dtype", output.dtype);
    json.attribute("bitwise_equal", output.isBitwiseEqual);
    json.attribute("same_function", output.isSameFunction);
    json.attribute("cause", output.cause);
    writeUlps(json, "difference_ulps", output.differenceUlps);
    json.attributeObject("error_ulps", [&] {
      writeUlps(json, "before", output.beforeUlps);
      writeUlps(json, "after", output.afterUlps);
    });
    writeSums(json, "before", output.before);
    writeSums(json, "after", output.after);
  });
}

void writeSumsText(llvm::raw_ostream &os, const SumAnswer &answer, const NumericsAnswer &of) {
  if (!answer.undecided.empty()) {
    os << (of.step ? "numerics: " : "") << "cannot be decided\nbecause: " << visibleText(answer.undecided) << '\n';
    return;
  }
  writeHead(os, answer, of.step.has_value());
  const std::vector<OutputOnRanks> list = differing(answer);
  for (const OutputOnRanks &entry : llvm::ArrayRef(list).take_front(mostOutputs))
    writeOutput(os, entry);
  if (list.size() > mostOutputs)
    os << "  and " << list.size() - mostOutputs << " more\n";
  os << "assumed: collectives add " << orderText(of.order) << '\n';
  for (const std::string &text : answer.assumed)
    os << "assumed: " << visibleText(text) << '\n';
}

void writeSumsJson(llvm::raw_ostream &os, const SumAnswer &answer, const NumericsAnswer &of) {
  llvm::json::OStream json(os, 1);
  const std::optional<bool> isSame = of.equal();
  json.object([&] {
    json.attribute("equal", isSame ? llvm::json::Value(*isSame) : llvm::json::Value(nullptr));
    json.attribute("bitwise_equal",
                   answer.undecided.empty() ? llvm::json::Value(answer.allBitwiseEqual()) : llvm::json::Value(nullptr));
    json.attribute("order", of.order == SumOrder::Ranks ? "ranks" : "any");
    json.attributeArray("outputs", [&] {
      for (const ComparedOutput &output : answer.outputs)
        writeOutput(json, output);
    });
    json.attributeArray("assumed", [&] {
      for (const std::string &text : answer.assumed)
        json.value(llvm::json::fixUTF8(text));
      if (!answer.undecided.empty())
        json.value(llvm::json::fixUTF8(answer.undecided));
    });
  });
  os << '\n';
}

} // namespace

void writeNumericsText(llvm::raw_ostream &os, const NumericsAnswer &answer) {
  if (answer.step)
    writeSameStepText(os, *answer.step);
  if (answer.sums)
    writeSumsText(os, *answer.sums, answer);
}

void writeNumericsJson(llvm::raw_ostream &os, const NumericsAnswer &answer) {
  if (answer.sums)
    return writeSumsJson(os, *answer.sums, answer);
  if (answer.step)
    writeSameStepJson(os, *answer.step);
}

} // namespace ccgraph::report
