// Builds small jobs from lists of calls, checks them, and prints the result in one line for each finding.
//
// Ownership: plain values. Failure: a test fails at a text that cannot be read. Cost: that of the readers.
#pragma once

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/ir/context.h"
#include "ccgraph/jobs/check.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <map>

namespace ccgraph::test {

/// The text of one rank. Each launch returns its number, by which later calls name it; its node is "l<number>".
class RankText {
public:
  /// The input of `on` is computed from the awaited value of launch `after`.
  int allReduce(llvm::StringRef group, llvm::StringRef reduction = "sum", int after = -1) {
    std::string input = after < 0 ? "x" : add("x", "w" + std::to_string(after));
    return launch("all_reduce.default(" + input + ", '" + reduction.str() + "', '" + group.str() + "')", "f32[4]");
  }
  int broadcast(llvm::StringRef group, int root) {
    return launch("broadcast.default(x, " + std::to_string(root) + ", '" + group.str() + "')", "f32[4]");
  }
  int gather(llvm::StringRef group, int ranks) {
    return launch("all_gather_into_tensor.default(x, " + std::to_string(ranks) + ", '" + group.str() + "')",
                  "f32[" + std::to_string(4 * ranks) + "]");
  }
  /// An all_reduce of other elements: "f64[4]", "f32[8]".
  int allReduceOf(llvm::StringRef type, llvm::StringRef group) {
    return launch("all_reduce.default(" + input(type) + ", 'sum', '" + group.str() + "')", type.str());
  }
  int exchange(llvm::StringRef group, const std::string &receives, const std::string &sends, int sent, int received) {
    return launch("all_to_all_single.default(" + input("f32[" + std::to_string(sent) + "]") + ", [" + receives +
                      "], [" + sends + "], '" + group.str() + "')",
                  "f32[" + std::to_string(received) + "]");
  }
  int send(int peer, int tag = 0, llvm::StringRef type = "f32[4]") {
    return launch("isend.default(" + input(type) + ", " + std::to_string(peer) + ", " + std::to_string(tag) +
                      ", 'world')",
                  "f32[0]");
  }
  int receive(int peer, int tag = 0, llvm::StringRef type = "f32[4]") {
    return launch("irecv.default(" + input(type) + ", " + std::to_string(peer) + ", " + std::to_string(tag) +
                      ", 'world')",
                  type.str());
  }
  /// Sends to a rank and receives from it, in one batch.
  int swapWith(int peer) {
    std::string at = std::to_string(peer);
    int number = next_++;
    std::string node = "l" + std::to_string(number);
    lines_ += "    " + node + " = torch.ops._c10d_functional.batch_p2p_ops.default(['isend', 'irecv'], [" + at + ", " +
              at + "], [0, 0], [" + input("f32[4]") + ", " + input("f32[4]") + "], 'world')\n";
    for (int i : {0, 1})
      lines_ += "    " + node + "_" + std::to_string(i) + ": \"f32[" + (i == 0 ? "0" : "4") + "][1]cpu\" = " + node +
                "[" + std::to_string(i) + "]\n";
    batches_.push_back(number);
    return number;
  }
  void barrier(llvm::StringRef group) {
    std::string number = std::to_string(next_++);
    lines_ += "    pg" + number + " = self." + group.str() + "\n    l" + number +
              " = torch.ops.c10d.barrier.default(x, pg" + number + ", [], False)\n";
  }
  void wait(int launch) {
    std::string node = "l" + std::to_string(launch), result = "w" + std::to_string(launch);
    if (llvm::is_contained(batches_, launch)) {
      for (const char *part : {"_0", "_1"})
        lines_ += "    " + result + part + " = torch.ops._c10d_functional.wait_tensor.default(" + node + part + ")\n";
      return;
    }
    lines_ += "    " + result + typed(types_[static_cast<size_t>(launch)]) +
              " = torch.ops._c10d_functional.wait_tensor.default(" + node + ")\n";
  }
  /// The host reads the awaited value of the launch.
  void read(int launch) {
    lines_ += "    h" + std::to_string(reads_) + " = torch.ops.aten._local_scalar_dense.default(w" +
              std::to_string(launch) + ")\n";
    ++reads_;
  }
  void returns(int launch) { outputs_.push_back("l" + std::to_string(launch)); }

  [[nodiscard]] std::string str() const {
    std::string text = "class f(torch.nn.Module):\n  def forward(self, x: \"f32[4][1]cpu\"";
    for (size_t i = 0; i < inputs_.size(); ++i)
      text += ", in" + std::to_string(i) + ": \"" + inputs_[i] + "[1]cpu\"";
    std::string outputs = llvm::join(outputs_, ", ");
    return text + "):\n" + lines_ + "    return (" + outputs + (outputs.empty() ? ")" : ",)") + "\n";
  }

private:
  static std::string typed(llvm::StringRef type) { return ": \"" + type.str() + "[1]cpu\""; }
  std::string input(llvm::StringRef type) {
    inputs_.push_back(type.str());
    return "in" + std::to_string(inputs_.size() - 1);
  }
  std::string add(const std::string &a, const std::string &b) {
    std::string node = "a" + std::to_string(next_);
    lines_ += "    " + node + typed("f32[4]") + " = torch.ops.aten.add.Tensor(" + a + ", " + b + ")\n";
    return node;
  }
  int launch(const std::string &call, const std::string &type) {
    int number = next_++;
    types_.resize(static_cast<size_t>(next_));
    types_.back() = type;
    lines_ += "    l" + std::to_string(number) + typed(type) + " = torch.ops._c10d_functional." + call + "\n";
    return number;
  }

  std::string lines_;
  std::vector<std::string> inputs_, outputs_, types_;
  std::vector<int> batches_;
  int next_ = 0, reads_ = 0;
};

/// A job of ranks 0 to n - 1 with groups by name; "world" is the group of all.
class JobBench {
public:
  explicit JobBench(size_t ranks) : texts(ranks) {
    std::vector<int64_t> all;
    for (size_t rank = 0; rank < ranks; ++rank)
      all.push_back(static_cast<int64_t>(rank));
    group("world", all);
  }
  void group(llvm::StringRef name, std::vector<int64_t> ranks) {
    Group group;
    group.name = name.str();
    group.ranks = std::move(ranks);
    groups.set(std::move(group));
  }
  /// The table of one rank orders the group's ranks in this way.
  void orderAt(int64_t rank, llvm::StringRef name, std::vector<int64_t> ranks) { orders_[{rank, name.str()}] = ranks; }

  [[nodiscard]] llvm::Expected<jobs::Job> job() {
    jobs::Job job;
    for (size_t rank = 0; rank < texts.size(); ++rank)
      if (!llvm::is_contained(absent, static_cast<int64_t>(rank)))
        if (llvm::Error error = add(job, static_cast<int64_t>(rank)))
          return error;
    return job;
  }
  [[nodiscard]] jobs::CheckResult check(const jobs::CheckOptions &options = {}) {
    llvm::Expected<jobs::Job> made = job();
    if (!made) {
      ADD_FAILURE() << llvm::toString(made.takeError());
      return {};
    }
    return jobs::checkJob(*made, options);
  }
  /// Returns "..DDD", the verdicts by semantics, and the rules with their culprits: "..DDD deadlock 0 1, missing 2".
  /// Deadlocks are listed once.
  [[nodiscard]] std::string verdict() {
    jobs::CheckResult result = check();
    std::string text;
    for (const jobs::SemanticsVerdict &verdict : result.verdicts)
      text += verdict.deadlock ? 'D' : '.';
    std::vector<std::string> findings;
    for (const jobs::Finding &finding : result.findings) {
      std::string one = jobs::ruleName(finding.rule).str();
      for (int64_t rank : finding.culprits)
        one += " " + std::to_string(rank);
      if (!llvm::is_contained(findings, one))
        findings.push_back(one);
    }
    return text + (findings.empty() ? "" : " ") + llvm::join(findings, ", ");
  }

  std::vector<RankText> texts;
  std::vector<int64_t> absent;
  GroupTable groups;

private:
  llvm::Error add(jobs::Job &job, int64_t rank) {
    Context context;
    std::string text = texts[static_cast<size_t>(rank)].str();
    llvm::Expected<GraphList> graphs = readGraphs(context, {"rank" + std::to_string(rank) + ".py", text});
    if (!graphs)
      return graphs.takeError();
    Graph &graph = *graphs->front();
    for (Group group : groups.groups()) {
      auto order = orders_.find({rank, group.name});
      if (order != orders_.end())
        group.ranks = order->second;
      graph.groups().set(group);
    }
    return job.add(graph, {rank});
  }

  std::map<std::pair<int64_t, std::string>, std::vector<int64_t>> orders_;
};

/// Returns a job in which each of two ranks sends to the other before it receives.
inline JobBench bothSendFirst() {
  JobBench bench(2);
  for (int rank : {0, 1}) {
    RankText &text = bench.texts[static_cast<size_t>(rank)];
    int sent = text.send(1 - rank), received = text.receive(1 - rank);
    text.wait(sent);
    text.wait(received);
  }
  return bench;
}

/// Returns a job of three ranks, two of which use the groups "world" and "pair" in different orders, and wait between.
inline JobBench crossedGroups() {
  JobBench bench(3);
  bench.group("pair", {0, 1});
  for (auto [rank, first, second] : {std::tuple(0, "world", "pair"), std::tuple(1, "pair", "world")}) {
    RankText &text = bench.texts[static_cast<size_t>(rank)];
    text.wait(text.allReduce(first));
    text.wait(text.allReduce(second));
  }
  bench.texts[2].wait(bench.texts[2].allReduce("world"));
  return bench;
}

} // namespace ccgraph::test
