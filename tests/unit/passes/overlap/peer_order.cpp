#include "unit/passes/overlap/peer_order.h"

#include "ccgraph/frontend/files.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

using llvm::StringRef;

namespace ccgraph::overlap::test {

namespace {

using Fields = llvm::SmallVector<StringRef, 8>;

std::vector<Fields> readTable(StringRef text) {
  std::vector<Fields> rows;
  llvm::SmallVector<StringRef, 0> lines;
  text.split(lines, '\n', -1, false);
  for (StringRef line : llvm::drop_begin(lines))
    line.split(rows.emplace_back(), '\t');
  return rows;
}

int64_t numberOf(StringRef text) {
  int64_t number = 0;
  EXPECT_FALSE(text.getAsInteger(10, number)) << text.str();
  return number;
}

double decimalOf(StringRef text) {
  double number = 0;
  EXPECT_TRUE(llvm::to_float(text, number)) << text.str();
  return number;
}

struct Piece {
  int64_t id;
  int64_t bytes;
};

struct Record {
  std::string name;
  StringRef target;
  std::vector<uint32_t> inputs;
  StringRef group;
  int64_t picoseconds = 0;
  std::vector<Piece> storages;
  [[nodiscard]] bool isWait() const { return target.contains("wait_tensor"); }
};

/// Operators whose results always share the storage of their operand; for a few of them the file states otherwise.
const llvm::StringSet<> views = {"view",      "_unsafe_view", "t",      "transpose", "permute",    "slice",  "select",
                                 "unsqueeze", "squeeze",      "expand", "alias",     "as_strided", "detach", "narrow"};

class Reader {
public:
  PeerOrder run(StringRef text) {
    for (const Fields &row : readTable(text))
      readRecord(row);
    for (uint32_t step = 0; step < records_.size(); ++step)
      addStep(step);
    result_.problem.streams = streams_.size();
    addStorages();
    return std::move(result_);
  }

private:
  void readRecord(const Fields &row) {
    constexpr size_t fields = 7;
    ASSERT_EQ(row.size(), fields);
    Record record{row[0].str(), row[1], {}, row[3]};
    Fields inputs, pieces;
    row[2].split(inputs, ',', -1, false);
    for (StringRef input : inputs)
      record.inputs.push_back(index_.lookup(input));
    constexpr double picosecondsOfUs = 1e6;
    record.picoseconds = std::llround(decimalOf(row[5]) * picosecondsOfUs);
    row[6].split(pieces, ',', -1, false);
    for (StringRef piece : pieces)
      record.storages.push_back({numberOf(piece.split(':').first), numberOf(piece.split(':').second)});
    bool isView = views.contains(record.target.split('.').second.split('.').first);
    if (isView && !record.inputs.empty() && !records_[record.inputs[0]].storages.empty())
      record.storages = records_[record.inputs[0]].storages;
    index_[record.name] = static_cast<uint32_t>(records_.size());
    records_.push_back(std::move(record));
  }

  void addStep(uint32_t number) {
    const Record &record = records_[number];
    Step step;
    step.picoseconds = record.picoseconds;
    step.input = record.target == "placeholder";
    if (!record.group.empty()) {
      step.kind = StepKind::Launch;
      step.stream = streams_.try_emplace(record.group, streams_.size()).first->second;
    } else if (record.isWait())
      step = {.kind = StepKind::Wait};
    result_.problem.steps.push_back(step);
    result_.names.push_back(record.name);
    result_.problem.before.append(record.inputs);
    addCompletions(number);
  }

  /// Returns the storages that identify a value, or its own number if it has none.
  [[nodiscard]] std::vector<int64_t> keysOf(uint32_t number) {
    const Record &record = records_[number];
    std::vector<int64_t> keys;
    for (const Piece &piece : record.storages)
      keys.push_back(piece.id);
    if (keys.empty() && record.target.contains("getitem"))
      for (uint32_t input : record.inputs)
        keys.insert(keys.end(), keys_[input].begin(), keys_[input].end());
    if (keys.empty())
      keys.push_back(-1 - static_cast<int64_t>(number));
    return keys;
  }

  void addCompletions(uint32_t number) {
    const Record &record = records_[number];
    std::set<uint32_t> completed;
    if (record.isWait())
      for (uint32_t input : record.inputs)
        for (int64_t key : keys_[input])
          if (auto found = filledBy_.find(key); found != filledBy_.end())
            completed.insert(found->second);
    for (uint32_t launch : completed)
      result_.problem.completes.push(launch);
    result_.problem.completes.endList();
    keys_.push_back(keysOf(number));
    if (!record.group.empty())
      for (int64_t key : keys_.back())
        filledBy_[key] = number;
  }

  uint32_t storageOf(const Piece &piece) {
    auto [place, isNew] = storages_.try_emplace(piece.id, result_.problem.storages.size());
    if (isNew)
      result_.problem.storages.push_back({piece.bytes});
    return static_cast<uint32_t>(place->second);
  }

  /// Returns the values that a node makes and reads; a wait also holds those of the collective that it completes.
  [[nodiscard]] std::set<uint32_t> heldBy(uint32_t number) {
    std::set<uint32_t> held;
    auto add = [&](uint32_t record) {
      for (const Piece &piece : records_[record].storages)
        held.insert(storageOf(piece));
    };
    add(number);
    for (uint32_t input : records_[number].inputs)
      add(input);
    for (uint32_t launch : result_.problem.completes[number]) {
      add(launch);
      for (uint32_t input : records_[launch].inputs)
        add(input);
    }
    return held;
  }

  void addStorages() {
    for (uint32_t number = 0; number < records_.size(); ++number) {
      std::set<uint32_t> held = heldBy(number);
      result_.problem.holds.append(std::vector<uint32_t>(held.begin(), held.end()));
      const Record &record = records_[number];
      for (const Piece &piece : record.storages)
        if (record.target == "placeholder") {
          Storage &storage = result_.problem.storages[storageOf(piece)];
          storage.fromStart = true;
          storage.toEnd |= StringRef(record.name).startswith("primals");
        }
      if (record.target == "output")
        for (uint32_t storage : held)
          result_.problem.storages[storage].toEnd = true;
    }
  }

  std::vector<Record> records_;
  llvm::StringMap<uint32_t> index_;
  llvm::StringMap<uint32_t> streams_;
  std::map<int64_t, size_t> storages_;
  /// by record
  std::vector<std::vector<int64_t>> keys_;
  std::map<int64_t, uint32_t> filledBy_;
  PeerOrder result_;
};

} // namespace

PeerOrder readPeerOrder(const std::string &path) {
  auto file = llvm::cantFail(InputFile::open(path));
  return Reader().run(file.source().text);
}

std::vector<Replayed> readReplayed(const std::string &folder) {
  auto file = llvm::cantFail(InputFile::open(folder + "/replayed.tsv"));
  std::vector<Replayed> all;
  for (const Fields &row : readTable(file.source().text))
    all.push_back({row[0].str(), decimalOf(row[1]), decimalOf(row[2]), numberOf(row[3])});
  return all;
}

} // namespace ccgraph::overlap::test
