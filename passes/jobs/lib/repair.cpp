#include "repair.h"

#include "program_draft.h"
#include "progress.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::jobs {
namespace {

/// Returns the collectives of a rank on a set, in order.
std::vector<Id> sequenceOn(const JobData &job, Id rank, llvm::ArrayRef<int64_t> group) {
  const Rank &from = job.ranks[rank];
  const Program &program = job.programOf(from);
  std::vector<Id> sequence;
  for (Id i = 0; i < program.launches.size(); ++i) {
    const Launch &launch = program.launches[i];
    if (!launch.isTransfer && llvm::ArrayRef(job.sets[job.orders[from.orders[launch.group]].set]) == group)
      sequence.push_back(i);
  }
  return sequence;
}

} // namespace

std::optional<Id> Repairs::launchNamed(Id rank, llvm::StringRef name) const {
  const Program &program = job_.programOf(job_.ranks[rank]);
  ProgramText text = job_.textOf(job_.ranks[rank]);
  for (Id i = 0; i < program.launches.size(); ++i)
    if (text.launches[program.launches[i].text].name == name)
      return i;
  return std::nullopt;
}

std::string Repairs::nameOf(Id rank, Id launch) const {
  return job_.nameOf(job_.ranks[rank], job_.programOf(job_.ranks[rank]).launches[launch]);
}

/// Matches and simulates the edited job.
bool Repairs::succeeds(const Finding &finding, std::vector<Edit> edits) {
  if (trialsLeft_ == 0)
    return false;
  --trialsLeft_;
  JobData edited = job_;
  for (const Edit &edit : edits) {
    edited.ranks[edit.rank].program = static_cast<Id>(edited.programs.size());
    edited.programs.push_back(&edit.program);
    if (!edit.orders.empty())
      edited.ranks[edit.rank].orders = edit.orders;
  }
  Classes classes = divideRanks(edited);
  size_t left = matchRanks(edited, classes).findings.size();
  if (finding.rule != Rule::Deadlock && finding.rule != Rule::Resident)
    return left < findings_;
  return left <= findings_ && !simulate(edited, classes, rules_).deadlock;
}

void Repairs::repair(Finding &finding) {
  switch (finding.rule) {
  case Rule::Kind:
  case Rule::Reduction:
  case Rule::DType:
  case Rule::Count:
  case Rule::Root:
    return takeValue(finding);
  case Rule::Missing:
    return alignNumbers(finding);
  case Rule::P2PPartner:
    return removeTransfer(finding);
  case Rule::NeverWaited:
    return addWait(finding);
  case Rule::Members:
    return takeOrder(finding);
  case Rule::Outside:
    return removeLaunch(finding);
  case Rule::P2PSize:
    return receiveWhatIsSent(finding);
  case Rule::Splits:
  case Rule::Deadlock:
  case Rule::Resident:
    return;
  }
}

/// The culprits launch what the others launch; of two members, the second launches what the first does.
void Repairs::takeValue(Finding &finding) {
  constexpr size_t mostCulprits = 4;
  llvm::ArrayRef<FindingNode> culprits = finding.nodes;
  const FindingNode *model = finding.others ? &*finding.others : nullptr;
  if (!model && culprits.size() == 2) {
    model = &culprits.front();
    culprits = culprits.drop_front();
  }
  if (!model || culprits.empty() || culprits.size() > mostCulprits)
    return;
  std::optional<Id> from = launchNamed(rankOf(model->rank), model->node);
  if (!from)
    return;
  std::vector<Edit> edits;
  std::string names;
  for (const FindingNode &culprit : culprits) {
    Id rank = rankOf(culprit.rank);
    Program program = job_.programOf(job_.ranks[rank]);
    std::optional<Id> launch = launchNamed(rank, culprit.node);
    if (!launch)
      return;
    program.launches[*launch].call = job_.programOf(job_.ranks[rankOf(model->rank)]).launches[*from].call;
    edits.push_back({rank, std::move(program)});
    names += (names.empty() ? "" : " and ") + culprit.node + " of rank " + std::to_string(culprit.rank);
  }
  if (succeeds(finding, std::move(edits)))
    finding.repair = model->text + " in " + names;
}

void Repairs::alignNumbers(Finding &finding) {
  constexpr size_t mostCulprits = 2;
  if (finding.culprits.size() > mostCulprits)
    return;
  for (size_t i = finding.culprits.size(); i-- > 0;) {
    int64_t other = !finding.othersRanks.empty() ? finding.othersRanks.front() : finding.culprits[1 - i];
    if (align(finding, rankOf(finding.culprits[i]), rankOf(other)))
      return;
  }
}

/// One launch of the rank more or less, at the place of the finding.
bool Repairs::align(Finding &finding, Id rank, Id other) {
  std::vector<Id> own = sequenceOn(job_, rank, finding.group), others = sequenceOn(job_, other, finding.group);
  size_t place = *finding.sequence - 1;
  ProgramDraft draft(job_.programOf(job_.ranks[rank]));
  std::string at = "on rank " + std::to_string(job_.ranks[rank].rank) + ", ", text;
  if (own.size() == others.size() + 1) {
    text = at + "remove " + nameOf(rank, own[place]);
    draft.erase(own[place]);
  } else if (own.size() + 1 == others.size() && !own.empty()) {
    ProgramDraft::DraftLaunch launch = draft.launches[own.front()];
    launch.launch.call = job_.programOf(job_.ranks[other]).launches[others[place]].call;
    launch.inputs.clear();
    size_t position = place < own.size() ? draft.positionOf(own[place]) : draft.items.size();
    text = at + "launch what " + nameOf(other, others[place]) + " of rank " + std::to_string(job_.ranks[other].rank) +
           " launches" + (place < own.size() ? " before " + nameOf(rank, own[place]) : " at the end");
    draft.insert(position, std::move(launch));
  } else {
    return false;
  }
  std::optional<Program> program = draft.make();
  if (!program || !succeeds(finding, {{rank, std::move(*program)}}))
    return false;
  finding.repair = text;
  return true;
}

void Repairs::removeTransfer(Finding &finding) {
  Id rank = rankOf(finding.nodes.front().rank);
  std::optional<Id> launch = launchNamed(rank, finding.nodes.front().node);
  if (!launch || job_.programOf(job_.ranks[rank]).launches[*launch].moves.count != 1)
    return;
  ProgramDraft draft(job_.programOf(job_.ranks[rank]));
  draft.erase(*launch);
  std::optional<Program> program = draft.make();
  if (program && succeeds(finding, {{rank, std::move(*program)}}))
    finding.repair = "on rank " + std::to_string(finding.nodes.front().rank) + ", remove " +
                     finding.nodes.front().node + ", or add its other end";
}

void Repairs::addWait(Finding &finding) {
  Id rank = rankOf(finding.culprits.front());
  std::optional<Id> launch = launchNamed(rank, finding.nodes.front().node);
  ProgramDraft draft(job_.programOf(job_.ranks[rank]));
  if (!launch)
    return;
  draft.waitFor(*launch);
  std::optional<Program> program = draft.make();
  if (program && succeeds(finding, {{rank, std::move(*program)}}))
    finding.repair = "on rank " + std::to_string(finding.culprits.front()) + ", wait for " + finding.nodes.front().node;
}

/// Returns the order in which the rank's table has the group.
std::optional<Id> Repairs::orderOf(Id rank, llvm::ArrayRef<int64_t> group) const {
  for (Id order : job_.ranks[rank].orders)
    if (order != none && llvm::ArrayRef(job_.sets[job_.orders[order].set]) == group)
      return order;
  return std::nullopt;
}

/// The culprits order the group as the lowest other member does; of two members, the second as the first.
void Repairs::takeOrder(Finding &finding) {
  constexpr size_t mostCulprits = 2;
  std::vector<int64_t> culprits = finding.culprits;
  auto isOther = [&](int64_t rank) { return job_.rankIds.count(rank) != 0 && !llvm::is_contained(culprits, rank); };
  auto model = llvm::find_if(finding.group, isOther);
  if (model == finding.group.end() && culprits.size() == mostCulprits) {
    culprits.erase(culprits.begin());
    model = llvm::find_if(finding.group, isOther);
  }
  if (model == finding.group.end() || culprits.size() > mostCulprits)
    return;
  std::optional<Id> right = orderOf(rankOf(*model), finding.group);
  std::vector<Edit> edits;
  for (int64_t culprit : culprits) {
    Id rank = rankOf(culprit);
    std::optional<Id> wrong = orderOf(rank, finding.group);
    if (!right || !wrong)
      return;
    Edit edit{rank, job_.programOf(job_.ranks[rank]), job_.ranks[rank].orders};
    std::replace(edit.orders.begin(), edit.orders.end(), *wrong, *right);
    edits.push_back(std::move(edit));
  }
  if (succeeds(finding, std::move(edits)))
    finding.repair = "in the group table of " + spansText(culprits) + ", order the ranks as rank " +
                     std::to_string(*model) + " does";
}

void Repairs::removeLaunch(Finding &finding) {
  const FindingNode &node = finding.nodes.front();
  Id rank = rankOf(node.rank);
  std::optional<Id> launch = launchNamed(rank, node.node);
  if (!launch)
    return;
  ProgramDraft draft(job_.programOf(job_.ranks[rank]));
  draft.erase(*launch);
  std::optional<Program> program = draft.make();
  if (program && succeeds(finding, {{rank, std::move(*program)}}))
    finding.repair = "on rank " + std::to_string(node.rank) + ", remove " + node.node + ", which does nothing";
}

/// The first node of the finding sends, and the second receives.
void Repairs::receiveWhatIsSent(Finding &finding) {
  const FindingNode &sender = finding.nodes.front(), &receiver = finding.nodes.back();
  Id from = rankOf(sender.rank), to = rankOf(receiver.rank);
  std::optional<Id> sent = launchNamed(from, sender.node), received = launchNamed(to, receiver.node);
  if (!sent || !received)
    return;
  const Program &sends = job_.programOf(job_.ranks[from]);
  Program program = job_.programOf(job_.ranks[to]);
  const Slice &moves = program.launches[*received].moves;
  // In a batch, the name of the launch does not state which of its transfers is meant.
  if (moves.count != 1 || sends.launches[*sent].moves.count != 1)
    return;
  Id call = sends.movesOf(sends.launches[*sent]).front().call;
  program.moves[moves.begin].call = call;
  if (succeeds(finding, {{to, std::move(program)}}))
    finding.repair =
        "on rank " + std::to_string(receiver.rank) + ", receive " + callText(job_.calls[call]) + " in " + receiver.node;
}

void Repairs::repair(Finding &finding, const Rules &rules, llvm::ArrayRef<WitnessStep> witness) {
  rules_ = rules;
  for (const WitnessStep &step : witness)
    if (step.awaited != none && reorder(finding, step))
      return;
}

/// Tries that the rank launches first what the others wait for.
bool Repairs::reorder(Finding &finding, const WitnessStep &step) {
  Id rank = step.front.rank, first = step.front.launch, second = step.awaited;
  const Program &program = job_.programOf(job_.ranks[rank]);
  std::string at = "on rank " + std::to_string(job_.ranks[rank].rank) + ", ";
  std::string a = nameOf(rank, first), b = nameOf(rank, second);
  auto attempt = [&](const ProgramDraft &draft, const std::string &text) {
    std::optional<Program> edited = draft.make();
    if (!edited || !succeeds(finding, {{rank, std::move(*edited)}}))
      return false;
    finding.repair = at + text;
    return true;
  };
  if (program.launches[first].isTransfer && program.launches[second].isTransfer) {
    ProgramDraft draft(program);
    draft.batch(first, second);
    if (attempt(draft, "make one batch of " + a + " and " + b))
      return true;
  }
  ProgramDraft exchanged(program);
  exchanged.exchange(first, second);
  if (attempt(exchanged, "launch " + b + " before " + a))
    return true;
  ProgramDraft moved(program);
  size_t wait = moved.waitOf(first);
  if (wait >= moved.positionOf(second))
    return false;
  moved.moveTo(second, wait);
  return attempt(moved, "launch " + b + " before the wait for " + a);
}

} // namespace ccgraph::jobs
