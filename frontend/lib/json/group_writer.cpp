#include "json/group_writer.h"

#include "json/json_text.h"
#include "json/separator.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {
namespace {

class GroupWriter {
public:
  explicit GroupWriter(llvm::raw_ostream &os) : os_(os) {}

  void write(const Group &group) {
    os_ << '{';
    writeMembership(group);
    optionalText("desc", group.description);
    optionalText("tag", group.tag);
    optionalText("backend", group.backend);
    optionalText("mesh", group.mesh);
    if (group.axis >= 0)
      key("axis") << group.axis;
    if (group.assumed)
      key("assumed") << "true";
    for (const auto &[name, text] : group.attributes)
      key(name) << text;
    os_ << '}';
  }

private:
  llvm::raw_ostream &key(llvm::StringRef name) {
    os_ << separator_.next();
    writeJsonString(os_, name);
    return os_ << ": ";
  }

  void optionalText(llvm::StringRef name, llvm::StringRef text) {
    if (!text.empty())
      writeJsonString(key(name), text);
  }

  void writeMembership(const Group &group) {
    if (group.partition.empty()) {
      key("ranks");
      return writeRanks(group.ranks);
    }
    key("partition") << '[';
    Separator between;
    for (const auto &cell : group.partition) {
      os_ << between.next();
      writeRanks(cell);
    }
    os_ << ']';
  }

  void writeRanks(llvm::ArrayRef<int64_t> ranks) {
    os_ << '[';
    llvm::interleaveComma(ranks, os_);
    os_ << ']';
  }

  llvm::raw_ostream &os_;
  Separator separator_;
};

} // namespace

void writeJsonGroup(llvm::raw_ostream &os, const Group &group) { GroupWriter(os).write(group); }

} // namespace ccgraph
