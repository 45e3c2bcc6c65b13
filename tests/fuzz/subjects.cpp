#include "fuzz/subjects.h"

#include "ccgraph/frontend/collective_samples_file.h"
#include "ccgraph/frontend/durations_file.h"
#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/group_file.h"
#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/frontend/json_plan.h"
#include "ccgraph/frontend/machine_file.h"
#include "ccgraph/frontend/memory_snapshot_file.h"
#include "ccgraph/frontend/object_file.h"
#include "ccgraph/frontend/op_file.h"
#include "ccgraph/frontend/plan_text.h"
#include "ccgraph/frontend/profile_file.h"
#include "ccgraph/frontend/safetensors.h"
#include "ccgraph/frontend/schedule_file.h"
#include "ccgraph/frontend/tolerance_file.h"
#include "ccgraph/frontend/trace_log.h"
#include "ccgraph/ir/op_def.h"
#include "ccgraph/ir/plan_verifier.h"
#include "ccgraph/ir/type.h"
#include "ccgraph/passes/cost.h"
#include "ccgraph/passes/pipeline.h"
#include "fuzz/check_subjects.h"
#include "fuzz/complaints.h"
#include "fuzz/corpus_files.h"
#include "fuzz/graph_promises.h"
#include "support/random_plan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace ccgraph::test {
namespace {

using llvm::StringRef;
using Texts = std::vector<std::string>;

constexpr size_t smallFile = 6000;

Texts joined(Texts a, Texts b) {
  a.insert(a.end(), std::make_move_iterator(b.begin()), std::make_move_iterator(b.end()));
  return a;
}

// --- Graphs ----------------------------------------------------------------------------------------------------------

std::string complaintAboutGraphs(StringRef text) {
  Context context;
  Diagnostics warnings;
  auto graphs = readGraphs(context, {"input", text}, {.warnings = &warnings});
  if (!graphs)
    return complaintAbout(graphs.takeError());
  if (graphs->empty())
    return "neither a graph nor an error";
  for (const auto &graph : *graphs)
    if (std::string complaint = brokenPromise(*graph, *detectGraphFormat(text)); !complaint.empty())
      return complaint;
  return complaintAbout(warnings.take());
}

Texts fxTexts() {
  auto isFxText = [](StringRef text) { return detectGraphFormat(text) == GraphFormat::FxText; };
  return joined(joined(dataFiles(".py", smallFile, 3), goldenSections("input")), caseFiles(isFxText));
}

/// Returns the captured graphs and the goldens as JSON, and files with content that only JSON can express.
Texts jsonTexts() {
  Texts texts = joined(dataFiles("every-feature.json", size_t(1) << 20),
                       caseFiles([](StringRef text) { return text.contains("ccgraph.graph"); }));
  for (const std::string &text : fxTexts()) {
    Context context;
    auto graphs = readGraphs(context, {"corpus", text});
    if (!graphs) {
      llvm::consumeError(graphs.takeError());
      continue;
    }
    llvm::raw_string_ostream os(texts.emplace_back());
    writeJsonGraph(os, *graphs->front());
  }
  return texts;
}

/// Returns exported programs, including those of the cases.
Texts exportedModels() {
  return joined(dataFiles(".model.json", size_t(1) << 20),
                caseFiles([](StringRef text) { return text.contains("\"graph_module\""); }));
}

Texts exportArchives() { return dataFiles(".pt2", size_t(1) << 20); }

// --- Plans -----------------------------------------------------------------------------------------------------------

std::string textOf(const Plan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writePlan(os, plan);
  return os.str();
}

Texts planFiles() {
  Texts texts = dataFiles(".plan.json", size_t(1) << 20);
  constexpr uint64_t few = 20;
  for (uint64_t seed = 0; seed < few; ++seed) {
    Context context;
    texts.push_back(textOf(*makeRandomPlan(context, seed)));
  }
  return texts;
}

std::string complaintAboutPlan(StringRef text) {
  Context context;
  Diagnostics warnings;
  auto plan = readPlan(context, {"input", text}, {.warnings = &warnings});
  if (!plan)
    return complaintAbout(plan.takeError());
  std::string written = textOf(**plan);
  auto again = readPlan(context, {"written", written});
  if (!again)
    return "what was written is not read: " + llvm::toString(again.takeError()) + written;
  if (std::string difference = planDifference(**plan, **again); !difference.empty())
    return "what was written is read as another plan: " + difference + "\n" + written;
  llvm::raw_null_ostream nowhere;
  writePlanText(nowhere, **plan);
  writePlanDot(nowhere, **plan);
  if (llvm::Error error = verifyPlanOrError(**plan))
    if (std::string complaint = complaintAbout(std::move(error)); !complaint.empty())
      return complaint;
  return complaintAbout(warnings.take());
}

/// Returns plans whose calls combine each attribute with each kind, with values of every sort: most are invalid, and
/// must be refused or harmless.
Texts attributePlans() {
  constexpr StringRef attributes[] = {R"("reduce": "sum")",
                                      R"("reduce": "nothing")",
                                      R"("root": 1)",
                                      R"("root": -1)",
                                      R"("peer": 9)",
                                      R"("tag": 7)",
                                      R"("send_counts": [1, 2])",
                                      R"("send_counts": [])",
                                      R"("receive_counts": [{"sym": "4*s0"}])",
                                      R"("receive_counts": [9223372036854775807, 1])",
                                      R"("rows": [])",
                                      R"("rows": [[null, null]])",
                                      R"("group": 99)"};
  Texts texts;
  for (StringRef plan : planFiles()) {
    size_t call = plan.find("\"kind\": \"all_");
    for (size_t i = texts.size() % 3; call != StringRef::npos && i < std::size(attributes); i += 3)
      texts.push_back((plan.take_front(call) + attributes[i] + ", " + plan.drop_front(call)).str());
  }
  return texts;
}

// --- Side files ------------------------------------------------------------------------------------------------------

template <typename Result>
std::string complaintAboutRefusal(llvm::Expected<Result> result) {
  return result ? "" : complaintAbout(result.takeError());
}

Texts facts() {
  constexpr size_t few = 10;
  return joined(dataFiles("facts.json", smallFile, few), caseFiles([](StringRef text) {
                  return text.contains("\"groups\"") || text.contains("\"tolerance\"") || text.contains("constants");
                }));
}

Texts groupFiles() {
  return joined(facts(), {R"({"groups": {"0": {"ranks": [0, 1], "desc": "default_pg", "tag": "t", "backend": "nccl"},
 "tp": {"partition": [[0, 1], [2, 3]], "mesh": "m", "axis": 1, "more": {"a": [1.5, null]}}}, "other": []})"});
}

Texts objectFiles() {
  return joined(facts(),
                {R"({"constants": {"_torchbind_obj1": {"reduce_op": "sum"}, "_torchbind_obj0": {"group": "tp"}}})"});
}

Texts toleranceFiles() {
  return joined(facts(), {R"({"tolerance": {"per_output": [{"output": "out.0", "kind": "bitwise"},
 {"output": "out.1", "kind": "close", "atol": 1e-6, "rtol": 4.8e-7}]}})"});
}

Texts opFiles() {
  return joined(caseFiles([](StringRef text) { return text.contains("\"ops\""); }),
                {R"json({"ops": [{"schema": "mylib::scale(Tensor x, float s=1.0, *, int[2]? pad=[0, 1]) -> Tensor"},
 {"schema": "mylib::log_(Tensor(a!) x, Tensor(b)[] y) -> ()", "pure": false},
 {"schema": "mylib::two.out(Tensor x, str mode='a', ScalarType? t=None, *, Tensor(a!) out) -> (Tensor(a!), Tensor?)"}]})json"});
}

std::string complaintAboutOps(StringRef text) {
  auto declarations = readOpFile({"input", text});
  if (!declarations)
    return complaintAbout(declarations.takeError());
  Context context;
  for (const OpDeclaration &declaration : *declarations)
    if (llvm::Error error = context.ops().declare(declaration))
      if (std::string complaint = complaintAbout(std::move(error)); !complaint.empty())
        return complaint;
  return "";
}

// --- Input of the cost model -----------------------------------------------------------------------------------------

Texts machineFiles() {
  return joined(dataFiles(".machine.json", smallFile),
                caseFiles([](StringRef text) { return text.contains("ccgraph.machine"); }));
}

/// An accepted machine must give every kind of collective a finite estimated time.
std::string complaintAboutMachine(StringRef text) {
  auto machine = readMachineFile({"input", text});
  if (!machine)
    return complaintAbout(machine.takeError());
  Context context;
  const Graph graph(context);
  const CostModel model(graph, *machine);
  for (CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::AllToAll,
                              CollectiveKind::Broadcast, CollectiveKind::Send})
    for (Placement placement : {Placement{2, 1}, Placement{16, 2}, Placement{512, 512}})
      if (model.collective(kind, int64_t(1) << 30, placement) <= 0)
        return "a gigabyte takes no time";
  return model.copy(int64_t(1) << 40) > 0 ? "" : "copies take no time";
}

Texts scheduleFiles() {
  return joined(dataFiles(".schedule.json", smallFile),
                caseFiles([](StringRef text) { return text.contains("ccgraph.schedule"); }));
}

/// An accepted schedule must be written as a text that reads back as the same schedule.
std::string complaintAboutSchedule(StringRef text) {
  Diagnostics warnings;
  auto schedule = readSchedule({"input", text}, &warnings);
  if (!schedule)
    return complaintAbout(schedule.takeError());
  auto written = [](const Schedule &value) {
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    writeSchedule(os, value);
    return os.str();
  };
  const std::string first = written(*schedule);
  auto again = readSchedule({"written", first});
  if (!again)
    return "its own text is refused: " + llvm::toString(again.takeError());
  if (written(*again) != first)
    return "its own text reads as another schedule";
  return complaintAbout(warnings.take());
}

Texts timedFiles() {
  return {
      "# graph 0123456789012345678901234567890123456789012345678901234567890123\n# source estimated\nname\tus\n"
      "mm\t463.225\nadd\t1.5e-3\n",
      R"({"version": 2, "args": ["./all_gather_perf", "-J"], "nccl_version": 22803, "config": {"nthreads": 2, "ngpus": 2,
 "devices": [{"rank": 0, "hostname": "a"}]}, "results": [{"size": 1024, "out_of_place": {"time": 12.5}}]})",
      R"({"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "kernel", "name": "ncclDevKernel", "dur": 80.25,
 "args": {"Collective name": "allreduce", "In msg nelems": 512, "Out msg nelems": 512, "dtype": "BFloat16", "Group size": 8,
 "Process Group Ranks": "[0, 8, 16]"}}]})",
      R"({"distributedInfo": {"rank": 1, "pg_config": [{"pg_name": "0", "ranks": [0, 1]}]}, "traceEvents": [
{"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "rank 0"}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 1.5, "dur": 2, "tid": 3, "args": {"correlation": 4}},
{"ph": "X", "cat": "kernel", "name": "k", "ts": 2, "dur": 3, "tid": "stream 7", "args": {"correlation": 4, "node": "mm",
 "Collective name": "allreduce", "In msg nelems": 8, "dtype": "Float", "Process Group Ranks": "[0, 1]", "Seq": 2}}]})",
      R"({"segments": [{"device": 0, "address": 64, "total_size": 1024, "blocks": [{"size": 512, "requested_size": 400,
 "state": "active_allocated", "frames": [{"filename": "a.py", "line": 3, "name": "f"}]}, {"size": 512, "state":
 "inactive"}]}], "device_traces": [[{"action": "alloc", "addr": 64, "size": 400}, {"action": "snapshot"}]]})",
      std::string("\200\002}q\000(X\010\000\000\000segmentsq\001]q\002}q\003(X\006\000\000\000deviceq\004K\000X\007\000"
                  "\000\000addressq\005K@X\012\000\000\000total_sizeq\006M\000\004X\006\000\000\000blocksq\007]q\010}q"
                  "\011(X\004\000\000\000sizeq\012M\000\002X\016\000\000\000requested_sizeq\013M\220\001X\005\000\000"
                  "\000stateq\014X\020\000\000\000active_allocatedq\015X\006\000\000\000framesq\016]q\017}q\020(X\010"
                  "\000\000\000filenameq\021X\004\000\000\000a.pyq\022X\004\000\000\000lineq\023K\003X\004\000\000\000n"
                  "ameq\024X\001\000\000\000fq\025uauauaX\015\000\000\000device_tracesq\026]q\027]q\030}q\031(X\006\000"
                  "\000\000actionq\032X\005\000\000\000allocq\033X\004\000\000\000addrq\034K@h\012M\220\001uaau.",
                  334),
      R"({"cppCodeToPost": {"cpp_fused_relu_0:2": ["relu", "add"], "extern_kernels.mm:3": ["mm_1"]}})",
      R"({"ops": [{"name": "torch.ops._c10d_functional.all_reduce_.default", "type": "collective",
 "estimated_runtime_ns": 30070.5}, {"name": "op1", "type": "compute", "estimated_runtime_ns": 5}]})"};
}

std::string complaintAboutTimes(StringRef text) {
  constexpr int64_t ranksPerNode = 8;
  std::string complaint = complaintAboutRefusal(readDurationsFile({"input", text}));
  if (complaint.empty())
    complaint = complaintAboutRefusal(readCollectiveSamples({"input", text}, ranksPerNode));
  if (complaint.empty())
    complaint = complaintAboutRefusal(readProfiles({"input", text}));
  if (complaint.empty())
    complaint = complaintAboutRefusal(readMemorySnapshot({"input", text}));
  return complaint.empty() ? complaintAboutRefusal(readKernelProvenance({"input", text})) : complaint;
}

// --- Words -----------------------------------------------------------------------------------------------------------

Texts pipelineTexts() {
  Texts texts = goldenSections("pipeline");
  texts.push_back("sink-waits, coalesce-collectives{layout=flat max-bytes=64MiB max-count=8},schedule-overlap");
  return texts;
}

std::string complaintAboutPipeline(StringRef text) {
  auto pipeline = Pipeline::parse(text);
  if (!pipeline)
    return complaintAbout(pipeline.takeError());
  std::string canonical = pipeline->str();
  auto again = Pipeline::parse(canonical);
  if (!again)
    return "'" + canonical + "' is not read back: " + llvm::toString(again.takeError());
  return again->str() == canonical ? "" : "'" + canonical + "' is read as '" + again->str() + "'";
}

Texts typeTexts() {
  return {"bf16[8, 4096][4096, 1]cuda:0",
          "f32[][]cpu",
          "f32[u0 + u1, 4][4, 1]cpu",
          "f32[2, 3]",
          "Sym(s0*s1 + 4)",
          "i64[s0][1]cpu",
          "Sym(Max(1, u0)//2)",
          "b8[Mod(s0, 3)][1]meta"};
}

std::string complaintAboutType(StringRef text) {
  Context context;
  auto type = parseType(context, text);
  if (!type)
    return llvm::toString(type.takeError()).empty() ? "a type is refused without a word" : "";
  auto again = parseType(context, (*type)->str());
  if (!again)
    return "'" + (*type)->str() + "' is not read back: " + llvm::toString(again.takeError());
  return *again == *type ? "" : "'" + (*type)->str() + "' is read as '" + (*again)->str() + "'";
}

// --- Logs ------------------------------------------------------------------------------------------------------------

/// Returns the logs of the cases: valid ones, with prefixes, interleaved and damaged.
Texts traceLogs() {
  return caseFiles([](StringRef text) { return text.contains("\"has_payload\""); });
}

/// A log is listed whatever is damaged, and a graph that is listed as readable can be read.
std::string complaintAboutTrace(StringRef text) {
  InputFile file = InputFile::ofText("input", text.str(), {});
  Diagnostics warnings;
  auto log = TraceLog::open(file, warnings);
  if (!log)
    return complaintAbout(log.takeError());
  for (const ListedGraph &graph : log->graphs()) {
    auto payload = log->text(graph);
    if (!payload)
      return "a graph that was listed is gone: " + llvm::toString(payload.takeError());
    Context context;
    auto graphs = readGraphs(context, payload->source());
    if (static_cast<bool>(graphs) != graph.leftOut.empty())
      return "a graph is listed as " + (graph.leftOut.empty() ? "read" : graph.leftOut) + " and is not";
    if (!graphs)
      llvm::consumeError(graphs.takeError());
  }
  return complaintAbout(warnings.take());
}

// --- Bytes -----------------------------------------------------------------------------------------------------------

/// A file is refused, or its text is at most a hundred times the size of the file, plus the size that every file may
/// inflate to.
std::string complaintAboutFile(StringRef bytes) {
  auto path = std::filesystem::temp_directory_path() / ("ccgraph-fuzz-" + std::to_string(getpid()));
  std::ofstream(path, std::ios::binary) << bytes.str();
  auto file = InputFile::open(path.string());
  std::string complaint;
  if (!file)
    complaint = complaintAbout(file.takeError());
  else if (file->text().size() > mostInflatedBytes(bytes.size()))
    complaint = "a file of " + std::to_string(bytes.size()) + " bytes became " + std::to_string(file->text().size());
  std::filesystem::remove(path);
  return complaint;
}

/// Returns real files, and a decompression bomb: members of 64 KiB of zeros each, which inflate to 700 times their
/// size.
Texts gzipFiles() {
  static constexpr StringRef zeros =
      "1f8b0800000000000203edc101010000008090feafee080a000000000000000000000000000000000000000000"
      "0000000000000000000000000000000000000000000000000000000000000000000000000000000000006aeb8e"
      "97d700000100";
  constexpr size_t members = 1280;
  std::string bomb;
  for (size_t i = 0; i < members; ++i)
    bomb += llvm::fromHex(zeros);
  Texts texts = dataFiles(".gz", smallFile);
  texts.push_back(texts.front() + bomb);
  texts.push_back(std::move(bomb));
  return texts;
}

Texts tensorFiles() {
  constexpr size_t few = 12;
  return joined(dataFiles(".safetensors", smallFile, few),
                caseFiles([](StringRef text) { return text.contains("data_offsets"); }));
}

std::string complaintAboutTensors(StringRef bytes) {
  auto tensors = readSafetensors({"input", bytes});
  if (!tensors)
    return complaintAbout(tensors.takeError());
  std::string written;
  llvm::raw_string_ostream os(written);
  llvm::cantFail(writeSafetensors(os, *tensors));
  auto again = readSafetensors({"written", os.str()});
  if (!again)
    return "tensors that were written are not read: " + llvm::toString(again.takeError());
  auto same = [](const auto &a, const auto &b) {
    return a.first == b.first && a.second.dtype == b.second.dtype && a.second.sizes == b.second.sizes &&
           a.second.data == b.second.data;
  };
  return std::equal(again->begin(), again->end(), tensors->begin(), tensors->end(), same)
             ? ""
             : "tensors that were written are read as others";
}

constexpr FuzzSubject subjects[] = {
    {"FxText", fxTexts, complaintAboutGraphs},
    {"JsonGraphs", jsonTexts, complaintAboutGraphs},
    {"ExportedPrograms", exportedModels, complaintAboutGraphs},
    {"ExportArchives", exportArchives, complaintAboutGraphs},
    {"Plans", planFiles, complaintAboutPlan},
    {"PlanAttributes", attributePlans, complaintAboutPlan},
    {"GroupFiles", groupFiles,
     [](StringRef text) {
       return complaintAboutRefusal(readGroupFile({"input", text}));
     }},
    {"ObjectFiles", objectFiles,
     [](StringRef text) {
       return complaintAboutRefusal(readObjectFile({"input", text}));
     }},
    {"ToleranceFiles", toleranceFiles,
     [](StringRef text) {
       return complaintAboutRefusal(readToleranceFile({"input", text}));
     }},
    {"OpFiles", opFiles, complaintAboutOps},
    {"Machines", machineFiles, complaintAboutMachine},
    {"Schedules", scheduleFiles, complaintAboutSchedule},
    {"Times", timedFiles, complaintAboutTimes},
    {"Contracts", contractFiles, complaintAboutContract},
    {"PipelineSchedules", pipelineSchedules, complaintAboutPipelineSchedule},
    {"JobFiles", jobFiles, complaintAboutJobFile},
    {"Pipelines", pipelineTexts, complaintAboutPipeline},
    {"Types", typeTexts, complaintAboutType},
    {"GzipFiles", gzipFiles, complaintAboutFile},
    {"Tensors", tensorFiles, complaintAboutTensors},
    {"TraceLogs", traceLogs, complaintAboutTrace},
};

} // namespace

llvm::ArrayRef<FuzzSubject> fuzzSubjects() { return subjects; }

} // namespace ccgraph::test
