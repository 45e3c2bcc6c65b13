#include "rewrite/candidates.h"

#include "ccgraph/passes/reassociation.h"
#include "rewrite/bucket_rewrite.h"
#include "rewrite/supersede.h"

namespace ccgraph {

Candidates::Candidates(const Graph &graph, const ProgramFacts &facts, const CommGroups &groups,
                       const Dependences &dependences, const CandidateRules &rules)
    : graph_(graph), facts_(facts), groups_(groups), dependences_(dependences), rules_(rules),
      written_(facts.writtenStorages()), seen_(facts.placedStorages()) {}

std::variant<Candidate, Obstacle> Candidates::find(Node *launch) {
  Candidate candidate;
  if (Verdict verdict = obstacle(launch, candidate))
    return *verdict;
  candidate.key = keyOf(*launch);
  return candidate;
}

Candidates::Verdict Candidates::obstacle(Node *launch, Candidate &candidate) const {
  const CollectiveSpec &spec = *collectiveOf(*launch);
  candidate.launch = launch;
  if (Verdict verdict = inForm(*launch, spec))
    return verdict;
  if (Verdict verdict = inUses(launch, candidate))
    return verdict;
  if (rules_.bitwise && mayReassociate(*launch))
    return Obstacle::Bitwise;
  if (mayBeReshapedBefore(*launch->operand(0), *launch))
    return Obstacle::Reshaped;
  if (isRewrittenInAList(*launch, spec.kind))
    return Obstacle::Rewritten;
  if (Verdict verdict = inSize(*launch, candidate))
    return verdict;
  if (rules_.layout == BucketLayout::Flat)
    return toFlat(candidate, spec);
  bool taken = listFormTakes(spec.kind, collectiveCall(*launch)->reduceOp, launch->type()->dtype());
  return taken ? Verdict() : Obstacle::ListForm;
}

Candidates::Verdict Candidates::inForm(const Node &launch, const CollectiveSpec &spec) const {
  if (isPointToPoint(spec.kind) || formOf(spec.kind, CollectiveForm::Single).empty())
    return Obstacle::Kind;
  if (launch.target().str() != formOf(spec.kind, CollectiveForm::Single))
    return Obstacle::Form;
  if (!rules_.spmd)
    return Obstacle::NotSpmd;
  if (rules_.layout == BucketLayout::Grouped && formOf(spec.kind, CollectiveForm::List).empty())
    return Obstacle::NeedsFlat;
  return isPlainCall(launch) && launch.args().front().is(Argument::Kind::Operand) ? Verdict() : Obstacle::Arguments;
}

Candidates::Verdict Candidates::inUses(Node *launch, Candidate &candidate) const {
  for (const Use &use : launch->uses()) {
    if (use.isOrdering())
      continue;
    bool wait = use.user()->op() && use.user()->op()->role == OpRole::Wait && use.user()->args().size() == 1 &&
                use.user()->args().front().is(Argument::Kind::Operand);
    if (!wait)
      return Obstacle::Readers;
    if (candidate.wait)
      return Obstacle::SeveralWaits;
    candidate.wait = use.user();
  }
  if (!candidate.wait)
    return Obstacle::Readers;
  for (const Use &use : candidate.wait->uses())
    if (facts_.waits(use.user()))
      return Obstacle::SeveralWaits;
  return std::nullopt;
}

Candidates::Verdict Candidates::inSize(const Node &launch, Candidate &candidate) const {
  std::optional<int64_t> input = inputBytes(launch);
  std::optional<int64_t> output = outputBytes(launch);
  if (!input || !output || !launch.type()->numElements())
    return Obstacle::UnknownSize;
  if (const Type *type = candidate.wait->type(); type && type != launch.type())
    return Obstacle::WaitType;
  candidate.inputBytes = *input;
  candidate.outputBytes = *output;
  return std::nullopt;
}

/// Returns true if the list form would lose a later write into the result.
bool Candidates::isRewrittenInAList(const Node &launch, CollectiveKind kind) const {
  if (rules_.layout != BucketLayout::Grouped)
    return false;
  const OpDef &list = *graph_.context().ops().lookup(formOf(kind, CollectiveForm::List));
  return list.collective && list.collective->waitsRewriteAll &&
         llvm::any_of(facts_.storages().storages(&launch), [&](StorageId storage) { return written_[storage]; });
}

Candidates::Verdict Candidates::toFlat(Candidate &candidate, const CollectiveSpec &spec) const {
  const Node &launch = *candidate.launch;
  if (!launch.operand(0)->type()->isContiguous() || !launch.type()->isContiguous())
    return Obstacle::Strided;
  bool dynamic = spec.kind == CollectiveKind::AllToAll &&
                 (!splitSizes(launch, spec.inputSplits) || !splitSizes(launch, spec.outputSplits));
  return dynamic ? Obstacle::DynamicSplits : toPiece(candidate);
}

/// Elements of a gather or an all_to_all are not contiguous in the buffer, so they are copied anyway. Any other result
/// is a view of the buffer if no step can distinguish it, else a copy: memory is some ten times as fast as a network.
Candidates::Verdict Candidates::toPiece(Candidate &candidate) const {
  auto any = [&](const std::vector<bool> &set) {
    return llvm::any_of(facts_.storages().storages(candidate.launch), [&](StorageId storage) { return set[storage]; });
  };
  CollectiveKind kind = collectiveOf(*candidate.launch)->kind;
  candidate.copied = kind == CollectiveKind::AllGather || kind == CollectiveKind::AllToAll;
  bool written = any(written_);
  if (candidate.copied || (!written && !any(seen_)))
    return std::nullopt;
  candidate.copied = true;
  if (!rules_.maxCopied || candidate.outputBytes <= *rules_.maxCopied)
    return std::nullopt;
  return written ? Obstacle::Written : Obstacle::PlaceSeen;
}

namespace {

/// Returns the word, or the object: two objects may have different meanings.
std::string reductionOf(const Node &launch, const CollectiveCall &call) {
  const Argument *argument = argumentAt(launch, call.spec->reduceOp);
  if (!argument || !argument->is(Argument::Kind::Operand))
    return call.reduceOp;
  const Node &object = *launch.operand(*argument);
  return object.opcode() == Opcode::GetAttr ? "self." + object.target().str().str()
                                            : "node " + std::to_string(object.id());
}

} // namespace

uint32_t Candidates::keyOf(const Node &launch) {
  CollectiveCall call = *collectiveCall(launch);
  std::string text;
  llvm::raw_string_ostream os(text);
  const Type *type = launch.operand(0)->type();
  os << groups_.groupOf(&launch) << '\n'
     << groups_.section(&launch) << '\n'
     << collectiveName(call.spec->kind) << '\n'
     << reductionOf(launch, call) << '\n'
     << call.groupSize.value_or(0) << '\n';
  os << shortName(type->dtype()) << '\n'
     << type->device().kind.str() << type->device().index << '\n'
     << dependences_.stretch(&launch);
  if (call.root)
    os << '\n' << *call.root;
  return keys_.try_emplace(os.str(), static_cast<uint32_t>(keys_.size())).first->second;
}

} // namespace ccgraph
