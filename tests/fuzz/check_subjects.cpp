#include "fuzz/check_subjects.h"

#include "ccgraph/frontend/contract_file.h"
#include "ccgraph/frontend/job_file.h"
#include "ccgraph/frontend/pipeline_file.h"
#include "ccgraph/ir/pipeline_verifier.h"
#include "fuzz/complaints.h"

#include <set>

namespace ccgraph::test {
namespace {

std::string textOf(const Contract &contract) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeContract(os, contract);
  return os.str();
}

std::string textOf(const PipelineSchedule &schedule) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writePipelineSchedule(os, schedule);
  return os.str();
}

bool isDeadlock(llvm::ArrayRef<Diagnostic> findings) {
  return findings.size() == 1 && findings.front().rule == "pipeline.deadlock";
}

} // namespace

std::vector<std::string> contractFiles() {
  return {R"(version = 1
machine = "h100x8"
unlisted = "forbid"

[limits]
missing_waits = 0
exposed_percent = 12.5
peak_bytes = "1.5 GiB"

[[collective]]
graph = "forward"
module = "layers.*.attention"
kind = "all_gather"
dtypes = ["bf16", 'f32']
count = { min = 1, max = 9 }
bytes = { max = 0x1000 }

[[collective]]
group = """a
b"""
reductions = ["sum"]
modules = 32
)",
          "limits.dead_waits = 1 # none\ncollective = [{count = 1, kind = \"barrier\"}]\n"};
}

std::string complaintAboutContract(llvm::StringRef text) {
  auto contract = readContract({"input", text});
  if (!contract)
    return complaintAbout(contract.takeError());
  const std::string first = textOf(*contract);
  auto again = readContract({"written", first});
  if (!again)
    return "its own text is refused: " + llvm::toString(again.takeError());
  return textOf(*again) == first ? "" : "its own text reads as another contract";
}

std::vector<std::string> pipelineSchedules() {
  return {"0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n",
          "0F0,0F1,0F2,3F0,3I0,3W0,3F1,3I1,3W1,0I0,0W0,3F2,3I2,3W2,0I1,0W1,0I2,0W2\n"
          "1F0,2F0,1F1,2F1,2I0,2W0,1F2,1I0,1W0,2F2,2I1,2W1,1I1,2I2,1I2,1W1,2W2,1W2\n",
          "0F0,0SEND_F0,,0RECV_B0,0B0,0WAIT_SEND_F0\r\n1RECV_F0,\"1F0\",1B0,1SEND_B0,1REDUCE_GRAD\r\n",
          "0F0,0B0,(0F1;0B1)OVERLAP_F_B\n"};
}

std::string complaintAboutPipelineSchedule(llvm::StringRef text) {
  auto schedule = readPipelineSchedule({"input", text});
  if (!schedule)
    return complaintAbout(schedule.takeError());
  const std::string first = textOf(*schedule);
  auto again = readPipelineSchedule({"written", first});
  if (!again)
    return "its own text is refused: " + llvm::toString(again.takeError());
  if (textOf(*again) != first)
    return "its own text reads as another schedule";
  std::vector<Diagnostic> findings = verifyPipelineSchedule(*schedule);
  if ((!findings.empty() && !isDeadlock(findings)) || schedule->hasTransfers())
    return complaintAbout(std::move(findings));
  std::vector<Diagnostic> withAll = verifyPipelineSchedule(withTransfers(*schedule));
  if (withAll.empty() != findings.empty() || (!withAll.empty() && !isDeadlock(withAll)))
    return "another verdict with transfers: " + toString(withAll);
  return "";
}

std::vector<std::string> jobFiles() {
  return {
      R"({"graphs": [{"graph": "stage0.py", "ranks": "0-7"}, {"graph": "b.py", "ranks": [8, "9-11", 12], "groups": "b.json"}],
 "groups": "facts.json"})",
      R"({"graphs": [{"graph": "a\u0062.py", "ranks": 0}, {"ranks": "1-1048575", "graph": "/tmp/c.py"}]})",
      R"({"groups": "", "graphs": []})"};
}

std::string complaintAboutJobFile(llvm::StringRef text) {
  auto entries = readJobFile({"input", text});
  if (!entries)
    return complaintAbout(entries.takeError());
  std::set<int64_t> all;
  for (const JobFileEntry &entry : *entries) {
    if (!llvm::is_sorted(entry.ranks))
      return "ranks are not ascending";
    for (int64_t rank : entry.ranks)
      if (rank < 0 || rank > highestJobRank || !all.insert(rank).second)
        return "rank " + std::to_string(rank) + " occurs twice, or is out of range";
  }
  return "";
}

} // namespace ccgraph::test
