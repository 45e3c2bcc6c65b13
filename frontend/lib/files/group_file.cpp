#include "ccgraph/frontend/group_file.h"

#include "json/group_reader.h"
#include "json/member_sink.h"

namespace ccgraph {

// Reads groups with the reader of the "groups" of a graph file, so a table may move from one to the other. A group file
// without "groups" is an error, unlike a graph file, since the user named it for its groups.
llvm::Expected<GroupTable> readGroupFile(const SourceText &source) {
  constexpr size_t errorLimit = 20;
  JsonReport report(source, errorLimit);
  GroupTable table;
  MemberSink sink("groups", [&](const JsonValue &groups) { readGroups(groups, report, table); });
  llvm::Error syntax = parseJson(source, sink);
  if (!syntax && !sink.found())
    report.error(0, "expected an object with a member 'groups'",
                 "e.g. {\"groups\": {\"0\": {\"ranks\": [0, 1, 2, 3]}}}");
  if (llvm::Error error = report.take(std::move(syntax)))
    return error;
  return table;
}

} // namespace ccgraph
