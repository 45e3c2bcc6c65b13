// Tests the C ABI from several threads, as docs/c-api.md describes it. Argument: the folder of tests/data. Each failed
// check prints its condition. The thread sanitizer runs this program too (tools/test-threads).
#include "ccgraph.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

std::atomic<int> failures = 0;

void check(bool condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "not so: %s\n", what);
  ++failures;
}

/// Returns true if there is no error; otherwise prints, counts and frees the error.
bool fine(ccgraph_error *error) {
  if (error == nullptr)
    return true;
  fprintf(stderr, "unexpected: %s", ccgraph_error_text(error));
  ccgraph_error_free(error);
  ++failures;
  return false;
}

std::string take(ccgraph_text *text) {
  std::string taken(ccgraph_text_data(text), ccgraph_text_size(text));
  ccgraph_text_free(text);
  return taken;
}

std::string printed(ccgraph_graph *graph, const char *form) {
  ccgraph_text *text = nullptr;
  return fine(ccgraph_print(graph, form, &text)) ? take(text) : "";
}

ccgraph_graph *read(const std::string &path) {
  ccgraph_graph *graph = nullptr;
  return fine(ccgraph_read(path.c_str(), nullptr, &graph)) ? graph : nullptr;
}

/// Optimizes the graph. Returns it and its schedule, and frees it.
std::string optimized(ccgraph_graph *graph, const ccgraph_options *options, const char *name) {
  if (graph == nullptr)
    return "";
  check(fine(ccgraph_optimize(graph, options)), name);
  std::string made = printed(graph, "json") + printed(graph, "schedule");
  ccgraph_graph_free(graph);
  return made;
}

std::string optimized(const std::string &path, const ccgraph_options *options) {
  return optimized(read(path), options, path.c_str());
}

constexpr size_t threadCount = 4;

void together(const std::function<void(size_t)> &what) {
  std::vector<std::thread> threads;
  for (size_t i = 0; i != threadCount; ++i)
    threads.emplace_back(what, i);
  for (std::thread &thread : threads)
    thread.join();
}

/// Gives each thread graphs of its own, of the same files, with one set of options.
void checkOwnGraphs(const std::vector<std::string> &files, const ccgraph_options *options) {
  std::vector<std::string> alone;
  for (const std::string &file : files)
    alone.push_back(optimized(file, options));
  together([&](size_t thread) {
    for (size_t i = 0; i != files.size(); ++i) {
      size_t at = (i + thread) % files.size();
      check(optimized(files[at], options) == alone[at], "a thread makes of a file what one alone makes of it");
    }
  });
}

/// Lets all threads use one graph: calls wait for one another, and one thread optimizes it.
void checkOneGraph(const std::string &file, const ccgraph_options *options) {
  std::string alone = optimized(file, options);
  ccgraph_graph *graph = read(file);
  if (graph == nullptr)
    return;
  std::atomic<int> done = 0, refused = 0;
  std::array<std::string, threadCount> digests;
  together([&](size_t thread) {
    check(fine(ccgraph_verify(graph)), "a graph is well formed before and after");
    if (ccgraph_error *error = ccgraph_optimize(graph, options)) {
      refused += ccgraph_error_kind(error) == CCGRAPH_USAGE;
      ccgraph_error_free(error);
    } else {
      ++done;
    }
    check(printed(graph, "json") + printed(graph, "schedule") == alone,
          "after any thread's optimization the graph is optimized");
    ccgraph_text *text = nullptr;
    if (fine(ccgraph_report(graph, &text)))
      take(text);
    if (fine(ccgraph_digest(graph, &text)))
      digests[thread] = take(text);
  });
  check(done == 1 && refused == threadCount - 1, "one thread optimizes, the others are told that it is done");
  for (const std::string &digest : digests)
    check(digest.size() == 64 && digest == digests[0], "all threads see one digest");
  ccgraph_graph_free(graph);
}

/// Each thread must get its own errors.
void checkErrors() {
  together([](size_t thread) {
    std::string name = "thread" + std::to_string(thread);
    for (int i = 0; i != 50; ++i) {
      ccgraph_graph *graph = nullptr;
      ccgraph_error *error = ccgraph_read_bytes(name.c_str(), "no graph", 8, nullptr, &graph);
      check(error != nullptr && graph == nullptr && std::string(ccgraph_error_text(error)).find(name) == 0,
            "an error names its own text");
      ccgraph_error_free(error);
    }
  });
}

/// A step whose loss needs the most memory, and whose parameters are gathered twice. `-O3` compares the choices with
/// and without pieces of the loss on two threads.
constexpr const char *lossStep = R"(class graph(torch.nn.Module):
    def forward(self, x: "bf16[64, 8][8, 1]cpu", w: "bf16[4, 8][8, 1]cpu", v: "bf16[4, 32][32, 1]cpu"):
        gather: "bf16[8, 8][8, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(w, 2, '0')
        whole: "bf16[8, 8][8, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(gather)
        h: "bf16[64, 8][8, 1]cpu" = torch.ops.aten.mm.default(x, whole)
        gather_1: "bf16[8, 32][32, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(v, 2, '0')
        whole_1: "bf16[8, 32][32, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(gather_1)
        p: "bf16[64, 32][32, 1]cpu" = torch.ops.aten.mm.default(h, whole_1)
        c: "f32[64, 32][32, 1]cpu" = torch.ops.prims.convert_element_type.default(p, torch.float32)
        s: "f32[64, 32][32, 1]cpu" = torch.ops.aten._log_softmax.default(c, 1, False)
        m: "f32[][]cpu" = torch.ops.aten.mean.default(s)
        e: "f32[64, 32][32, 1]cpu" = torch.ops.aten.exp.default(s)
        d: "bf16[64, 32][32, 1]cpu" = torch.ops.prims.convert_element_type.default(e, torch.bfloat16)
        gather_2: "bf16[8, 32][32, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(v, 2, '0')
        whole_2: "bf16[8, 32][32, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(gather_2)
        t: "bf16[32, 8][1, 32]cpu" = torch.ops.aten.permute.default(whole_2, [1, 0])
        dh: "bf16[64, 8][8, 1]cpu" = torch.ops.aten.mm.default(d, t)
        gather_3: "bf16[8, 8][8, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(w, 2, '0')
        whole_3: "bf16[8, 8][8, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(gather_3)
        t_1: "bf16[8, 8][1, 8]cpu" = torch.ops.aten.permute.default(whole_3, [1, 0])
        dx: "bf16[64, 8][8, 1]cpu" = torch.ops.aten.mm.default(dh, t_1)
        return (m, dx)
)";

/// Optimizes the step above several times at once. The limits of memory are those of its own peak.
void checkChoices(const ccgraph_options *options) {
  auto once = [&] {
    ccgraph_graph *graph = nullptr;
    const bool isRead = fine(ccgraph_read_bytes("loss.py", lossStep, strlen(lossStep), nullptr, &graph));
    return optimized(isRead ? graph : nullptr, options, "loss.py");
  };
  const std::string first = once();
  check(first.find("_log_softmax_1") != std::string::npos, "the loss is cut into pieces");
  together([&](size_t) { check(once() == first, "each run chooses alike"); });
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s DATA\n", argv[0]);
    return 2;
  }
  std::vector<std::string> files;
  for (const char *name : {"wait_far_w2", "zero3_mlp_joint_w2", "zero3_flat_coalesced_w2"})
    files.push_back(std::string(argv[1]) + "/small/" + name + "/readable.py");
  ccgraph_options *options = ccgraph_options_new();
  check(fine(ccgraph_options_set(options, "memory-budget", "unlimited")), "options are set");
  checkOwnGraphs(files, options);
  checkOneGraph(files[0], options);
  // The search for a schedule has threads of its own.
  check(fine(ccgraph_options_set(options, "pipeline", "-O3")), "options are set");
  checkOwnGraphs({std::string(argv[1]) + "/small/transformer_step_w4/readable.py.gz"}, options);
  check(fine(ccgraph_options_set(options, "memory-budget", "100%")), "options are set");
  checkChoices(options);
  checkErrors();
  ccgraph_options_free(options);
  return failures != 0;
}
