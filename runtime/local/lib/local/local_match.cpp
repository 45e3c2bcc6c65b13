#include "local/local_match.h"

#include "ccgraph/ir/int_list.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace ccgraph::runtime {

using llvm::Twine;

void LocalMatch::reset() {
  std::fill(launches_.begin(), launches_.end(), nullptr);
  arrived_ = 0;
  done_ = 0;
}

llvm::Expected<bool> LocalMatch::arrive(size_t member, const Launch &launch) {
  std::lock_guard<std::mutex> lock(mutex_);
  return arriveLocked(member, launch);
}

llvm::Expected<bool> LocalMatch::arriveLocked(size_t member, const Launch &launch) {
  launches_[member] = &launch;
  if (llvm::Error error = check(member))
    return error;
  bool last = arrived_.load(std::memory_order_relaxed) + 1 == launches_.size();
  if (last)
    if (llvm::Error error = checkTogether(launches_))
      return error;
  arrived_.fetch_add(1, std::memory_order_release);
  return last;
}

llvm::Error LocalMatch::check(size_t member) const {
  // The error must not depend on the order of arrival, so the lower rank is named first.
  for (size_t other = 0; other < launches_.size(); ++other)
    if (other != member && launches_[other])
      return checkAgreement(*launches_[std::min(member, other)], *launches_[std::max(member, other)],
                            {members_, sequence_});
  return llvm::Error::success();
}

std::string LocalMatch::waitText() {
  std::lock_guard<std::mutex> lock(mutex_);
  return waitTextLocked(**llvm::find_if(launches_, [](const Launch *launch) { return launch != nullptr; }));
}

std::string LocalMatch::waitTextLocked(const Launch &own) const {
  std::vector<int64_t> missing;
  for (size_t i = 0; i < launches_.size(); ++i)
    if (!launches_[i])
      missing.push_back(members_[i]);
  if (missing.empty())
    return describe(own) + ", which its members are moving";
  if (sequence_ == 0)
    return (describe(own) + ", tag " + Twine(own.tag) + ", whose other end, rank " + Twine(missing.front()) +
            ", has not " + (own.kind == CollectiveKind::Send ? "received" : "sent"))
        .str();
  return (describe(own) + " (collective " + Twine(sequence_) + " on ranks " + intListText(members_) +
          "), which ranks " + intListText(missing) + " have not launched")
      .str();
}

} // namespace ccgraph::runtime
