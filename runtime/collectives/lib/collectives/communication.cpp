#include "collectives/communication.h"

#include "collectives/agreement.h"
#include "collectives/exchange.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {

size_t Communication::numMissing() const {
  return static_cast<size_t>(llvm::count_if(launches_, [](const auto &launch) { return !launch; }));
}

Members Communication::missing() const {
  Members ranks;
  for (size_t i = 0; i < members_.size(); ++i)
    if (!launches_[i])
      ranks.push_back(members_[i]);
  return ranks;
}

const Launch &Communication::anyLaunch() const {
  return **llvm::find_if(launches_, [](const auto &launch) { return launch.has_value(); });
}

bool Communication::isTransfer() const { return isPointToPoint(anyLaunch().kind); }

// A joining member is compared with one earlier member. That is enough, because the earlier one agreed with all before
// it, and launches hold everything that must agree.
llvm::Error Communication::join(size_t member, Launch launch) {
  bool first = numMissing() == launches_.size();
  launches_[member] = std::move(launch);
  if (first)
    return llvm::Error::success();
  const Launch &mine = *launches_[member];
  if (isTransfer())
    return checkAgreement(*launches_[0], *launches_[1], {members_});
  const Launch &other = *llvm::find_if(launches_, [&](const auto &l) { return l && &*l != &mine; })->operator->();
  return checkAgreement(other, mine, {members_, sequence_});
}

// The sent values are read here, as late as the rules allow, and not at the launch. A backend may do either, and a
// graph that relies on one of them is wrong.
llvm::Error Communication::settle() {
  if (settled_)
    return llvm::Error::success();
  std::vector<const Launch *> launches;
  for (const auto &launch : launches_)
    launches.push_back(&*launch);
  if (llvm::Error error = checkTogether(launches))
    return error;
  for (size_t row = 0; row < launches.front()->receive.size(); ++row)
    results_.push_back(exchangeRow(launches, row));
  settled_ = true;
  return llvm::Error::success();
}

// The first collective that each rank launches on a group is one communication, the second the next, and so on. So
// launches of ranks that issue in different orders are matched wrongly, as on a real machine:
//   rank 0   all_reduce a, all_gather b
//   rank 1   all_gather b, all_reduce a        disagree about collective 1: kind all_reduce against all_gather
llvm::Expected<Seat> Communications::joinCollective(const Members &group, Launch launch) {
  Group &state = groups_[group];
  size_t index = state.launched[launch.rank]++;
  if (index == state.communications.size())
    state.communications.push_back(std::make_shared<Communication>(group, index + 1));
  std::shared_ptr<Communication> communication = state.communications[index];
  auto member = static_cast<size_t>(llvm::find(group, launch.rank) - group.begin());
  if (llvm::Error error = communication->join(member, std::move(launch)))
    return error;
  return Seat{communication, member};
}

// Sends and receives of one sender, receiver and tag are paired in order, each with the oldest one that lacks its other
// end. Seat 0 is the sender's and seat 1 the receiver's, in either order of arrival.
llvm::Expected<Seat> Communications::joinTransfer(const Channel &channel, Launch launch) {
  size_t member = launch.kind == CollectiveKind::Send ? 0 : 1;
  auto &open = open_[channel];
  auto lacksMe = [&](const auto &communication) { return !communication->launch(member); };
  auto found = llvm::find_if(open, lacksMe);
  std::shared_ptr<Communication> communication;
  if (found == open.end()) {
    communication = std::make_shared<Communication>(Members{channel.from, channel.to}, 0);
    open.push_back(communication);
  } else {
    communication = *found;
    open.erase(found);
  }
  if (llvm::Error error = communication->join(member, std::move(launch)))
    return error;
  return Seat{communication, member};
}

size_t Communications::numLaunched(const Members &group, int64_t rank) const {
  auto state = groups_.find(group);
  if (state == groups_.end())
    return 0;
  auto launched = state->second.launched.find(rank);
  return launched == state->second.launched.end() ? 0 : launched->second;
}

} // namespace ccgraph::runtime
