#include "input_match.h"

#include "cut_candidates.h"

#include "ccgraph/ir/signature.h"
#include "ccgraph/ir/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace ccgraph {
namespace {

/// Returns whether a tracer made the name up.
bool isMadeUp(llvm::StringRef name) {
  for (llvm::StringRef prefix : {"arg", "primals_", "tangents_", "input_"})
    if (llvm::StringRef rest = name; rest.consume_front(prefix))
      return !rest.empty() && llvm::all_of(rest, [](char c) { return llvm::isDigit(c) || c == '_'; });
  return false;
}

std::string typedName(const Node &node) { return node.name().str().str() + " (" + typeText(node.type()) + ")"; }

class InputMatcher {
public:
  InputMatcher(const Graph &single, llvm::ArrayRef<equality::RankStep> ranks, llvm::ArrayRef<NamedAxis> mesh)
      : mesh_(mesh), ones_(placeholdersOf(single)), partners_(placeholdersOf(*ranks.front().graph).size()),
        isTaken_(ones_.size(), false) {
    for (const equality::RankStep &rank : ranks)
      ofRanks_.push_back(placeholdersOf(*rank.graph));
  }

  InputMatches run() {
    for (const std::vector<const Node *> &inputs : ofRanks_)
      if (inputs.size() != ones_.size()) {
        matches_.unmatched.push_back("a rank has " + counted(inputs.size(), "input") + ", the single step has " +
                                     std::to_string(ones_.size()));
        return std::move(matches_);
      }
    matchNames();
    matchSizes();
    matchPositions();
    for (size_t position = 0; position != partners_.size(); ++position)
      if (partners_[position])
        add(position, *partners_[position]);
    return std::move(matches_);
  }

private:
  [[nodiscard]] const Node &part(size_t position) const { return *ofRanks_.front()[position]; }
  void pair(size_t position, size_t single) {
    partners_[position] = single;
    isTaken_[single] = true;
  }

  void matchNames() {
    llvm::StringMap<size_t> byName;
    for (size_t i = 0; i != ones_.size(); ++i)
      if (!isMadeUp(ones_[i]->name().str()))
        byName[ones_[i]->name().str()] = i;
    for (size_t position = 0; position != partners_.size(); ++position)
      if (auto known = byName.find(part(position).name().str()); known != byName.end())
        pair(position, known->second);
  }

  /// Returns the cuts; inputs of equal types share them.
  const std::vector<TensorPlacement> &cuts(size_t position, size_t single) {
    auto [place, isNew] = cuts_.try_emplace(typesOf(position) + " of " + typeText(ones_[single]->type()));
    if (isNew) {
      std::vector<const Node *> parts;
      for (const std::vector<const Node *> &inputs : ofRanks_)
        parts.push_back(inputs[position]);
      place->second = cutsOf(ones_[single], parts, mesh_);
    }
    return place->second;
  }
  /// The types on the ranks; one type where all ranks have it.
  const std::string &typesOf(size_t position) {
    types_.resize(partners_.size());
    std::string &types = types_[position];
    if (types.empty()) {
      std::string last;
      for (const std::vector<const Node *> &inputs : ofRanks_)
        if (std::string type = typeText(inputs[position]->type()); type != last) {
          types += " " + type;
          last = type;
        }
    }
    return types;
  }
  /// The inputs of one device that fit and have no counterpart yet.
  [[nodiscard]] std::vector<size_t> fitting(size_t position) {
    std::vector<size_t> fits;
    for (size_t i = 0; i != ones_.size(); ++i)
      if (!isTaken_[i] && !cuts(position, i).empty())
        fits.push_back(i);
    return fits;
  }

  /// Matches inputs of which one alone fits, and which fits no other one.
  void matchSizes() {
    std::vector<std::vector<size_t>> fits(partners_.size());
    std::vector<size_t> uses(ones_.size(), 0);
    for (size_t position = 0; position != partners_.size(); ++position)
      if (!partners_[position]) {
        fits[position] = fitting(position);
        for (size_t single : fits[position])
          ++uses[single];
      }
    for (size_t position = 0; position != partners_.size(); ++position)
      if (fits[position].size() == 1 && uses[fits[position].front()] == 1)
        pair(position, fits[position].front());
  }

  /// Matches the others in their order, as a guess.
  void matchPositions() {
    std::vector<size_t> left;
    for (size_t i = 0; i != ones_.size(); ++i)
      if (!isTaken_[i])
        left.push_back(i);
    size_t next = 0;
    std::map<std::string, std::vector<std::string>> byCandidates;
    for (size_t position = 0; position != partners_.size(); ++position) {
      if (partners_[position])
        continue;
      const size_t single = left[next++];
      if (std::string candidates = candidateNames(left, position); candidates.empty())
        matches_.unmatched.push_back("input " + typedName(part(position)) +
                                     " of a rank is no cut of an input of the single step that has no counterpart");
      else if (cuts(position, single).empty())
        matches_.unmatched.push_back("input " + typedName(part(position)) + " of a rank may be " + candidates +
                                     " of the single step, and at its position is " + typedName(*ones_[single]));
      else
        byCandidates[candidates].push_back(part(position).name().str().str());
      partners_[position] = single;
    }
    for (const auto &[candidates, names] : byCandidates)
      matches_.guesses.push_back((names.size() == 1 ? "input " : "inputs ") + listed(names, ", ") +
                                 " of a rank may be " + candidates + " of the single step, and " +
                                 (names.size() == 1 ? "was" : "were") + " matched by position");
  }
  /// Lists a few names.
  static std::string listed(std::vector<std::string> names, llvm::StringRef separator) {
    constexpr size_t most = 6;
    const size_t more = names.size() > most ? names.size() - most : 0;
    names.resize(names.size() - more);
    return llvm::join(names, separator) + (more ? " and " + std::to_string(more) + " more" : "");
  }
  [[nodiscard]] std::string candidateNames(llvm::ArrayRef<size_t> left, size_t position) {
    std::vector<std::string> names;
    for (size_t single : left)
      if (!cuts(position, single).empty())
        names.push_back(ones_[single]->name().str().str());
    return listed(std::move(names), " or ");
  }

  void add(size_t position, size_t single) {
    std::vector<TensorPlacement> candidates = cuts(position, single);
    const Node &one = *ones_[single];
    if (candidates.empty()) {
      if (part(position).name().str() == one.name().str())
        matches_.unmatched.push_back("input " + typedName(part(position)) + " of a rank is no cut of " +
                                     typedName(one) + " of the single step");
      return;
    }
    for (TensorPlacement &candidate : candidates) {
      candidate.position = position;
      candidate.single = single;
      candidate.of = one.name().str().str();
    }
    matches_.inputs.push_back({position, single, one.name().str().str(), one.type()->dtype(), std::move(candidates)});
  }

  llvm::ArrayRef<NamedAxis> mesh_;
  std::vector<const Node *> ones_;
  /// by rank and position
  std::vector<std::vector<const Node *>> ofRanks_;
  /// by position
  std::vector<std::optional<size_t>> partners_;
  std::vector<bool> isTaken_;
  /// by position
  std::vector<std::string> types_;
  /// by the types on the ranks and in the single step
  std::map<std::string, std::vector<TensorPlacement>> cuts_;
  InputMatches matches_;
};

} // namespace

std::vector<TensorPlacement> cutsOf(const Node *single, llvm::ArrayRef<const Node *> ofRanks,
                                    llvm::ArrayRef<NamedAxis> mesh) {
  std::optional<IntList> whole = knownSizes(single);
  std::vector<IntList> parts;
  for (const Node *part : ofRanks) {
    std::optional<IntList> sizes = knownSizes(part);
    if (!whole || !sizes || classOf(part->type()->dtype()) != classOf(single->type()->dtype()))
      return {};
    parts.push_back(std::move(*sizes));
  }
  return cutCandidates(mesh, *whole, parts);
}

InputMatches matchInputs(const Graph &single, llvm::ArrayRef<equality::RankStep> ranks,
                         llvm::ArrayRef<NamedAxis> mesh) {
  return InputMatcher(single, ranks, mesh).run();
}

} // namespace ccgraph
