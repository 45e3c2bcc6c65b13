#include "ccgraph/ir/argument_copy.h"

namespace ccgraph {

ArgumentCopy copyArguments(ArgumentBuilder &builder, const Node &call,
                           llvm::function_ref<Node *(uint32_t operandIndex)> map) {
  ArgumentCopy copy;
  for (const Argument &argument : call.args())
    copy.positional.push_back(builder.copy(argument, map));
  for (const NamedArgument &argument : call.kwargs())
    copy.keyword.push_back({argument.name, builder.copy(argument.value, map)});
  return copy;
}

} // namespace ccgraph
