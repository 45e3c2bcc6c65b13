// Tests the C ABI from several threads, as docs/c-api.md describes it. Argument: the folder of tests/data. Each failed
// check prints its condition. The thread sanitizer runs this program too (tools/test-threads).
#include "ccgraph.h"

#include <array>
#include <atomic>
#include <cstdio>
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

/// Returns the optimized graph of a file, and the schedule.
std::string optimized(const std::string &path, const ccgraph_options *options) {
  ccgraph_graph *graph = read(path);
  if (graph == nullptr)
    return "";
  check(fine(ccgraph_optimize(graph, options)), path.c_str());
  std::string made = printed(graph, "json") + printed(graph, "schedule");
  ccgraph_graph_free(graph);
  return made;
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
  checkErrors();
  ccgraph_options_free(options);
  return failures != 0;
}
