#include "argument_pool.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <memory>

namespace ccgraph {
namespace {

constexpr uint64_t factor = 0xFF51AFD7ED558CCD; // odd, from the finalizer of MurmurHash3

bool sameWords(const NamedArgument &a, const NamedArgument &b) {
  return a.name == b.name && sameWords(a.value, b.value);
}

} // namespace

unsigned ArgumentPool::Info::getHashValue(const Arguments &given) {
  uint64_t hash = given.positional.size();
  for (const Argument &argument : given.positional)
    hash = (hash ^ (hash >> 29) ^ argument.hashOfWords()) * factor;
  for (const auto &[name, value] : given.keyword)
    hash = (hash ^ (hash >> 29) ^ value.hashOfWords() ^ reinterpret_cast<uintptr_t>(name.key())) * factor;
  return static_cast<unsigned>(hash >> 32);
}

bool ArgumentPool::Info::isEqual(const Arguments &given, const Arguments *stored) {
  auto same = [](const auto &a, const auto &b) { return sameWords(a, b); };
  return stored != getEmptyKey() && stored != getTombstoneKey() &&
         std::equal(given.positional.begin(), given.positional.end(), stored->positional.begin(),
                    stored->positional.end(), same) &&
         std::equal(given.keyword.begin(), given.keyword.end(), stored->keyword.begin(), stored->keyword.end(), same);
}

template <typename T>
llvm::ArrayRef<T> ArgumentPool::copy(llvm::ArrayRef<T> values) {
  T *memory = arena_.Allocate<T>(values.size());
  std::uninitialized_copy(values.begin(), values.end(), memory);
  return {memory, values.size()};
}

const Arguments *ArgumentPool::get(const Arguments &given) {
  auto found = stored_.find_as(given);
  if (found != stored_.end())
    return *found;
  auto *stored = new (arena_.Allocate<Arguments>()) Arguments{copy(given.positional), copy(given.keyword)};
  stored_.insert_as(stored, given);
  return stored;
}

} // namespace ccgraph
