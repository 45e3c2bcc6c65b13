#include "unit/passes/overlap/problem_text.h"

#include <map>
#include <set>

using llvm::StringRef;

namespace ccgraph::overlap::test {

namespace {

class Reader {
public:
  NamedProblem run(StringRef text) {
    llvm::SmallVector<StringRef, 16> lines;
    text.split(lines, '\n', -1, false);
    for (StringRef line : lines)
      if (!line.trim().empty())
        readLine(line.trim());
    addHolds();
    result_.problem.estimatedTime = [](uint32_t, int64_t bytes) { return 5 + bytes; };
    return std::move(result_);
  }

private:
  void readLine(StringRef line) {
    llvm::SmallVector<StringRef, 16> words;
    line.split(words, ' ', -1, false);
    auto number = static_cast<uint32_t>(result_.names.size());
    index_[words[0]] = number;
    result_.names.push_back(words[0].str());
    Step step;
    size_t next = 2;
    if (words[1] == "wait" || words[1] == "view")
      step.kind = words[1] == "wait" ? StepKind::Wait : StepKind::Free;
    else
      step.picoseconds = numberOf(words[next++]);
    if (words[1] == "launch")
      step.kind = StepKind::Launch;
    step.input = words[1] == "input";
    makes_.push_back(-1);
    std::set<uint32_t> before;
    for (; next + 1 < words.size(); next += 2)
      readPair({words[next], words[next + 1]}, step, before);
    for (uint32_t from : before)
      result_.problem.before.push(from);
    result_.problem.before.endList();
    result_.problem.completes.endList();
    result_.problem.steps.push_back(step);
    result_.problem.streams = std::max(result_.problem.streams, size_t{step.stream} + 1);
  }

  void readPair(std::pair<StringRef, StringRef> pair, Step &step, std::set<uint32_t> &before) {
    auto number = static_cast<uint32_t>(makes_.size() - 1);
    if (pair.first == "bytes")
      step.bytes = numberOf(pair.second);
    else if (pair.first == "latency")
      step.latency = numberOf(pair.second);
    else if (pair.first == "stream")
      step.stream = static_cast<uint32_t>(numberOf(pair.second));
    else if (pair.first == "key")
      step.mergeKey = static_cast<uint32_t>(numberOf(pair.second));
    else if (pair.first == "makes")
      makes_.back() = numberOf(pair.second);
    else {
      uint32_t other = index_.lookup(pair.second);
      before.insert(other);
      holds_[number].insert(other);
      if (pair.first == "completes")
        result_.problem.completes.push(other);
    }
  }

  /// Storage i is the result of the i-th step that has a result.
  void addHolds() {
    std::vector<uint32_t> storage(makes_.size(), none);
    for (size_t step = 0; step < makes_.size(); ++step)
      if (makes_[step] >= 0) {
        storage[step] = static_cast<uint32_t>(result_.problem.storages.size());
        result_.problem.storages.push_back({makes_[step], false, false});
      }
    for (uint32_t step = 0; step < makes_.size(); ++step) {
      std::set<uint32_t> held = holds_[step];
      held.insert(step);
      for (uint32_t other : held)
        if (storage[other] != none)
          result_.problem.holds.push(storage[other]);
      result_.problem.holds.endList();
    }
  }

  static int64_t numberOf(StringRef text) {
    int64_t number = 0;
    EXPECT_FALSE(text.getAsInteger(10, number)) << text.str();
    return number;
  }

  NamedProblem result_;
  llvm::StringMap<uint32_t> index_;
  std::vector<int64_t> makes_;
  std::map<uint32_t, std::set<uint32_t>> holds_;
};

} // namespace

NamedProblem problemOf(StringRef text) { return Reader().run(text); }

} // namespace ccgraph::overlap::test
