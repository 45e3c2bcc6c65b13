#include "graph_names.h"

namespace ccgraph {

std::optional<BadName> GraphNames::findBad(const Node &node) {
  // An output may have any name: no node mentions it, and no text repeats it.
  if (node.opcode() != Opcode::Output && !isNodeName(node.name().str()))
    return BadName{"name", node.name().str(), "an identifier of Python that is no keyword"};
  if (std::optional<BadName> bad = findBadTarget(node))
    return bad;
  for (const NamedArgument &argument : node.kwargs())
    if (!keywords_.accepts(argument.name))
      return BadName{"keyword", argument.name.str(), "an identifier of Python"};
  return std::nullopt;
}

std::optional<BadName> GraphNames::findBadTarget(const Node &node) {
  llvm::StringRef target = node.target().str();
  switch (node.opcode()) {
  case Opcode::Placeholder:
    if (!isParameterName(target))
      return BadName{"parameter", target, "an identifier of Python that is no keyword"};
    return std::nullopt;
  case Opcode::GetAttr:
    if (!attributes_.accepts(node.target()))
      return BadName{"attribute", target, "words joined by dots"};
    return std::nullopt;
  case Opcode::CallFunction:
    if (!targets_.accepts(node.target()))
      return BadName{"target", target, "identifiers joined by dots, such as aten.mm.default"};
    return std::nullopt;
  case Opcode::Output:
    if (target != "output")
      return BadName{"target", target, "output"};
    return std::nullopt;
  }
  llvm_unreachable("all opcodes are listed");
}

} // namespace ccgraph
