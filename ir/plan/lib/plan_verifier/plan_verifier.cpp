#include "ccgraph/ir/plan_verifier.h"
#include "ccgraph/ir/guard_check.h"

#include "plan_verifier/plan_rules.h"

namespace ccgraph {
namespace plan_verifier {

void Report::add(size_t step, Finding finding) {
  const PlanStep &about = plan_.steps[step];
  add("step " + std::to_string(step) + " " + about.name.str().str(), std::move(finding));
}

void Report::add(const std::string &where, Finding finding) {
  Diagnostic diagnostic = diagnose(finding.rule, std::move(finding.message), std::move(finding.repair));
  diagnostic.where = where;
  found_.add(std::move(diagnostic));
}

std::string stepText(const Plan &plan, size_t step) {
  return "'" + plan.steps[step].name.str().str() + "' (step " + std::to_string(step) + ")";
}

std::string bufferText(const Plan &plan, BufferId buffer) {
  return "'" + plan.buffers[buffer].name.str().str() + "' (buffer " + std::to_string(buffer) + ")";
}

std::string streamText(const Plan &plan, StreamId stream) {
  return "'" + plan.streams[stream].name + "' (stream " + std::to_string(stream) + ")";
}

std::string bytesText(ByteRange range) {
  return "bytes " + std::to_string(range.begin) + " to " + std::to_string(range.end);
}

namespace {

// Sorted by id. A test breaks each rule.
constexpr VerifierRule rules[] = {
    {"plan.access", "An operand is marked as read or written exactly if the operator's schema reads or writes it."},
    {"plan.attributes", "A call has a root, a peer, a tag or counts only where its kind of collective takes them."},
    {"plan.batch",
     "Calls that start together, and the rows of one call, touch no common memory that one of them writes."},
    {"plan.bounds", "A window lies in its buffer, and a buffer in its arena, at an aligned offset."},
    {"plan.contiguous", "The windows of a collective are contiguous."},
    {"plan.counts", "The windows of a collective have the numbers of elements that the size of its group requires."},
    {"plan.dtype", "The windows of a collective have one dtype, for which its reduction is defined."},
    {"plan.events", "An event is recorded by one step, which precedes the steps that wait for it; at least one waits."},
    {"plan.guards",
     "The facts with which its graph was traced (ccgraph/ir/guard.h) hold for the plan's own groups and rank."},
    {"plan.home", "Where there is an arena of communication, what a collective sends and receives lies in no buffer of "
                  "the other arena."},
    {"plan.in-flight", "The windows of a collective are accessed again only after its end."},
    {"plan.in-place",
     "What a call receives lies apart from what it sends, or is the very same window and the call reduces or "
     "broadcasts."},
    {"plan.indices", "Every named stream, event, buffer, slot, group and operand exists."},
    {"plan.inputs", "An input has a name of its own and lies in the caller's memory; one that the program writes says "
                    "what is left there."},
    {"plan.layout", "The layout states the place of each buffer, and a value for each symbol in a size."},
    {"plan.members", "Roots and peers are ranks within the group: from 0 to its size."},
    {"plan.order", "Of two accesses to the same bytes of which one writes, the earlier ends before the later begins."},
    {"plan.overlap", "What a step writes lies apart from all else that it touches, unless its operator works in place, "
                     "or works element by "
                     "element and writes over an operand of the same layout."},
    {"plan.overwritten",
     "A value that is read or returned was written under the same buffer, and not overwritten since."},
    {"plan.ranks",
     "Ranks of a group launch the same calls on it, and no two groups in orders that hold each other up."},
    {"plan.rows", "A call has the rows, and each row the windows, that its kind of collective takes."},
    {"plan.streams", "A step runs on a stream of its kind, and of its group where that names one; a group or channel "
                     "has one stream. What "
                     "yields a number, or tells a size, runs on the host."},
    {"plan.types", "A window has a tensor type with strides; a copy's two windows have equal sizes and dtype."},
    {"plan.unwritten", "A value that is read or returned has been written before, or is an input."},
    {"plan.waits", "Every wait is necessary: without it, some step could access memory too early."},
};

void checkFacts(Report &report) {
  llvm::handleAllErrors(checkGuards(report.plan()), [&](const DiagnosticError &error) {
    for (const Diagnostic &found : error.diagnostics())
      report.add(found.where, {"plan.guards", found.message, found.notes.front()});
  });
}

void check(Report &report, const PlanLayout &layout) {
  checkStructure(report, layout);
  if (report.any())
    return;
  Places places(report.plan(), layout);
  checkFacts(report);
  checkStreams(report);
  checkMemory(report, places);
  checkOverlaps(report, places);
  checkKernels(report);
  checkCollectives(report, places);
  checkOrder(report, places);
}

} // namespace
} // namespace plan_verifier

std::vector<Diagnostic> verifyPlan(const Plan &plan, const PlanVerifyOptions &options) {
  plan_verifier::Report report(plan, options.limit);
  plan_verifier::check(report, options.layout ? *options.layout : plan.layout);
  return report.take();
}

llvm::Error verifyPlanOrError(const Plan &plan, const PlanVerifyOptions &options) {
  std::vector<Diagnostic> found = verifyPlan(plan, options);
  return found.empty() ? llvm::Error::success() : makeError(std::move(found));
}

llvm::ArrayRef<VerifierRule> planVerifierRules() { return plan_verifier::rules; }

std::string planVerifierMarkdown() {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "# Which plans does the plan verifier accept?\n\n"
        "Generated from the table of the verifier itself; `tools/docs` writes it anew.\n\n"
        "A plan (`ccgraph/ir/plan.h`) is verified after it has been made and after it has been read\n"
        "(see `ccgraph/ir/plan_verifier.h`). A finding names its rule in brackets:\n\n"
        "```text\n"
        "error: step 2 add: reads bytes 0 to 16 of 'c' (buffer 2) while 'all_reduce' (step 0) may still be writing it; "
        "expected it after the end of that collective [plan.in-flight]\n"
        "  note: let it wait for event 0, which that step records\n"
        "```\n\n"
        "| rule | demand |\n|---|---|\n";
  for (const VerifierRule &rule : planVerifierRules())
    os << "| `" << rule.id << "` | " << rule.demand << " |\n";
  os << "\nOrder is judged by bytes, for the layout that is given: memory that several buffers share counts too.\n"
        "Bytes of a window are those from its first element to its last, so windows that interleave count as\n"
        "overlapping. Where a size is known only while the program runs, a window is taken to be the whole buffer.\n\n"
        "A wait may serve a later step than the one that has it. A barrier accesses no memory. So a wait for a "
        "barrier, "
        "or by\n"
        "one, is redundant only if other events or streams order the two.\n";
  return os.str();
}

} // namespace ccgraph
