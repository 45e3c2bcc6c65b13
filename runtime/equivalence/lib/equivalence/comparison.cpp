#include "ccgraph/runtime/comparison.h"

#include "ccgraph/runtime/tensor.h"
#include "equivalence/shared_memory.h"
#include "equivalence/tally.h"

#include "ccgraph/ir/value_names.h"

#include <map>
#include <set>

namespace ccgraph::runtime {
namespace {

// An equal output is evidence only if it could have been different: two graphs, of which one omits the addition of y,
// are equal wherever the result is NaN anyway. So each equal output is also tested for whether it could distinguish
// graphs. Four kinds cannot: an output that is empty, all NaN, all infinite or NaN, or one number throughout. The last
// kind counts only if the number is the same on all ranks: each rank has inputs of its own, so a number that differs by
// rank depends on them. Outputs that no input reaches are constant by design, and are not tested.

/// Sums the findings over all ranks.
class Comparer {
public:
  explicit Comparer(const ComparisonRules &rules) : rules_(rules) {}

  void differ(size_t rank, const std::string &name, std::string message) {
    total_.differences.push_back({rank, name, std::move(message)});
  }

  /// One output; null where a side has none. True if nothing differs.
  bool compareOutput(size_t rank, const std::string &name, const HostTensor *expected, const HostTensor *got) {
    ++total_.outputs;
    size_t before = total_.differences.size();
    if (!expected)
      differ(rank, name, "is there, expected none");
    else if (!got)
      differ(rank, name, "is missing, expected " + expected->typeText());
    else if (expected->dtype != got->dtype || expected->sizes != got->sizes)
      differ(rank, name, "is " + got->typeText() + ", expected " + expected->typeText());
    else
      compareValues(rank, name, *expected, *got);
    return total_.differences.size() == before;
  }

  Comparison finish() {
    for (const auto &[name, constants] : constants_)
      addConstants(name, constants);
    llvm::stable_sort(total_.unchecked, [](const Unchecked &a, const Unchecked &b) { return a.rank < b.rank; });
    return std::move(total_);
  }

private:
  /// An output of one rank that could distinguish graphs, unless it is the same number everywhere.
  struct Candidate {
    size_t rank = 0;
    /// of each element; empty where they differ
    std::string bytes;
    size_t elements = 0;
  };

  void compareValues(size_t rank, const std::string &name, const HostTensor &expected, const HostTensor &got) {
    auto rule = rules_.perOutput.find(name);
    const Tolerance &tolerance = rule == rules_.perOutput.end() ? rules_.otherwise : rule->second;
    Tally tally = compareElements(expected, got, tolerance);
    auto elements = static_cast<size_t>(expected.numElements());
    total_.elements += elements;
    total_.nans += tally.nans;
    total_.infinities += tally.infinities;
    total_.inexact += tally.inexact;
    if (tally.worst > total_.worst) {
      total_.worst = tally.worst;
      total_.worstRank = rank;
      total_.worstOutput = name;
    }
    if (tally.different)
      return differ(rank, name, differenceText(expected, got, tally, tolerance));
    if (elements == 0)
      total_.unchecked.push_back({rank, name, Inconclusive::Empty});
    else if (tally.nans + tally.infinities == elements)
      total_.unchecked.push_back({rank, name, tally.nans == elements ? Inconclusive::NaN : Inconclusive::Infinite});
    else
      constants_[name].push_back({rank, constantBytes(expected).str(), elements});
  }

  /// Ranks have different inputs, so an output whose number differs between ranks depends on the inputs.
  void addConstants(const std::string &name, llvm::ArrayRef<Candidate> candidates) {
    if (rules_.fixed.count(name))
      return;
    for (const Candidate &candidate : candidates)
      if (candidate.bytes.empty() || candidate.bytes != candidates.front().bytes)
        return;
    for (const Candidate &candidate : candidates) {
      total_.constants += candidate.elements;
      total_.unchecked.push_back({candidate.rank, name, Inconclusive::Constant});
    }
  }

  const ComparisonRules &rules_;
  Comparison total_;
  std::map<std::string, std::vector<Candidate>> constants_;
};

/// Returns the value of one side under a name; for an input that was not written, its original value.
const HostTensor *find(const TensorMap &side, const std::string &name, const TensorMap &inputs) {
  if (auto found = side.find(name); found != side.end())
    return &found->second;
  std::optional<llvm::StringRef> placeholder = placeholderOfAfter(name);
  if (!placeholder)
    return nullptr;
  auto input = inputs.find(inputName(*placeholder));
  return input == inputs.end() ? nullptr : &input->second;
}

/// Compares the values that the callers of one rank hold. Inputs and attributes are compared too, since a graph may
/// write them. If only one side wrote an input, the other side still has the original value, and that is compared:
/// writing equal values is no difference.
class RankComparison {
public:
  RankComparison(size_t rank, const ComparedObservations &runs, Comparer &comparer)
      : rank_(rank), expected_(runs.expected[rank]), got_(runs.got[rank]), inputs_(runs.inputs[rank]),
        comparer_(comparer) {}

  void run() {
    if (expected_.returned != got_.returned)
      comparer_.differ(rank_, "results", "are " + got_.returned + ", expected " + expected_.returned);
    pairByPosition(expected_.inputs, got_.inputs);
    pairByName(expected_.attributes, got_.attributes);
    const size_t firstOutput = places_.size();
    pairByPosition(expected_.outputs, got_.outputs);
    std::set<size_t> different;
    for (size_t i = firstOutput; i < places_.size(); ++i)
      if (!compareOutput(places_[i]))
        different.insert(i);
    for (size_t i = 0; i < firstOutput; ++i)
      if (!compareInput(places_[i]))
        different.insert(i);
    compareMemory(places_, [&](size_t place, std::string message) {
      if (different.insert(place).second)
        comparer_.differ(rank_, nameOf(places_[place]), std::move(message));
    });
  }

private:
  void pairByPosition(const std::vector<Held> &expected, const std::vector<Held> &got) {
    for (size_t i = 0; i < std::max(expected.size(), got.size()); ++i)
      places_.push_back({i < expected.size() ? &expected[i] : nullptr, i < got.size() ? &got[i] : nullptr});
  }

  void pairByName(const std::vector<Held> &expected, const std::vector<Held> &got) {
    std::map<std::string, Place> places;
    for (const Held &held : expected)
      places[held.name].expected = &held;
    for (const Held &held : got)
      places[held.name].got = &held;
    for (const auto &[name, place] : places)
      places_.push_back(place);
  }

  static const std::string &nameOf(const Place &place) {
    return place.expected ? place.expected->name : place.got->name;
  }

  static const HostTensor *valueOf(const Held *held) { return held && held->value ? &*held->value : nullptr; }

  bool compareOutput(const Place &place) {
    return comparer_.compareOutput(rank_, nameOf(place), valueOf(place.expected), valueOf(place.got)) &&
           compareLayout(place);
  }

  /// An input or attribute is an output too where either side wrote it.
  bool compareInput(const Place &place) {
    const HostTensor *expected = valueOf(place.expected), *got = valueOf(place.got);
    std::string name = nameOf(place);
    if (expected || got) {
      auto input = inputs_.find(name);
      const HostTensor *given = input == inputs_.end() ? nullptr : &input->second;
      std::string after = afterName(placeholderOfInput(name).value_or(name));
      if (!comparer_.compareOutput(rank_, after, expected ? expected : given, got ? got : given))
        return false;
    }
    return compareLayout(place);
  }

  bool compareLayout(const Place &place) {
    if (!place.expected || !place.got || sameLayout(*place.expected, *place.got))
      return true;
    if (place.expected->sizes != place.got->sizes || place.expected->dtype != place.got->dtype)
      comparer_.differ(rank_, nameOf(place),
                       "has sizes " + intListText(place.got->sizes) + " afterwards, expected " +
                           intListText(place.expected->sizes));
    else
      comparer_.differ(rank_, nameOf(place),
                       "has strides " + intListText(place.got->strides) + ", expected " +
                           intListText(place.expected->strides));
    return false;
  }

  size_t rank_;
  const RankObservation &expected_;
  const RankObservation &got_;
  const TensorMap &inputs_;
  Comparer &comparer_;
  /// inputs, attributes, outputs: a result that is an input is spoken of as such
  std::vector<Place> places_;
};

} // namespace

std::string inconclusiveText(Inconclusive reason) {
  switch (reason) {
  case Inconclusive::Empty:
    return "empty";
  case Inconclusive::NaN:
    return "all NaN";
  case Inconclusive::Infinite:
    return "all infinite or NaN";
  case Inconclusive::Constant:
    return "the same number everywhere";
  }
  llvm_unreachable("all reasons are handled");
}

bool Comparison::answered() const {
  return outputs > unchecked.size() && llvm::none_of(unchecked, [](const Unchecked &output) {
           return output.reason == Inconclusive::NaN || output.reason == Inconclusive::Infinite;
         });
}

Comparison compareObservations(const ComparedObservations &runs, const ComparisonRules &rules) {
  Comparer comparer(rules);
  for (size_t rank = 0; rank < runs.expected.size(); ++rank)
    RankComparison(rank, runs, comparer).run();
  return comparer.finish();
}

Comparison compareRuns(const ComparedRuns &runs, const ComparisonRules &rules) {
  Comparer comparer(rules);
  for (size_t rank = 0; rank < runs.expected.size(); ++rank) {
    const TensorMap &expected = runs.expected[rank], &got = runs.got[rank], &inputs = runs.inputs[rank];
    std::set<std::string> names;
    for (const TensorMap *side : {&expected, &got})
      for (const auto &[name, tensor] : *side)
        if (isResultName(name))
          names.insert(name);
    for (const std::string &name : names)
      comparer.compareOutput(rank, name, find(expected, name, inputs), find(got, name, inputs));
  }
  return comparer.finish();
}

} // namespace ccgraph::runtime
