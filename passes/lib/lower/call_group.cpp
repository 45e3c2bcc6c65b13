#include "lower/call_group.h"

namespace ccgraph::lower {

llvm::Expected<CallGroup> groupOfCall(Emitter &emitter, const CallOperands &operands, const Node &node) {
  auto error = [&node](const llvm::Twine &message, const llvm::Twine &repair) {
    return loweringError(node, "lower.group", message, repair);
  };
  llvm::Expected<Group> group = bindGroup(operands, emitter.graph().groups(), error);
  if (!group)
    return group.takeError();
  std::optional<int64_t> size = group->size();
  if (!size)
    return error("the members of group '" + group->name + "' are not known, or differ in number",
                 "give the ranks of each group with --groups FILE");
  return CallGroup{emitter.groupIndex(*group), *size};
}

} // namespace ccgraph::lower
