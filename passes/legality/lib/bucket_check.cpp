#include "bucket_check.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

BucketCheck::BucketCheck(const Evidence &evidence, uint32_t entry, Findings &findings)
    : evidence_(evidence), entry_(evidence.rewrite.certificate.merged[entry]), number_(entry), findings_(findings),
      evaluation_(evidence, {Part::Merged, entry}, "merged-scaffold", findings),
      launch_(evidence.after.indexOf(entry_.launch)) {}

// First the members are read: they must be like the launch, independent, and listed with their own waits. Their inputs
// are the sources; the launch, the waits and the packing nodes are evaluated from these. In the end each member's
// replacement must hold the whole result of that member, in its order and of its type, after a wait. The way in which
// the pass packed and unpacked the buffer is never compared with a pattern.
void BucketCheck::check() {
  if (!evidence_.options.spmd)
    return report(*entry_.launch, "mpmd", "is a bucket, and none may be made where other ranks run other programs");
  if (!checkLaunch() || !readMembers())
    return;
  for (const Node *wait : entry_.waits)
    if (!evidence_.after[evidence_.after.indexOf(wait)].waits)
      report(*wait, "merged-wait", "is listed as a wait, and is none");
  evaluate();
  for (size_t i = 0; i < entry_.members.size(); ++i) {
    checkReplacement(entry_.members[i], shipment_.members[i].source);
    checkShare(i);
  }
}

bool BucketCheck::ours(uint32_t before) const {
  Claim claim = evidence_.correspondence.claimBefore(before);
  return claim.part == Part::Merged && claim.entry == number_;
}

// --- Members -------------------------------------------------------------------------------------------------------

// PyTorch's functions on lists accept fewer dtypes than those on one tensor. A bucket of an unsupported dtype would
// fail although the graph before ran.
bool BucketCheck::takesItsTensors() const {
  return llvm::all_of(call_.inputs, [&](uint32_t input) {
    const Type *type = input == none ? nullptr : evidence_.after[input].type;
    return !type || !type->isTensor() || listFormTakes(call_.spec->kind, call_.reduceOp, type->dtype());
  });
}

bool BucketCheck::checkLaunch() {
  const Step &step = evidence_.after[launch_];
  const CollectiveSpec *spec = step.collective();
  if (!spec || spec->inPlace || spec->synchronous || spec->output >= 0) {
    report(*step.node, "merged-launch",
           "is no collective that yields a new value, expected one as the bucket's launch");
    return false;
  }
  call_ = readCall(evidence_.after, launch_);
  if (spec->coalesced && !takesItsTensors()) {
    report(*step.node, "merged-launch",
           "takes a list of tensors of a dtype that PyTorch refuses in this form, expected the form on one tensor");
    return false;
  }
  if (evidence_.options.bitwise && addsInSomeOrder(evidence_.after, call_)) {
    report(*step.node, "bitwise",
           "adds floating-point numbers of several ranks, in an order that the bucket's size decides, expected each "
           "such reduction alone");
    return false;
  }
  if (spec->coalesced == (entry_.layout == BucketLayout::Grouped))
    return true;
  report(*step.node, "merged-launch",
         "takes " + llvm::Twine(spec->coalesced ? "a list" : "one tensor") + ", which is not the layout " +
             layoutName(entry_.layout));
  return false;
}

bool BucketCheck::readMembers() {
  bool good = !entry_.members.empty();
  for (const BucketMember &member : entry_.members) {
    Call call;
    uint32_t launch = evidence_.before.indexOf(member.launch);
    if (!evidence_.before[launch].collective()) {
      report(*member.launch, "merged-member", "is no collective, expected one as a member");
      return false;
    }
    call = readCall(evidence_.before, launch);
    good = checkMember(member, call) && checkWaits(member, launch) && checkIndependent(member, launch) &&
           addSource(member, std::move(call)) && good;
    checkOrderingEdges(member, launch);
  }
  return good;
}

bool BucketCheck::checkMember(const BucketMember &member, const Call &call) {
  if (!isPlainExchange(call)) {
    report(*member.launch, "merged-member",
           "is not a collective from one tensor to a new one, expected no other as a member");
    return false;
  }
  const Storages &storages = evidence_.storagesBefore;
  if (call_.spec->waitsRewriteAll &&
      llvm::any_of(storages.of(call.step), [&](uint32_t storage) { return storages.isWritten(storage); })) {
    report(*member.launch, "merged-member",
           "has a result that is written, expected none in a list of which each wait may copy all results again");
    return false;
  }
  if (!alike(call, call_) || !saysNothingElse(evidence_.before[call.step])) {
    report(*member.launch, "merged-unlike",
           "differs from " + quoted(entry_.launch) + " in kind, group, reduction or another argument");
    return false;
  }
  return true;
}

bool BucketCheck::checkWaits(const BucketMember &member, uint32_t launch) {
  auto isWaitOnIt = [&](const Node *node) {
    const Step &step = evidence_.before[evidence_.before.indexOf(node)];
    return step.waits && llvm::is_contained(evidence_.before.operands(step), launch);
  };
  if (!member.waits.empty() && llvm::all_of(member.waits, isWaitOnIt))
    return true;
  report(*member.launch, "merged-member", "is listed with something that is no wait on it, expected its waits");
  return false;
}

/// Members of one bucket may not depend on each other, since all are launched together. Only a direct edge is checked
/// here: a longer path shows as a definition after its use, a lost order of accesses, or a lost ordering edge.
bool BucketCheck::checkIndependent(const BucketMember &member, uint32_t launch) {
  const Step &step = evidence_.before[launch];
  auto edges = {evidence_.before.operands(step), evidence_.before.ordering(step)};
  for (llvm::ArrayRef<uint32_t> kind : edges)
    for (uint32_t edge : kind)
      if (edge != none && ours(edge)) {
        report(*member.launch, "merged-dependent",
               "needs " + quoted(evidence_.before[edge].node) + " of the same bucket, expected independent members");
        return false;
      }
  return true;
}

/// Checks that the bucket follows every node that a member had to follow.
void BucketCheck::checkOrderingEdges(const BucketMember &member, uint32_t launch) {
  const Correspondence &correspondence = evidence_.correspondence;
  // If there is a wait for each member, only the member's own wait counts here.
  size_t index = &member - entry_.members.data();
  llvm::ArrayRef<Node *> waits = entry_.waits;
  waits = waits.size() == entry_.members.size() ? waits.slice(index, 1) : waits;
  auto follows = [&](const Node *node, uint32_t edge) {
    auto kept = evidence_.after.ordering(evidence_.after[evidence_.after.indexOf(node)]);
    return llvm::any_of(kept, [&](uint32_t now) {
      return now != none && (now == correspondence.image(edge) || now == correspondence.performer(edge));
    });
  };
  auto demand = [&](uint32_t step, llvm::ArrayRef<const Node *> heirs) {
    for (uint32_t edge : evidence_.before.ordering(evidence_.before[step]))
      if (llvm::none_of(heirs, [&](const Node *heir) { return heir && follows(heir, edge); }))
        report(*evidence_.before[step].node, "ordering-edge",
               "had to follow " + quoted(evidence_.before[edge].node) + ", which its bucket does not");
  };
  demand(launch, {entry_.launch});
  llvm::SmallVector<const Node *, 4> heirs(waits.begin(), waits.end());
  heirs.push_back(member.replacement);
  for (const Node *wait : member.waits)
    demand(evidence_.before.indexOf(wait), heirs);
}

// Two members may send one value, c1 = f(a) and c2 = f(a): then there is one source, and both results are the same
// elements.
bool BucketCheck::addSource(const BucketMember &member, Call call) {
  uint32_t input = call.inputs[0];
  uint32_t image = input == none ? none : evidence_.correspondence.image(input);
  const Type *type = input == none ? nullptr : evidence_.before[input].type;
  if (image == none || !type || !type->isTensor()) {
    report(*member.launch, "merged-member", "sends a value that is gone or no tensor of known type");
    return false;
  }
  const Type *first = shipment_.sources.empty() ? type : evidence_.after[shipment_.sources[0].value].type;
  if (first->dtype() != type->dtype() || !(first->device() == type->device())) {
    report(*member.launch, "merged-unlike",
           "sends " + typeText(type) + ", expected the dtype and device of " + typeText(first));
    return false;
  }
  Source source{image, IntList()};
  bool reshaped = evidence_.storagesBefore.isReshapedBefore(input, evidence_.before.indexOf(member.launch)) ||
                  evidence_.storagesAfter.isReshapedBefore(image, launch_);
  if (reshaped || llvm::any_of(type->sizes(), [](const Dim &size) { return !size.isStatic(); }))
    source.sizes.reset();
  else
    for (const Dim &size : type->sizes())
      source.sizes->push_back(size.value());
  auto [known, isNew] = sourceOf_.try_emplace(image, static_cast<uint32_t>(shipment_.sources.size()));
  shipment_.members.push_back({known->second, std::move(call)});
  if (isNew)
    shipment_.sources.push_back(std::move(source));
  return true;
}

void BucketCheck::evaluate() {
  for (uint32_t i = 0; i < shipment_.sources.size(); ++i) {
    const Source &source = shipment_.sources[i];
    evaluation_.begin(source.value, source.sizes ? whole(i, false, *source.sizes) : wholeUnsized(i, false));
  }
  llvm::SmallVector<uint32_t, 32> steps{launch_};
  for (const Node *wait : entry_.waits)
    steps.push_back(evidence_.after.indexOf(wait));
  for (const Node *node : entry_.scaffold)
    steps.push_back(evidence_.after.indexOf(node));
  evaluation_.run(steps, launch_,
                  [&](const Call &, llvm::ArrayRef<const Contents *> operands) { return evaluateLaunch(operands); });
}

// At this point every element that the bucket sends is known: a[0, 4) b[0, 6) for a flat bucket. exchange() returns
// what every rank receives for that, or why it is no exchange of the members' own.
std::optional<Contents> BucketCheck::evaluateLaunch(llvm::ArrayRef<const Contents *> operands) {
  Contents sent{{}, call_.spec->coalesced};
  for (const Contents *operand : operands) {
    if (operand->isList) {
      report(*entry_.launch, "merged-launch", "sends a list as one of its tensors");
      return std::nullopt;
    }
    sent.elements.push_back(operand->elements[0]);
  }
  Contents received{{}, call_.spec->coalesced};
  for (const Layout &layout : sent.elements) {
    auto outcome = exchange(call_, shipment_, layout);
    if (auto *why = std::get_if<std::string>(&outcome)) {
      report(*entry_.launch, "merged-value", *why);
      return std::nullopt;
    }
    received.elements.push_back(std::move(std::get<Layout>(outcome)));
  }
  sent_ = std::move(sent);
  return received;
}

// --- Results --------------------------------------------------------------------------------------------------------

void BucketCheck::checkReplacement(const BucketMember &member, uint32_t source) {
  uint32_t index = member.replacement ? evidence_.after.indexOf(member.replacement) : none;
  Claim claim = index == none ? Claim() : evidence_.correspondence.claimAfter(index);
  if (claim.part != Part::Merged || claim.entry != number_)
    return report(*member.launch, "merged-value",
                  quoted(member.replacement) + " replaces its result, expected a node of the bucket");
  const Contents *value = evaluation_.valueOf(index);
  if (!value)
    return; // the node without value has its own finding
  if (!evaluation_.isComplete(index))
    return report(*member.replacement, "merged-wait",
                  "replaces the result of " + quoted(member.launch) + " before any wait on it");
  const Shipment::Member &sender = shipment_.members[&member - entry_.members.data()];
  const auto &sizes = shipment_.sources[source].sizes;
  auto expectedSizes = sizes ? resultSizes(sender.call, *sizes) : std::optional<IntList>(IntList());
  if (!expectedSizes || value->isList)
    return report(*member.replacement, "merged-value",
                  "replaces the result of " + quoted(member.launch) +
                      ", which is no tensor that divides among the ranks");
  Layout expected = sizes ? whole(source, true, *expectedSizes) : wholeUnsized(source, true);
  if (!sameElements(value->elements[0], expected))
    report(*member.replacement, "merged-value",
           "does not hold, element for element, the result of " + quoted(member.launch));
  const Type *type = evidence_.before[evidence_.before.indexOf(member.waits.front())].type;
  if (type && type != member.replacement->type())
    report(*member.replacement, "merged-value",
           "is " + typeText(member.replacement->type()) + ", expected " + typeText(type) + " as " +
               quoted(member.waits.front()) + " was");
}

/// Checks each member's share in the certificate. In a flat all_reduce of a = f32[4] and b = f32[6], a is at 0 with
/// length 4 and b at 4 with length 6. In a flat reduce_scatter over 2 ranks, the share of the first rank counts: a is
/// at 0 with length 2, b at 2 with length 3. In a list, a member's place is its number.
void BucketCheck::checkShare(uint32_t index) {
  const BucketMember &member = entry_.members[index];
  const Shipment::Member &sender = shipment_.members[index];
  auto differs = [&](int64_t offset, int64_t length) {
    report(*member.launch, "merged-layout",
           "is listed at " + llvm::Twine(member.offset) + " with length " + llvm::Twine(member.length) + ", expected " +
               llvm::Twine(offset) + " with length " + llvm::Twine(length));
  };
  if (entry_.layout == BucketLayout::Grouped) {
    if (member.offset != index || member.length != 1)
      differs(index, 1);
    return;
  }
  if (!sent_ || sent_->isList || call_.spec->kind == CollectiveKind::AllToAll)
    return; // a share of an all_to_all is not contiguous
  int64_t ranks = call_.spec->kind == CollectiveKind::ReduceScatter ? call_.groupSize.value_or(1) : 1;
  int64_t length = product(*shipment_.sources[sender.source].sizes) / ranks;
  Runs share;
  take(*sent_->elements[0].runs, member.offset, member.length, share);
  Runs expected;
  append(expected, {0, 0, length, sender.source, false});
  if (share == expected && member.length == length)
    return;
  auto at = llvm::find_if(*sent_->elements[0].runs, [&](const Run &run) { return run.source == sender.source; });
  differs(at == sent_->elements[0].runs->end() ? -1 : at->offset, length);
}

void checkMerged(const Evidence &evidence, Findings &findings) {
  for (uint32_t i = 0; i < evidence.rewrite.certificate.merged.size(); ++i)
    BucketCheck(evidence, i, findings).check();
}

} // namespace ccgraph::legality
