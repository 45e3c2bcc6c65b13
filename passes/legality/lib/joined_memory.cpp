#include "rules.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

// The rules forwarded-copy and filled-buffer let two storages become one. Each is proved from the uses of both in the
// program before. So nothing else in the certificate may join storages, or give a step another place.

/// Returns the step after that has the place of a step before; `none` for a copy that is gone.
uint32_t placeAfter(const Evidence &evidence, uint32_t before) {
  const Correspondence &correspondence = evidence.correspondence;
  if (uint32_t same = correspondence.untouched(before); same != none)
    return same;
  return evidence.before[before].launches ? correspondence.performer(before) : none;
}

const Node *firstMoved(const Evidence &evidence) {
  uint32_t last = 0;
  for (uint32_t i = 0; i < evidence.before.size(); ++i) {
    const uint32_t now = placeAfter(evidence, i);
    if (now == none)
      continue;
    if (now < last)
      return evidence.after[now].node;
    last = now;
  }
  return nullptr;
}

} // namespace

void checkJoinedMemory(const Evidence &evidence, llvm::StringRef rule, llvm::StringRef also, Findings &findings) {
  const Certificate &certificate = evidence.rewrite.certificate;
  const bool others = llvm::any_of(certificate.rules, [&](const RuleEntry &entry) {
    return entry.name != rule && (also.empty() || entry.name != also);
  });
  const bool removes =
      llvm::any_of(certificate.removed, [](const RemovedEntry &entry) { return entry.reason != RemovedReason::Dead; });
  if (others || removes || !certificate.merged.empty())
    findings.add(*evidence.rewrite.graph.front(), "rule",
                 "the certificate has entries of '" + rule + "' and others that may join memory");
  if (const Node *moved = firstMoved(evidence))
    findings.add(*moved, "rule", "is at another place, expected no move beside an entry of '" + rule + "'");
}

} // namespace ccgraph::legality
