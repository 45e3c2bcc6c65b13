#include "schedule/overlap/contraction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <numeric>

namespace ccgraph::overlap {

namespace {

std::vector<uint32_t> imagesOf(size_t size, llvm::ArrayRef<Replacement> replacements) {
  std::vector<uint32_t> images(size);
  std::iota(images.begin(), images.end(), 0);
  for (const Replacement &replacement : replacements)
    images[replacement.dropped] = replacement.by;
  return images;
}

class Contraction {
public:
  Contraction(const Problem &problem, const Replacements &replacements)
      : problem_(problem), stepImage_(imagesOf(problem.steps.size(), replacements.steps)),
        storageImage_(imagesOf(problem.storages.size(), replacements.storages)) {
    for (uint32_t step = 0; step < problem.steps.size(); ++step)
      if (stepImage_[step] == step)
        kept_.push_back(step);
  }
  Problem make();

private:
  [[nodiscard]] NumberLists listsOfKept(const NumberLists &lists, llvm::ArrayRef<uint32_t> images) const;
  void joinStorages(std::vector<Storage> &storages) const;

  const Problem &problem_;
  std::vector<uint32_t> stepImage_, storageImage_;
  /// by new number: the step
  std::vector<uint32_t> kept_;
};

/// Returns the lists of the steps that remain, with the image of each number; ascending, each once.
NumberLists Contraction::listsOfKept(const NumberLists &lists, llvm::ArrayRef<uint32_t> images) const {
  NumberLists result;
  llvm::SmallVector<uint32_t, 16> row;
  for (uint32_t step : kept_) {
    row.clear();
    for (uint32_t number : lists[step])
      row.push_back(images[number]);
    result.appendSet(row);
  }
  return result;
}

void Contraction::joinStorages(std::vector<Storage> &storages) const {
  for (uint32_t storage = 0; storage < storages.size(); ++storage)
    if (uint32_t image = storageImage_[storage]; image != storage) {
      storages[image].toEnd |= storages[storage].toEnd;
      storages[storage] = {};
    }
}

Problem Contraction::make() {
  std::vector<uint32_t> newNumber(problem_.steps.size());
  for (uint32_t number = 0; number < kept_.size(); ++number)
    newNumber[kept_[number]] = number;
  std::vector<uint32_t> numbers;
  for (uint32_t image : stepImage_)
    numbers.push_back(newNumber[image]);

  Problem result;
  for (uint32_t step : kept_)
    result.steps.push_back(problem_.steps[step]);
  result.before = listsOfKept(problem_.before, numbers);
  result.completes = listsOfKept(problem_.completes, numbers);
  result.holds = listsOfKept(problem_.holds, storageImage_);
  result.storages = problem_.storages;
  joinStorages(result.storages);
  result.streams = problem_.streams;
  result.crowding = problem_.crowding;
  result.estimatedTime = [kept = kept_, time = problem_.estimatedTime](uint32_t launch, int64_t bytes) {
    return time(kept[launch], bytes);
  };
  if (problem_.timePieces)
    result.timePieces = [kept = kept_, pieces = problem_.timePieces](uint32_t launch) { return pieces(kept[launch]); };
  return result;
}

} // namespace

Problem contract(const Problem &problem, const Replacements &replacements) {
  return Contraction(problem, replacements).make();
}

} // namespace ccgraph::overlap
