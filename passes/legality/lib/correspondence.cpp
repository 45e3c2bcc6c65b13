#include "correspondence.h"

#include "rules.h"

#include "llvm/Support/ErrorHandling.h"

namespace ccgraph::legality {

namespace {

/// Returns true for copy_(buffer, value).
bool isCopy(const Step &step) {
  return step.op && step.op->target.str() == "aten.copy_.default" && step.numOperands == 2;
}

} // namespace

std::string claimText(Claim claim) {
  std::string number = " entry " + std::to_string(claim.entry);
  switch (claim.part) {
  case Part::Untouched:
    return "";
  case Part::Merged:
    return "merged" + number;
  case Part::Removed:
    return "removed" + number;
  case Part::Added:
    return "added" + number;
  case Part::Rule:
    return "rule" + number;
  }
  llvm_unreachable("all parts are named");
}

// For  c1 = f(a); c2 = f(b); w1 = wait(c1); w2 = wait(c2)  ->  B = f([a, b]); ...; v1 = wait(B[0]); v2 = wait(B[1])
//   image       w1 -> v1, w2 -> v2; c1 and c2 have none: no step may read them any more
//   performer   c1 -> B, c2 -> B; w1 -> v1, w2 -> v2: the steps that communicate and wait instead
// Every node that is on both sides corresponds to itself. Every other node must be claimed by exactly one entry.
Correspondence::Correspondence(const Rewrite &rewrite, Findings &findings)
    : rewrite_(rewrite), untouched_(rewrite.before.size(), none), images_(rewrite.before.size(), none),
      performers_(rewrite.before.size(), none), origin_(rewrite.after.size(), none) {
  match(findings);
  const Certificate &certificate = rewrite_.certificate;
  for (uint32_t i = 0; i < certificate.merged.size(); ++i)
    claimMerged(i, findings);
  for (uint32_t i = 0; i < certificate.rules.size(); ++i)
    claimRule(i, findings);
  for (uint32_t i = 0; i < certificate.added.size(); ++i)
    claim(certificate.added[i].node, false, {Part::Added, i}, findings);
  claimRemoved(findings);
  requireClaims(findings);
  if (!findings.any())
    followTwins(findings);
}

void Correspondence::match(Findings &) {
  for (uint32_t i = 0; i < rewrite_.before.size(); ++i) {
    uint32_t now = rewrite_.after.indexOf(rewrite_.before[i].node);
    untouched_[i] = images_[i] = performers_[i] = now;
    if (now != none)
      origin_[now] = i;
  }
}

/// Claims a node for an entry: it must be on the entry's side only, and in no other entry.
void Correspondence::claim(const Node *node, bool before, Claim claim, Findings &findings) {
  const Node &place = node ? *node : *rewrite_.graph.front();
  std::string entry = claimText(claim);
  if (!node)
    return findings.add(place, "entry", "an entry names no node where it must name one", entry);
  if (node->graph() != &rewrite_.graph)
    return findings.add(place, "entry", "an entry names " + quoted(node) + " of another graph", entry);
  uint32_t was = rewrite_.before.indexOf(node);
  uint32_t now = rewrite_.after.indexOf(node);
  bool fits = before ? was != none && now == none : was == none && now != none;
  if (!fits)
    return findings.add(
        place, "entry",
        llvm::Twine("listed as ") + (before ? "gone, but it is " : "new, but it is ") +
            (was == none ? (now == none ? "in neither graph" : "new") : (now == none ? "gone" : "in both graphs")),
        entry);
  Claim &slot = before ? claimsBefore_[was] : claimsAfter_[now];
  if (slot.part != Part::Untouched)
    return findings.add(place, "entry", "is in two entries, of which " + claimText(slot) + " is one", entry);
  slot = claim;
}

void Correspondence::bind(const Node *was, const Node *image, const Node *performer) {
  uint32_t index = was ? rewrite_.before.indexOf(was) : none;
  if (index == none)
    return;
  images_[index] = image ? rewrite_.after.indexOf(image) : none;
  performers_[index] = performer ? rewrite_.after.indexOf(performer) : none;
  if (images_[index] != none && origin_[images_[index]] == none)
    origin_[images_[index]] = index;
}

void Correspondence::claimMerged(uint32_t index, Findings &findings) {
  const MergedEntry &entry = rewrite_.certificate.merged[index];
  Claim mine{Part::Merged, index};
  claim(entry.launch, false, mine, findings);
  for (const Node *wait : entry.waits)
    claim(wait, false, mine, findings);
  for (const Node *node : entry.scaffold)
    claim(node, false, mine, findings);
  for (size_t i = 0; i < entry.members.size(); ++i) {
    const BucketMember &member = entry.members[i];
    // A list has a wait for each member, a flat buffer one for all.
    const Node *wait = entry.waits.empty() ? nullptr : entry.waits[entry.waits.size() == entry.members.size() ? i : 0];
    claim(member.launch, true, mine, findings);
    bind(member.launch, nullptr, entry.launch);
    for (const Node *old : member.waits) {
      claim(old, true, mine, findings);
      bind(old, member.replacement, wait);
    }
  }
}

void Correspondence::claimRule(uint32_t index, Findings &findings) {
  const RuleEntry &entry = rewrite_.certificate.rules[index];
  if (const RuleTemplate *rule = templateOf(entry.name); rule && rule->replacement == Replacement::CallBesideCall)
    return claimRepeated(index, findings);
  else if (rule && rule->replacement == Replacement::CopyBesideValue)
    return claimCopied(index, findings);
  for (const Node *node : entry.matched)
    claim(node, true, {Part::Rule, index}, findings);
  for (const Node *node : entry.built)
    if (!isExistingValue(entry, node))
      claim(node, false, {Part::Rule, index}, findings);
  if (entry.matched.empty() || entry.built.empty())
    return;
  const RuleTemplate *rule = templateOf(entry.name);
  if (rule && rule->replacement == Replacement::ValueForWait)
    bindChain(entry);
  else if (rule && replacesValues(*rule))
    bindRegion(entry, numValues(rewrite_.before, entry, rule->replacement));
  else if (rule && rule->replacement == Replacement::ElementForElement)
    bindElements(entry);
  else if (rule && rule->replacement == Replacement::CallAndWait)
    bindFinished(entry);
  else if (rule && rule->replacement == Replacement::ValueForCopy)
    bind(entry.matched.front(), entry.built.front(), nullptr);
  else if (rule && rule->replacement == Replacement::CallForCopy)
    bindFilled(entry);
  else
    bind(entry.matched.front(), entry.built.front(), entry.built.front());
}

/// Returns true for a node of both programs.
bool Correspondence::isKept(const Node *node) const {
  return node && node->graph() == &rewrite_.graph && rewrite_.before.contains(node) && rewrite_.after.contains(node);
}

/// Claims the built nodes only, because the value stays. The first one is its copy.
void Correspondence::claimCopied(uint32_t index, Findings &findings) {
  constexpr size_t calls = 4;
  const RuleEntry &entry = rewrite_.certificate.rules[index];
  const Claim mine{Part::Rule, index};
  if (entry.matched.size() != 1 || entry.built.size() != calls || !isKept(entry.matched.front()))
    return findings.add(*rewrite_.graph.front(), "entry",
                        "copies " + llvm::Twine(entry.matched.size()) + " values by " +
                            llvm::Twine(entry.built.size()) +
                            " calls, expected one value of both graphs and four calls",
                        claimText(mine));
  for (const Node *built : entry.built)
    claim(built, false, mine, findings);
  if (const Node *copy = entry.built.front(); copy && copy->graph() == &rewrite_.graph && rewrite_.after.contains(copy))
    repeated_[rewrite_.after.indexOf(copy)] = rewrite_.before.indexOf(entry.matched.front());
}

/// Claims the built nodes only: the matched nodes stay, and several entries may repeat one of them.
void Correspondence::claimRepeated(uint32_t index, Findings &findings) {
  const RuleEntry &entry = rewrite_.certificate.rules[index];
  const Claim mine{Part::Rule, index};
  if (entry.matched.size() != entry.built.size())
    return findings.add(*rewrite_.graph.front(), "entry",
                        "repeats " + llvm::Twine(entry.matched.size()) + " calls by " +
                            llvm::Twine(entry.built.size()) + ", expected as many",
                        claimText(mine));
  for (size_t i = 0; i < entry.built.size(); ++i) {
    const Node *stays = entry.matched[i];
    if (!isKept(stays)) {
      findings.add(*rewrite_.graph.front(), "entry", "repeats " + quoted(stays) + ", expected a node of both graphs",
                   claimText(mine));
      continue;
    }
    claim(entry.built[i], false, mine, findings);
    if (const Node *built = entry.built[i];
        built && built->graph() == &rewrite_.graph && rewrite_.after.contains(built))
      repeated_[rewrite_.after.indexOf(built)] = rewrite_.before.indexOf(stays);
  }
}

void Correspondence::bindElements(const RuleEntry &entry) {
  bind(entry.matched.front(), nullptr, entry.built.front());
  for (const Node *getItem : llvm::ArrayRef(entry.matched).drop_front()) {
    uint32_t was = getItem ? rewrite_.before.indexOf(getItem) : none;
    uint32_t element = was == none ? none : rewrite_.before[was].element;
    const Node *stands = element < entry.built.size() ? entry.built[element] : nullptr;
    bind(getItem, stands, stands);
  }
}

/// Returns the built copy of a value into a buffer; null if there is none.
const Node *Correspondence::copyOf(const RuleEntry &entry, const Node *value) const {
  uint32_t source = value ? rewrite_.after.indexOf(value) : none;
  auto copies = [&](const Node *node) {
    uint32_t now = node ? rewrite_.after.indexOf(node) : none;
    return now != none && source != none && isCopy(rewrite_.after[now]) &&
           rewrite_.after.operands(rewrite_.after[now])[1] == source;
  };
  auto found = llvm::find_if(entry.built, copies);
  return found == entry.built.end() ? nullptr : *found;
}

void Correspondence::bindFinished(const RuleEntry &entry) {
  bind(entry.matched.front(), nullptr, entry.built.front());
  uint32_t call = entry.matched.front() ? rewrite_.before.indexOf(entry.matched.front()) : none;
  auto standIn = [&](uint32_t element) {
    auto own = llvm::find_if(entry.built, [&](const Node *node) {
      uint32_t now = node ? rewrite_.after.indexOf(node) : none;
      return now != none && rewrite_.after[now].isGetItem() && rewrite_.after[now].element == element;
    });
    const Node *value = own != entry.built.end() ? *own : entry.built.size() > 1 ? entry.built[1] : nullptr;
    const Node *copy = copyOf(entry, value);
    return copy ? copy : value;
  };
  for (const Node *getItem : llvm::ArrayRef(entry.matched).drop_front()) {
    uint32_t was = getItem ? rewrite_.before.indexOf(getItem) : none;
    uint32_t element = call == none || was == none ? none : finishedElement(rewrite_.before, call, was);
    const Node *stands = element == none ? nullptr : standIn(element);
    bind(getItem, stands, stands);
  }
}

/// Binds the launch, and the copies after it: their readers read what was copied, if that stays.
void Correspondence::bindFilled(const RuleEntry &entry) {
  bind(entry.matched.front(), entry.built.front(), entry.built.front());
  for (const Node *copy : llvm::ArrayRef(entry.matched).drop_front()) {
    const uint32_t was = copy ? rewrite_.before.indexOf(copy) : none;
    const uint32_t source =
        was != none && isCopy(rewrite_.before[was]) ? rewrite_.before.operands(rewrite_.before[was])[1] : none;
    const Node *copied = source == none ? nullptr : rewrite_.before[source].node;
    bind(copy, isKept(copied) ? copied : nullptr, entry.built.front());
  }
}

/// Returns the built launches in program order.
llvm::SmallVector<uint32_t, 2> Correspondence::launchesOf(const RuleEntry &entry) const {
  llvm::SmallVector<uint32_t, 2> launches;
  for (const Node *node : entry.built)
    if (uint32_t now = node ? rewrite_.after.indexOf(node) : none; now != none && rewrite_.after[now].collective())
      launches.push_back(now);
  llvm::sort(launches);
  return launches;
}

/// Returns true for the only built node of a rule that may name a value of both programs.
bool Correspondence::isExistingValue(const RuleEntry &entry, const Node *node) const {
  const RuleTemplate *rule = templateOf(entry.name);
  return rule && (rule->replacement == Replacement::ValueForValue || rule->replacement == Replacement::ValueForCopy) &&
         entry.built.size() == 1 && isKept(node);
}

/// Makes the built launches perform the first matched launch, and binds the values; all other matched nodes have no
/// performer and no image.
void Correspondence::bindRegion(const RuleEntry &entry, size_t values) {
  bool existing = isExistingValue(entry, entry.built.front());
  llvm::SmallVector<uint32_t, 2> launches = launchesOf(entry);
  if (existing)
    launches.clear();
  bool performed = false;
  for (const Node *node : entry.matched) {
    uint32_t index = node ? rewrite_.before.indexOf(node) : none;
    bool first = index != none && rewrite_.before[index].collective() && !performed;
    performed |= first;
    bind(node, nullptr, first && !launches.empty() ? rewrite_.after[launches.back()].node : nullptr);
    if (first)
      chains_[index] = launches;
  }
  for (size_t i = 0; i < values; ++i)
    bind(entry.matched[i], entry.built[i], existing ? nullptr : entry.built[i]);
}

/// Makes the last launch of the chain the performer of the matched launch.
void Correspondence::bindChain(const RuleEntry &entry) {
  llvm::SmallVector<uint32_t, 2> launches = launchesOf(entry);
  uint32_t matched = entry.matched.front() ? rewrite_.before.indexOf(entry.matched.front()) : none;
  const CollectiveSpec *spec = matched == none ? nullptr : rewrite_.before[matched].collective();
  bind(entry.matched.front(), spec && spec->synchronous ? entry.built.front() : nullptr,
       launches.empty() ? nullptr : rewrite_.after[launches.back()].node);
  if (matched != none)
    chains_[matched] = std::move(launches);
  for (const Node *wait : llvm::ArrayRef(entry.matched).drop_front())
    bind(wait, entry.built.front(), entry.built.front());
}

void Correspondence::claimRemoved(Findings &findings) {
  const auto &removed = rewrite_.certificate.removed;
  for (uint32_t i = 0; i < removed.size(); ++i)
    claim(removed[i].node, true, {Part::Removed, i}, findings);
}

void Correspondence::requireClaims(Findings &findings) {
  for (uint32_t i = 0; i < rewrite_.before.size(); ++i)
    if (untouched_[i] == none && claimBefore(i).part == Part::Untouched)
      findings.add(*rewrite_.before[i].node, "unlisted", "is removed, and is in no entry of the certificate");
  for (uint32_t i = 0; i < rewrite_.after.size(); ++i)
    if (rewrite_.before.indexOf(rewrite_.after[i].node) == none && claimAfter(i).part == Part::Untouched)
      findings.add(*rewrite_.after[i].node, "unlisted", "is new, and is in no entry of the certificate");
}

/// Gives removed nodes the image of the node that replaces them. A twin may be removed in favour of another removed
/// node: if b replaces c and a replaces b, the image of c is that of a. The number of removed nodes limits the length
/// of a path, which ends a cycle.
void Correspondence::followTwins(Findings &findings) {
  const auto &removed = rewrite_.certificate.removed;
  auto imageOf = [&](const Node *node) {
    for (size_t hops = 0; node && hops <= removed.size(); ++hops) {
      uint32_t was = rewrite_.before.indexOf(node);
      if (was == none)
        return rewrite_.after.indexOf(node);
      Claim claim = claimBefore(was);
      if (claim.part != Part::Removed)
        return images_[was];
      node = removed[claim.entry].twin;
    }
    return none;
  };
  for (uint32_t i = 0; i < removed.size(); ++i) {
    if (removed[i].reason == RemovedReason::Dead)
      continue;
    uint32_t image = imageOf(removed[i].twin);
    if (image == none)
      findings.add(*removed[i].node, "entry",
                   "removed in favour of " + quoted(removed[i].twin) + ", which is not there either",
                   claimText({Part::Removed, i}));
    images_[rewrite_.before.indexOf(removed[i].node)] = image;
  }
}

} // namespace ccgraph::legality
