#include "ccgraph/legality/legality.h"

#include "inlined_subgraphs.h"
#include "rules.h"

namespace ccgraph {

namespace legality {
namespace {

// A pass hands over a claim of what it did; each part must be proved. First the certificate must fit the two graphs.
// Every node is the same on both sides or is in one entry, and each node reads what it read, or what an entry puts in
// its place. If that fails, no other check runs, because the later checks rely on the correspondence of nodes. Each
// check below then proves one property that a pass must keep, by its own reading of both programs.
void checkMeaning(const Evidence &evidence, Findings &findings) {
  checkMerged(evidence, findings);
  checkPlaces(evidence, findings);
  checkRules(evidence, findings);
  checkRemoved(evidence, findings);
  checkAdded(evidence, findings);
  checkWaitsKept(evidence, findings);
  checkIssueOrder(evidence, findings);
  checkBlocking(evidence, findings);
  checkDomains(evidence, findings);
  checkStorageOrder(evidence, findings);
  checkInFlight(evidence, findings);
  checkFreed(evidence, findings);
  checkMemory(evidence, findings);
}

// `graph` is the graph that was rewritten, and the snapshot records its earlier state. Removed nodes are still
// readable, since a graph keeps erased nodes.
void check(const GraphSnapshot &snapshot, const Graph &graph, const Certificate &certificate,
           const LegalityOptions &options, Findings &findings) {
  Program before(snapshot);
  Program after(graph, snapshot, before);
  Rewrite rewrite{snapshot, graph, certificate, before, after};
  if (inlinesSubgraphs(certificate)) {
    checkWellFormed(rewrite, findings);
    checkInlinedSubgraphs(rewrite, options, findings);
    return;
  }
  Correspondence correspondence(rewrite, findings);
  if (findings.any())
    return;
  checkNodes(rewrite, correspondence, findings);
  checkWellFormed(rewrite, findings);
  if (findings.any())
    return;
  adoptRuleEffects(rewrite, correspondence, before);
  Storages storagesBefore(before);
  Storages storagesAfter(after);
  AsyncPairLog pairsBefore = logAsyncPairs(before, storagesBefore);
  AsyncPairLog pairsAfter = logAsyncPairs(after, storagesAfter);
  checkMeaning(
      {rewrite, before, after, correspondence, storagesBefore, storagesAfter, pairsBefore, pairsAfter, options},
      findings);
}

} // namespace
} // namespace legality

llvm::Error checkLegality(const GraphSnapshot &before, const Graph &after, const Certificate &certificate,
                          const LegalityOptions &options) {
  assert(&before.graph() == &after && "the graph that the snapshot was taken of");
  legality::Findings findings(certificate, options.limit);
  legality::check(before, after, certificate, options, findings);
  return findings.take();
}

llvm::ArrayRef<LegalityRule> legalityRules() {
  static const LegalityRule rules[] = {
      {"legality.added", "A new node has no effect beyond waiting."},
      {"legality.bitwise",
       "If results must be bitwise equal, no reduction of the floating-point numbers of more than two "
       "ranks goes into a bucket or becomes a chain of exchanges."},
      {"legality.blocked", "No wait on a transfer moves before an earlier transfer, and if ranks run "
                           "different programs no wait "
                           "above any communication: the other ends may need that first."},
      {"legality.compressed-sum", "A sum in 16 bits casts what the matched all_reduce sent, sends it to the same group "
                                  "by the same reduction, and casts the result back."},
      {"legality.domain",
       "Random, host-visible and opaque steps keep their order, and nothing with an effect passes an opaque one."},
      {"legality.entry", "An entry of the certificate names nodes of this graph, its removed nodes are removed, and "
                         "each node is in one entry."},
      {"legality.equal-exchanges",
       "Collectives that replace others, or a value that replaces their result, hold what these returned, element for "
       "element, on every rank, and no step can tell the two apart."},
      {"legality.equal-pieces", "What is put together of pieces that were computed and sent one by one holds, element "
                                "for element, what the whole held on every rank, and has memory of its own."},
      {"legality.exchange-chain", "A chain of exchanges and movements of data that replaces a collective yields its "
                                  "result, element for element, on every rank."},
      {"legality.fence", "Point-to-point steps and barriers keep their place among the collectives of all groups that "
                         "may share two ranks with theirs."},
      {"legality.forwarded",
       "A wait that is skipped was on a value that was not in flight, and its readers read that value."},
      {"legality.freed", "No step names a storage after the wait that frees it."},
      {"legality.group-apart",
       "Where two groups are not proved to be different ones, the collectives of both keep their order."},
      {"legality.in-flight", "No step touches what is in flight, unless it did before."},
      {"legality.inlined",
       "Where the nodes of subgraphs replace the calls that ran them, each copy is its node with the "
       "arguments of the call, every other node stays as it was, and the order is the order of "
       "execution."},
      {"legality.interface", "Inputs keep their order, the output stays last, groups and subgraphs stay."},
      {"legality.issue-order", "Each group's collectives are issued in the order before, or as a moved entry states."},
      {"legality.memory", "Peak memory is within the budget, or not above what it was."},
      {"legality.merged-dependent", "Members of a bucket do not need one another."},
      {"legality.merged-launch", "A bucket's launch is a functional collective of the stated layout."},
      {"legality.merged-layout", "Offset and length of each member are those of its share in the bucket."},
      {"legality.merged-member",
       "Members of a bucket are functional collectives from one tensor to one, listed with their waits."},
      {"legality.merged-place",
       "A caller, an opaque step, and an operator that depends on a tensor's place in its storage, finds "
       "each result of a bucket alone in a storage, as it was."},
      {"legality.merged-scaffold", "The other new nodes of a bucket only move data, of its members, in ways that can "
                                   "be followed, and are declared with the type that they have."},
      {"legality.merged-unlike",
       "Members of a bucket agree in kind, group, reduction, dtype and device with its launch."},
      {"legality.merged-value", "The replacement of a member's result has its elements and its type."},
      {"legality.merged-wait", "The replacement of a member's result has been waited for."},
      {"legality.moved", "A moved entry states the order of all collectives of its group, and is in the "
                         "certificate of a pass that may reorder collectives."},
      {"legality.mpmd", "Where ranks run different programs, collectives keep their order across groups, and none is "
                        "removed or merged."},
      {"legality.node-changed", "A node in no entry has the name, target, type, arguments and provenance that it had."},
      {"legality.offloaded-value",
       "A value that comes back from the host is the value, and no step can tell the two apart."},
      {"legality.operand", "A node reads its former operands, or their replacements in an entry."},
      {"legality.order", "Each definition precedes its uses, and each ordering edge points forward."},
      {"legality.ordering-edge", "Ordering edges are kept, and none is added without a rule."},
      {"legality.removed-effect",
       "A removed node has no effect beyond its result; a collective is removed only if every rank removes it."},
      {"legality.repeated-call",
       "A call that is repeated computes the same value, and no step can tell the two apart."},
      {"legality.rule", "The nodes of a rule are what the checker's own template builds."},
      {"legality.storage-order", "Accesses to one storage of which one writes keep their order."},
      {"legality.twin", "A twin is an earlier identical call of values that no step writes in between; no step writes "
                        "either result, and not both are returned."},
      {"legality.unlisted", "A new or removed node is in an entry of the certificate."},
      {"legality.wait-lost", "A launch that had a wait has one."},
  };
  return rules;
}

/// Returns the section of the document on sizes that are symbols.
static llvm::StringRef symbolicSection() {
  return "\n## Rows whose number is a symbol\n\n"
         "An entry of `equal-pieces` may have rows that depend on one symbol, such as `2048*s0`. It is proved for "
         "every "
         "value of\nthe symbol at once, by an evaluation without samples:\n\n"
         "- A size is a *quantity*: a sum of products of the symbol with numbers, and of quotients by numbers that are "
         "rounded down.\n  Each such `q` has a period: `q(s + period) - q(s)` is the same number, its slope, for every "
         "`s`. This holds for\n  numbers and for the symbol; it is kept by sums and by products with numbers; and "
         "`q // n` has it after as many\n  periods as make the slope a multiple of `n`. So the values of one period "
         "and the slope determine `q`.\n"
         "- Two quantities are equal for every value if their slopes over a common period and their values within it "
         "are equal.\n  One is at most the other for every value if its slope is at most the other's and so is each "
         "value of one period.\n  So both questions are decided exactly, by as many comparisons as the period is "
         "long. The period is at most 4096.\n"
         "- A value is a list of runs of rows of terms, whose ends are quantities. Slices, views, concatenations, "
         "products,\n  all_reduce, all_gather and reduce_scatter make new lists of old ones. Each step compares "
         "places only by these two\n  questions. If the answer differs between values of the symbol, as for a slice "
         "that ends beyond the rows of some\n  values, the entry is rejected. So the list that results is the list "
         "for every value.\n"
         "- Calls that compute row by row, such as sums, casts and norms, may be between the collectives of a chain. "
         "Row `i` of a\n  result is a function of row `i` of each operand, so the runs of the operands are followed "
         "together, and each has a\n  term: \"the sum of x and y, where y begins s0 rows later\". The reduce_scatter "
         "of products of gathered rows is a\n  sum of products of the receiver's rows.\n"
         "- The lists before and after must have the same runs, with equal ends. Bounds of slices are evaluated from "
         "the nodes\n  that compute them, and each new node must have the type that its value has.\n\n"
         "In such an entry, a symbol `s0`, `s1`, ... is at least 2, because torch.compile makes graphs of their own "
         "for the\nsizes 0 and 1. All ranks of the group have the same value: the rows that each matched collective "
         "sends must grow\nwith the symbol, so they determine it, and a collective requires equal sizes on all ranks. "
         "A product of symbols\ncounts as one symbol, if all sizes of the entry depend on the product alone, as "
         "`(s0*s1)//2` does: it is at least 4,\nand ranks with equal products have equal sizes, whatever the factors "
         "are. An entry that cuts rows and has any other\nsecond symbol, such as a size `s0` beside `s0*s1` or rows "
         "`s0 + s1`, is rejected: its sizes are no functions of one\nnumber, so the values of one period do not "
         "determine them. So is one with an unbacked symbol (`u0`), or with a size\nof another form.\n\n"
         "An entry that cuts columns has another evaluation, since the number of columns is no symbol. A product, a "
         "function\nof each element, an all_reduce and a reduce_scatter compute column `j` of their results from "
         "column `j` of one\noperand. So a value is a list of runs of columns of terms, with numbers as ends, and all "
         "other sizes are only\ncompared: they may be any expressions of any symbols, and may differ between ranks.\n";
}

std::string legalityMarkdown() {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "# Which rewrites does the legality checker accept?\n\n"
        "Generated from the tables of the checker itself; `tools/docs` writes it anew.\n\n"
        "After each pass the checker compares the graph before, the graph after and the pass's certificate\n"
        "(see `ccgraph/legality/legality.h`). A finding names its rule in brackets, and is a defect of the pass, "
        "never "
        "of\nthe user's graph.\n\n## Rules\n\n| rule | demand |\n|---|---|\n";
  for (const LegalityRule &rule : legalityRules())
    os << "| `" << rule.id << "` | " << rule.demand << " |\n";
  os << "\n## Named rewrites\n\nA rule entry of a certificate states one of these; a pass cannot bring one of its "
        "own.\n\n"
        "| name | matched | built | demand |\n|---|---|---|---|\n";
  for (const LegalityTemplate &rule : legalityTemplates())
    os << "| `" << rule.name << "` | " << rule.matched << " | " << rule.built << " | " << rule.demand << " |\n";
  os << "\n## Subgraphs in place of calls\n\n"
        "The other checks pair each step before with the step after that does its work. A call of a subgraph is one "
        "step, and\nmany steps do its work, so entries of `inline-subgraphs` have a check of their own, and a "
        "certificate with such an\nentry has no other. The checker walks the program before in order. At each call "
        "that is gone, it walks the nodes of\nthe subgraph, with the arguments of the call in place of the "
        "placeholders. The program after must be exactly this\nsequence: the same operators, arguments, types, "
        "ordering edges and stack frames, in the same order. A result of the\ncall is the node that the subgraph "
        "returns. The first difference is a finding of `legality.inlined`.\n\n"
        "Both programs then execute the same steps in the same order on every rank, so the order of writes, of random "
        "numbers\nand of the collectives of each group is what it was, and the other checks have nothing to add.\n"
     << symbolicSection();
  return os.str();
}

} // namespace ccgraph
