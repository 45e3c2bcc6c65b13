#include "in_flight.h"
#include "rules.h"

#include "ccgraph/ir/writing_forms.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

// s = all_reduce(x, "sum", "tp") may become s = all_reduce_(x, "sum", "tp") if no step can tell that x has another
// value from then on. The program before is read with the effects of the built calls (adoptRuleEffects), so s shares
// the storage of x there. Steps that name the storage through s are those that read the result in both programs. A
// value that existed before the launch is another name of x: a step that names it after the launch would find the
// result in place of x.

constexpr uint32_t forever = none;

/// Returns the functional and the in-place target of a call; empty if PyTorch has none.
std::pair<llvm::StringRef, llvm::StringRef> formsOf(const CollectiveSpec &spec) {
  return {formOf(spec.kind, spec.coalesced ? CollectiveForm::List : CollectiveForm::Single),
          writingFormOf(spec.kind, spec.coalesced ? WritingForm::InPlaceList : WritingForm::InPlace)};
}

bool isInPlaceFormOf(const Evidence &evidence, const Step &was, const Step &now) {
  const CollectiveSpec *spec = was.collective();
  if (!spec || !now.op)
    return false;
  auto [functional, inPlace] = formsOf(*spec);
  return !inPlace.empty() && was.op->target.str() == functional && now.op->target.str() == inPlace &&
         samePositionalArguments(evidence, was, now);
}

/// Judges the buffers that the built calls write over.
class OverwrittenBuffers {
public:
  OverwrittenBuffers(const Evidence &evidence, Findings &findings)
      : evidence_(evidence), before_(evidence.before), storages_(evidence.storagesBefore), findings_(findings) {}

  void check(llvm::ArrayRef<uint32_t> entries) {
    wanted_.resize(storages_.count());
    for (uint32_t entry : entries)
      for (uint32_t value : writtenBy(entry))
        for (uint32_t storage : value == none ? llvm::ArrayRef<uint32_t>() : storages_.of(value))
          wanted_[storage] = true;
    noteNames();
    noteLaunches();
    for (uint32_t entry : entries)
      checkEntry(entry);
  }

private:
  /// A step, and the last step up to which it matters; each the latest of its storage so far.
  struct Span {
    uint32_t from = 0;
    uint32_t to = 0;
  };
  using Spans = std::vector<llvm::SmallVector<Span, 2>>;

  [[nodiscard]] const Node &matched(uint32_t entry) const {
    return *evidence_.rewrite.certificate.rules[entry].matched[0];
  }

  [[nodiscard]] llvm::SmallVector<uint32_t, 4> writtenBy(uint32_t entry) const {
    const Step &step = before_[before_.indexOf(&matched(entry))];
    const CollectiveSpec *spec = step.collective();
    return spec ? before_.operandsIn(step, Program::argument(step, spec->input)) : llvm::SmallVector<uint32_t, 4>();
  }

  void extend(Spans &spans, uint32_t storage, Span span) {
    if (!wanted_[storage])
      return;
    if (!spans[storage].empty())
      span.to = std::max(span.to, spans[storage].back().to);
    spans[storage].push_back(span);
  }

  /// Notes for each value the last step that names it. An unknown operator may keep a name, and a reshape is visible
  /// under every name.
  void noteNames() {
    std::vector<uint32_t> last(before_.size(), 0);
    for (uint32_t i = 0; i < before_.size(); ++i) {
      auto operands = before_.operands(before_[i]);
      auto accesses = before_.accesses(before_[i]);
      for (size_t k = 0; k < operands.size(); ++k)
        if (operands[k] != none)
          last[operands[k]] = before_[i].domain == Domain::All || has(accesses[k], Access::Reshape)
                                  ? forever
                                  : std::max(last[operands[k]], i);
    }
    names_.resize(storages_.count());
    for (uint32_t i = 0; i < before_.size(); ++i)
      for (uint32_t storage : storages_.of(i))
        extend(names_, storage, {i, last[i]});
  }

  /// Notes for each launch the last of its waits. What a launch copies counts as sent until then, since a backend may
  /// leave out the copy.
  void noteLaunches() {
    std::vector<uint32_t> ends(before_.size(), 0);
    for (const AsyncPair &pair : evidence_.pairsBefore.asyncPairs)
      ends[pair.launch] = std::max(ends[pair.launch], pair.wait);
    launches_.resize(storages_.count());
    for (uint32_t i = 0; i < before_.size(); ++i) {
      if (!before_[i].launches)
        continue;
      for (uint32_t storage : storages_.of(i))
        extend(launches_, storage, {i, ends[i]});
      for (uint32_t operand : before_.operands(before_[i]))
        for (uint32_t storage : operand == none ? llvm::ArrayRef<uint32_t>() : storages_.of(operand))
          extend(launches_, storage, {i, ends[i]});
    }
  }

  void checkEntry(uint32_t entry) {
    uint32_t launch = before_.indexOf(&matched(entry));
    auto written = writtenBy(entry);
    for (size_t i = 0; i < written.size(); ++i)
      if (const char *why = obstacle(written[i], launch, llvm::ArrayRef<uint32_t>(written).take_front(i)))
        findings_.add(matched(entry), "rule",
                      "became a call that writes over " +
                          quoted(written[i] == none ? nullptr : before_[written[i]].node) + ", which " + why,
                      claimText({Part::Rule, entry}));
  }

  [[nodiscard]] const char *obstacle(uint32_t value, uint32_t launch, llvm::ArrayRef<uint32_t> others) const {
    auto held = value == none ? llvm::ArrayRef<uint32_t>() : storages_.of(value);
    if (held.size() != 1 || !isMadeHere(held[0]))
      return "is not memory that a known operator of the program made";
    if (!isWhole(value, held[0]))
      return "is no whole buffer";
    if (llvm::any_of(others, [&](uint32_t other) { return llvm::is_contained(storages_.of(other), held[0]); }))
      return "shares memory with another tensor of the list";
    if (reaches(names_[held[0]], launch))
      return "another name shows to a later step";
    if (reaches(launches_[held[0]], launch))
      return "another collective has in flight";
    return nullptr;
  }

  /// Returns true if a span that begins before the step ends after it.
  static bool reaches(llvm::ArrayRef<Span> spans, uint32_t step) {
    const Span *younger = llvm::partition_point(spans, [&](const Span &span) { return span.from < step; });
    return younger != spans.begin() && std::prev(younger)->to > step;
  }

  [[nodiscard]] bool isMadeHere(uint32_t storage) const {
    const Step &owner = before_[storages_.owner(storage)];
    return owner.isCall() && owner.op && !owner.op->opaque && owner.domain != Domain::All &&
           (owner.op->role == OpRole::Compute || owner.op->role == OpRole::Collective) &&
           storages_.leader(storage) == storage;
  }

  [[nodiscard]] bool isWhole(uint32_t value, uint32_t storage) const {
    const Type *type = before_[value].type;
    return type && type->isTensor() && type->isContiguous() &&
           (storages_.owner(storage) == value || type->numBytes() == storages_.bytes(storage));
  }

  const Evidence &evidence_;
  const Program &before_;
  const Storages &storages_;
  Findings &findings_;
  std::vector<bool> wanted_; ///< by storage: an entry writes over it
  Spans names_;              ///< by storage: the values that may be in it
  Spans launches_;           ///< by storage: the launches that have it
};

} // namespace

void checkInPlaceForm(const Evidence &evidence, uint32_t entry, Findings &findings) {
  auto holds = [&](const Step &was, const Step &now) { return isInPlaceFormOf(evidence, was, now); };
  checkReplacedCall(evidence, entry, findings, {"form of ", " in place, with the same arguments", holds});
}

void checkInPlaceBuffers(const Evidence &evidence, llvm::ArrayRef<uint32_t> entries, Findings &findings) {
  if (!entries.empty())
    OverwrittenBuffers(evidence, findings).check(entries);
}

} // namespace ccgraph::legality
