#include "ccgraph/tracer/facts.h"

#include "tracer/groups.h"

#include "llvm/ADT/STLExtras.h"

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::distributed {
namespace {

using tracer::detail::Mode;
using tracer::detail::problem;

/// The group of a query, and the mode that records the answer.
struct Asked {
  Mode *mode;
  Group group;

  void note(GuardFact fact, GuardValue value) const { mode->noteFact({fact, group.name, std::move(value)}); }
};

llvm::Expected<Asked> ask(llvm::StringRef function, const GroupLike &group, llvm::StringRef tag = "") {
  Mode *mode = Mode::current();
  if (!mode)
    return makeError(tracer::detail::noModeProblem(function));
  llvm::Expected<const Group *> resolved = tracer::detail::resolveGroup(*mode, group, tag);
  if (!resolved)
    return resolved.takeError();
  return Asked{mode, **resolved};
}

llvm::Error differsByRank(llvm::StringRef function, const Group &group) {
  return makeError(problem("trace.rank", function,
                           "the answer for group " + group.name +
                               " differs by rank, and this trace is one text for "
                               "every rank",
                           "give the trace a rank (TraceOptions::rank)"));
}

/// Returns this rank's index among the members; -1 outside.
llvm::Expected<int64_t> placeIn(llvm::StringRef function, const Asked &asked) {
  if (!asked.mode->rank())
    return differsByRank(function, asked.group);
  llvm::ArrayRef<int64_t> members = asked.group.members(*asked.mode->rank());
  const auto *found = llvm::find(members, *asked.mode->rank());
  return found == members.end() ? -1 : found - members.begin();
}

} // namespace

llvm::Expected<int64_t> get_rank(const GroupLike &group) {
  llvm::Expected<Asked> asked = ask("get_rank", group);
  if (!asked)
    return asked.takeError();
  llvm::Expected<int64_t> place = placeIn("get_rank", *asked);
  if (place)
    asked->note(GuardFact::Rank, *place);
  return place;
}

llvm::Expected<int64_t> get_world_size(const GroupLike &group) {
  llvm::Expected<Asked> asked = ask("get_world_size", group);
  if (!asked)
    return asked.takeError();
  int64_t size = asked->group.size().value_or(0);
  asked->note(GuardFact::Size, size);
  return size;
}

llvm::Expected<std::vector<int64_t>> get_process_group_ranks(const GroupLike &group) {
  llvm::Expected<Asked> asked = ask("get_process_group_ranks", group);
  if (!asked)
    return asked.takeError();
  if (!asked->mode->rank() && !asked->group.partition.empty())
    return differsByRank("get_process_group_ranks", asked->group);
  llvm::ArrayRef<int64_t> members = asked->group.members(asked->mode->rank().value_or(0));
  asked->note(GuardFact::Ranks, members.vec());
  return members.vec();
}

llvm::Expected<std::string> group_name(const GroupLike &group) {
  llvm::Expected<Asked> asked = ask("group_name", group);
  if (!asked)
    return asked.takeError();
  asked->note(GuardFact::Name, asked->group.name);
  return asked->group.name;
}

llvm::Expected<int64_t> _get_group_size_by_name(llvm::StringRef group_name) { return get_world_size(group_name); }

llvm::Expected<std::string> _get_group_tag(const GroupLike &group) {
  llvm::Expected<Asked> asked = ask("_get_group_tag", group);
  if (!asked)
    return asked.takeError();
  asked->note(GuardFact::Tag, asked->group.tag);
  return asked->group.tag;
}

llvm::Expected<bool> _rank_not_in_group(const GroupLike &group) {
  llvm::Expected<Asked> asked = ask("_rank_not_in_group", group);
  if (!asked)
    return asked.takeError();
  llvm::Expected<int64_t> place = placeIn("_rank_not_in_group", *asked);
  if (!place)
    return place.takeError();
  asked->note(GuardFact::Member, *place >= 0);
  return *place < 0;
}

llvm::Expected<std::string> _resolve_group_name_by_ranks_and_tag(const std::vector<int64_t> &ranks,
                                                                 llvm::StringRef tag) {
  llvm::Expected<Asked> asked = ask("_resolve_group_name_by_ranks_and_tag", ranks, tag);
  if (!asked)
    return asked.takeError();
  asked->note(GuardFact::Ranks, ranks);
  return asked->group.name;
}

llvm::Expected<std::vector<int64_t>> get_coordinate(const DeviceMesh &mesh) {
  std::vector<int64_t> coordinate;
  for (int64_t dim = 0; dim != static_cast<int64_t>(mesh.layout()->shape.size()); ++dim) {
    llvm::Expected<int64_t> place = get_rank(std::pair(mesh, dim));
    if (!place)
      return place.takeError();
    coordinate.push_back(*place);
  }
  return coordinate;
}

} // namespace ccgraph::distributed
// NOLINTEND(readability-identifier-naming)
