#include "json/group_reader.h"

#include "ccgraph/ir/internal/names.h"
#include "json/json_text.h"

#include "ccgraph/ir/group_nesting.h"

#include "llvm/ADT/DenseSet.h"

namespace ccgraph {
namespace {

/// Reads a group: either a list of its members, [0, 1, 2, 3], or a partition of the ranks into cells, [[0, 1], [2, 3]].
/// A partition is one name for a different group on each part of the machine. In both forms a rank may occur once: a
/// rank in two cells would have two groups.
class GroupReader {
public:
  GroupReader(const JsonValue &value, JsonReport &report) : value_(value), report_(report) {
    group_.name = value.key.str();
  }

  std::optional<Group> run() {
    if (!value_.is(JsonKind::Object)) {
      report_.expected(value_, "a group: an object with 'ranks' or 'partition'");
      return std::nullopt;
    }
    if (!isOneLine(group_.name))
      report_.error(value_.offset, "a group whose name has control characters, expected a name of one line");
    const bool isLayout = value_.member("stride") != nullptr && !value_.member("ranks") && !value_.member("partition");
    for (const JsonValue &member : value_.elements())
      if (!isLayout || (member.key != "size" && member.key != "stride" && member.key != "world"))
        readMember(member);
    if (isLayout) {
      readLayout();
      return std::move(group_);
    }
    if (value_.member("ranks") && value_.member("partition"))
      report_.error(value_.offset, "group '" + group_.name + "' has both 'ranks' and 'partition'",
                    "'ranks' lists the members; 'partition' gives each rank its own cell");
    else if (!value_.member("ranks") && !value_.member("partition"))
      report_.expected(value_, "'ranks' or 'partition' in group '" + group_.name + "'",
                       "e.g. {\"ranks\": [0, 1, 2, 3]}");
    return std::move(group_);
  }

private:
  void readMember(const JsonValue &member) {
    if (member.key == "ranks")
      group_.ranks = readRanks(member);
    else if (member.key == "partition")
      readPartition(member);
    else if (member.key == "axis")
      group_.axis = report_.integer(member, "the index of a mesh axis").value_or(-1);
    else if (member.key == "assumed")
      readAssumed(member);
    else if (std::string *text = textOf(member.key))
      *text = report_.line(member, "a string").value_or("").str();
    else
      group_.attributes.emplace_back(member.key.str(), canonicalJson(report_.source().text, member));
  }

  std::optional<int64_t> countOf(llvm::StringRef key) {
    const JsonValue *member = value_.member(key);
    if (!member || !member->is(JsonKind::Integer) || member->integer < 1 || member->integer > mostListed) {
      report_.expected(member ? *member : value_,
                       "'" + key + "' of group '" + group_.name + "': an integer from 1 to " + llvm::Twine(mostListed),
                       "e.g. {\"size\": 4, \"stride\": 2, \"world\": 8}");
      return std::nullopt;
    }
    return member->integer;
  }

  // Reads {"size": 4, "stride": 2, "world": 8}, the dimension of a mesh: [[0, 2, 4, 6], [1, 3, 5, 7]].
  void readLayout() {
    std::optional<int64_t> size = countOf("size"), stride = countOf("stride"), world = countOf("world");
    if (!size || !stride || !world)
      return;
    group_.partition = cellsOf({*size, *stride}, *world);
    if (group_.partition.empty())
      report_.error(value_.offset,
                    "group '" + group_.name + "': " + std::to_string(*world) + " ranks are not cells of " +
                        std::to_string(*size) + " ranks at a stride of " + std::to_string(*stride),
                    "'world' is a multiple of 'size' times 'stride'");
  }

  std::string *textOf(llvm::StringRef key) {
    if (key == "desc")
      return &group_.description;
    if (key == "tag")
      return &group_.tag;
    if (key == "backend")
      return &group_.backend;
    return key == "mesh" ? &group_.mesh : nullptr;
  }

  void readAssumed(const JsonValue &member) {
    if (!member.is(JsonKind::Bool))
      report_.expected(member, "true or false");
    group_.assumed = member.boolean;
  }

  void readPartition(const JsonValue &cells) {
    if (!cells.is(JsonKind::Array) || cells.count == 0)
      report_.expected(cells, "the cells of the partition, at least one array of ranks");
    for (const JsonValue &cell : cells.elements())
      group_.partition.push_back(readRanks(cell));
  }

  std::vector<int64_t> readRanks(const JsonValue &ranks) {
    std::vector<int64_t> members;
    if (!ranks.is(JsonKind::Array) || ranks.count == 0)
      report_.expected(ranks, "at least one rank in an array");
    for (const JsonValue &rank : ranks.elements()) {
      if (!rank.is(JsonKind::Integer) || rank.integer < 0 || rank.integer > maxRank)
        report_.expected(rank, "a rank: an integer from 0 to " + llvm::Twine(maxRank));
      else if (!seen_.insert(rank.integer).second)
        report_.error(rank.offset,
                      "rank " + std::to_string(rank.integer) + " occurs twice in group '" + group_.name + "'");
      else
        members.push_back(rank.integer);
    }
    return members;
  }

  static constexpr int64_t mostListed = 65536;
  static constexpr int64_t maxRank = (int64_t(1) << 31) - 1;
  const JsonValue &value_;
  JsonReport &report_;
  Group group_;
  llvm::DenseSet<int64_t> seen_;
};

} // namespace

void readGroups(const JsonValue &groups, JsonReport &report, GroupTable &table) {
  if (!groups.is(JsonKind::Object))
    report.expected(groups, "'groups' as an object: name -> {\"ranks\": [..]}");
  for (const JsonValue &member : groups.elements()) {
    if (table.find(member.key))
      report.error(member.offset, "group '" + member.key.str() + "' occurs twice");
    if (auto group = GroupReader(member, report).run())
      table.set(std::move(*group));
  }
}

} // namespace ccgraph
