#include "ccgraph/ir/internal/op_docs.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

namespace ccgraph {
namespace {

constexpr const char head[] = R"(# What is known about each operator?

This page lists the facts about operators that their schemas do not state. It is written from the operator table, so
correct the table and not the page.

The table contains the schemas of all %u operators that PyTorch registers: what each operator shares and writes, and
whether it draws random numbers. An operator without a schema is opaque: it is kept, printed back, and ordered against
everything; `--ops FILE` declares it. The operators below have more than a schema: a meaning as collective, a rule that
infers the type of the result, or a rule that counts floating-point operations. Every operator of the table has a rule
that counts bytes. An inferred type is *certain* (in every program, for PyTorch's defaults) or *assumed* (as FakeTensor
has it). An operator that *sees the place* of a tensor depends on more than its elements: on their place in their
storage, on the size of that storage, or on the other tensors in it.
)";

constexpr const char accessWords[] = R"(
A collective that *copies at launch* leaves its input free; one that reads *in flight* holds it until the wait. A value
*in flight* may only be viewed, indexed by getitem, and waited on (docs/verifier.md).
)";

/// Returns "`a`, `b`": the parameters that have the accesses of `all`, and no access of `no`.
std::string paramsWith(const OpDef &op, Access all, Access no) {
  std::string text;
  for (const OpParam &param : op.params) {
    bool match = (static_cast<uint8_t>(param.access) & static_cast<uint8_t>(all)) == static_cast<uint8_t>(all);
    if (match && !hasAny(param.access, no))
      text += (text.empty() ? "`" : ", `") + param.name + "`";
  }
  return text;
}

llvm::StringRef domainText(Domain domain) {
  switch (domain) {
  case Domain::None:
  case Domain::Comm:
    return "";
  case Domain::Rng:
    return "draws random numbers in order";
  case Domain::Host:
    return "ordered with the host";
  case Domain::All:
    return "ordered against everything";
  }
  return "";
}

using Clauses = llvm::SmallVector<std::string, 4>;

void addClause(Clauses &clauses, const char *words, const std::string &params) {
  if (!params.empty())
    clauses.push_back(words + params);
}

void describeCollective(const OpDef &op, Clauses &clauses) {
  const CollectiveSpec &spec = *op.collective;
  clauses.push_back((spec.synchronous ? "performs " : "launches ") + collectiveName(spec.kind).str() +
                    (spec.coalesced ? " on a list" : ""));
  if (spec.copiesAtLaunch)
    addClause(clauses, "copies at launch ", "`" + op.params[spec.input].name + "`");
  addClause(clauses, "reads in flight ", paramsWith(op, Access::InFlightRead, Access::InFlightWrite));
  addClause(clauses, "fills in flight ", paramsWith(op, Access::InFlightWrite, Access::InFlightRead));
  addClause(clauses, "reads and fills in flight ",
            paramsWith(op, Access::InFlightRead | Access::InFlightWrite, Access::Nothing));
  addClause(clauses, "writes ", paramsWith(op, Access::Write, Access::Nothing));
  addClause(clauses, "sees the place of ", paramsWith(op, Access::Place, Access::Nothing));
}

void describeHostCopy(const OpDef &op, Clauses &clauses) {
  clauses.push_back(op.hostResult ? "launches a copy to the host's memory" : "launches a copy to the device's memory");
  addClause(clauses, "reads in flight ", paramsWith(op, Access::InFlightRead, Access::Nothing));
}

void describeWait(const OpDef &op, Clauses &clauses) {
  addClause(clauses, "completes ", paramsWith(op, Access::Complete, Access::Nothing));
  addClause(clauses, "frees ", paramsWith(op, Access::Write, Access::Nothing));
}

void describeCompute(const OpDef &op, Clauses &clauses) {
  if (op.isView)
    addClause(clauses, "view of ", paramsWith(op, Access::Alias, Access::Write));
  if (op.mayAlias)
    addClause(clauses, "view or copy of ", paramsWith(op, Access::Alias, Access::Write));
  if (op.domain != Domain::All)
    addClause(clauses, "writes ", paramsWith(op, Access::Write, Access::Nothing));
  addClause(clauses, "sees the place of ", paramsWith(op, Access::Place, Access::Nothing));
  addClause(clauses, "may reshape ", paramsWith(op, Access::Reshape, Access::Nothing));
}

llvm::StringRef sectionOf(const OpDef &op) {
  switch (op.role) {
  case OpRole::Collective:
    return "Collectives";
  case OpRole::HostCopy:
    return "Copies to and from the host";
  case OpRole::Wait:
    return "Waits";
  case OpRole::GetItem:
  case OpRole::Compute:
    return op.isView || op.mayAlias ? "Views" : "Computation";
  case OpRole::ControlDeps:
  case OpRole::HigherOrder:
    return "Operators with subgraphs";
  }
  return "";
}

llvm::StringRef typeText(const OpDef &op) { return !op.typeRule ? "" : op.typeIsCertain ? "certain" : "assumed"; }

void writeRow(llvm::raw_ostream &os, const OpDef &op) {
  os << "| `" << op.target.str() << "` | " << effectText(op) << " | " << typeText(op) << " |\n";
}

} // namespace

// For instance "launches all_reduce; copies at launch `input`", or "pure".
std::string effectText(const OpDef &op) {
  Clauses clauses;
  if (op.opaque)
    clauses.push_back("opaque");
  else if (op.role == OpRole::HostCopy)
    describeHostCopy(op, clauses);
  else if (op.role == OpRole::Wait)
    describeWait(op, clauses);
  else if (op.role == OpRole::ControlDeps)
    clauses.push_back("does what the call in its subgraph does, after its predecessors");
  else if (op.role == OpRole::HigherOrder && op.domain == Domain::All)
    return "pure where all subgraphs are, else ordered against everything";
  else if (op.collective)
    describeCollective(op, clauses);
  else
    describeCompute(op, clauses);
  if (!domainText(op.domain).empty())
    clauses.push_back(domainText(op.domain).str());
  return clauses.empty() ? "pure" : llvm::join(clauses, "; ");
}

void writeOperatorDocs(llvm::raw_ostream &os, OpTable &ops) {
  os << llvm::format(head, static_cast<unsigned>(OpTable::numGenerated()));
  std::vector<const OpDef *> described = ops.described();
  for (llvm::StringRef section :
       {"Collectives", "Copies to and from the host", "Waits", "Views", "Computation", "Operators with subgraphs"}) {
    os << "\n## " << section << "\n";
    if (section == "Collectives")
      os << accessWords;
    os << "\n| operator | effect | type inferred |\n|---|---|---|\n";
    for (const OpDef *op : described)
      if (sectionOf(*op) == section)
        writeRow(os, *op);
  }
}

} // namespace ccgraph
