#include "ccgraph/frontend/group_file.h"

#include "json/group_reader.h"
#include "json/member_sink.h"

namespace ccgraph {

// The groups are read by the same reader as the "groups" of a graph file, so that a table may be moved from one to the
// other. Unlike there, a file without "groups" is an error: it was named for their sake.
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
