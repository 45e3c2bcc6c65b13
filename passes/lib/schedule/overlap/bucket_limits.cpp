#include "schedule/overlap/bucket_limits.h"

#include "llvm/ADT/DenseMap.h"

#include <bit>

namespace ccgraph::overlap {

namespace {

constexpr size_t bitsOfWord = 64;
/// 16 MiB.
constexpr size_t mostWords = size_t{1} << 21;

bool mayMerge(const Step &step) { return step.kind == StepKind::Launch && step.mergeKey != none && step.bytes > 0; }

/// For each step, the launches that it needs through a step that is no launch.
class Needs {
public:
  Needs(const Problem &problem, const std::vector<uint32_t> &launches)
      : problem_(problem), words_((launches.size() + bitsOfWord - 1) / bitsOfWord),
        bits_(words_ * problem.steps.size()), numberOf_(problem.steps.size(), none) {
    for (uint32_t number = 0; number < launches.size(); ++number)
      numberOf_[launches[number]] = number;
    for (uint32_t step = 0; step < problem.steps.size(); ++step)
      for (uint32_t before : problem.before[step])
        take(step, before);
  }

  /// Calls `visit` with the number of each.
  template <class Visit>
  void forEach(uint32_t step, Visit visit) const {
    for (size_t word = 0; word < words_; ++word)
      for (uint64_t rest = bits_[step * words_ + word]; rest != 0; rest &= rest - 1)
        visit(static_cast<uint32_t>(word * bitsOfWord) + static_cast<uint32_t>(std::countr_zero(rest)));
  }

private:
  void take(uint32_t step, uint32_t before) {
    for (size_t word = 0; word < words_; ++word)
      bits_[step * words_ + word] |= bits_[before * words_ + word];
    // A launch that must directly precede another may be adjacent to it, in one bucket.
    bool between = problem_.steps[step].kind != StepKind::Launch;
    if (uint32_t number = numberOf_[before]; number != none && between)
      bits_[step * words_ + number / bitsOfWord] |= uint64_t{1} << (number % bitsOfWord);
  }

  const Problem &problem_;
  size_t words_;
  std::vector<uint64_t> bits_;
  std::vector<uint32_t> numberOf_;
};

} // namespace

std::vector<int64_t> largestBuckets(const Problem &problem) {
  std::vector<uint32_t> launches;
  llvm::DenseMap<uint32_t, int64_t> bytesOf;
  for (uint32_t step = 0; step < problem.steps.size(); ++step)
    if (const Step &it = problem.steps[step]; mayMerge(it)) {
      launches.push_back(step);
      bytesOf[it.mergeKey] += it.bytes;
    }
  std::vector<int64_t> largest(problem.steps.size());
  for (uint32_t launch : launches)
    largest[launch] = bytesOf[problem.steps[launch].mergeKey];
  if ((launches.size() / bitsOfWord + 1) * problem.steps.size() > mostWords)
    return largest;
  Needs needs(problem, launches);
  for (uint32_t launch : launches)
    needs.forEach(launch, [&](uint32_t number) {
      uint32_t needed = launches[number];
      if (problem.steps[needed].mergeKey != problem.steps[launch].mergeKey)
        return;
      largest[launch] -= problem.steps[needed].bytes;
      largest[needed] -= problem.steps[launch].bytes;
    });
  return largest;
}

} // namespace ccgraph::overlap
