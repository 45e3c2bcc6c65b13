// Tests the legality checker on real graphs: it must refuse a thousand illegal edits of legal results, and accept a
// thousand legal edits.
#include "legality/illegal_edits.h"
#include "legality/legal_edits.h"
#include "support/rewrites.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace ccgraph::test {
namespace {

constexpr size_t numTrials = 1000;

const Corpus &large() {
  static const Corpus graphs("large", 3500);
  return graphs;
}

const Corpus &small() {
  static const Corpus graphs("small", 3500);
  return graphs;
}

/// Most graphs are training steps; the small programs have what these lack: buffers written in place, sends, other
/// kinds of collectives.
const SourceGraph &anyGraph(Random &random) { return random.of((random.below(4) ? large() : small()).graphs()); }

std::string verdict(const LegalResult &result) {
  return llvm::join(refusals(*result.before, *result.graph, result.certificate), " ");
}

/// Returns a legal result, chosen by the seed: usually from a pass, else from a legal edit.
LegalResult legalResult(Random &random) {
  const SourceGraph &source = anyGraph(random);
  size_t choice = random.below(10);
  if (choice < 5)
    return afterPass(source, anyPass(random, *source.graph));
  LegalResult result = untouched(source);
  if (choice < 7 && swapNeighbours(result, random, 1 + random.below(400)))
    result.made += ": neighbours swapped";
  else if (choice < 9 && mergeNeighbours(result, random))
    result.made += ": neighbours merged";
  else if (dropDead(result, random))
    result.made += ": a dead node dropped";
  return result;
}

/// Makes the trial's result and edit; returns null if the edit found no place in several results.
std::unique_ptr<LegalResult> illegalResult(const IllegalEdit &edit, uint64_t seed, bool coverUp) {
  for (uint64_t attempt = 0; attempt < 200; ++attempt) {
    Random random(seed * 1000 + attempt);
    const SourceGraph &source = anyGraph(random);
    auto result = std::make_unique<LegalResult>(
        random.below(8) == 0 ? untouched(source) : afterPass(source, anyPass(random, *source.graph)));
    Trial trial{*result, random, coverUp};
    if (edit.apply(trial))
      return result;
  }
  return nullptr;
}

struct Tally {
  size_t tried = 0;
  size_t refused = 0;
  std::map<std::string, size_t> rules; ///< how often each set of rules refused an edit
};

void print(llvm::StringRef name, const Tally &tally) {
  std::printf("  %-26s %4zu/%zu  ", name.str().c_str(), tally.refused, tally.tried);
  for (const auto &[rules, count] : tally.rules)
    std::printf(" %s: %zu,", rules.c_str(), count);
  std::printf("\n");
}

Tally tryEdits(bool coverUp) {
  Tally total;
  auto edits = illegalEdits();
  std::map<std::string, Tally> byName;
  for (uint64_t seed = 0; total.tried < numTrials && seed < 4 * numTrials; ++seed) {
    const IllegalEdit &edit = edits[seed % edits.size()];
    if (coverUp && edit.swap)
      continue;
    auto result = illegalResult(edit, seed, coverUp);
    if (!result)
      continue;
    std::string rules = verdict(*result);
    bool good = !rules.empty();
    for (Tally *tally : {&total, &byName[edit.name.str()]}) {
      ++tally->tried;
      tally->refused += good ? 1 : 0;
      ++tally->rules[rules];
    }
    EXPECT_TRUE(good) << edit.name.str() << " with seed " << seed << " of " << result->made
                      << (coverUp ? ", covered up" : "");
  }
  for (const auto &[name, tally] : byName)
    print(name, tally);
  return total;
}

TEST(LegalityMutation, RefusesIllegalEditsAndNoLegalOnes) {
  ASSERT_GE(large().graphs().size(), 10U);
  std::printf("graphs: %zu large, %zu small\ncertificate untouched:\n", large().graphs().size(),
              small().graphs().size());
  Tally plain = tryEdits(false);
  std::printf("certificate edited:\n");
  Tally covered = tryEdits(true);
  size_t legalRefused = 0;
  for (uint64_t seed = 0; seed < numTrials; ++seed) {
    Random random(seed);
    LegalResult result = legalResult(random);
    bool wrong = !verdict(result).empty();
    legalRefused += wrong ? 1 : 0;
    EXPECT_FALSE(wrong) << "seed " << seed << " of " << result.made << "\n"
                        << llvm::toString(checkLegality(*result.before, *result.graph, result.certificate,
                                                        {.reordersCollectives = true}));
  }
  std::printf(
      "illegal edits refused: %zu/%zu (certificate untouched), %zu/%zu (certificate edited); legal refused: %zu/%zu\n",
      plain.refused, plain.tried, covered.refused, covered.tried, legalRefused, numTrials);
  EXPECT_EQ(plain.tried, numTrials);
  EXPECT_EQ(covered.tried, numTrials);
}

} // namespace
} // namespace ccgraph::test
