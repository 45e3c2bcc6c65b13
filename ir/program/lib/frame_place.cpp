#include "ccgraph/ir/frame_place.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using llvm::StringRef;

namespace ccgraph {
namespace {

/// Number of nodes that are visited in one direction: a user's frame is rarely farther, and this search runs for many
/// nodes.
constexpr size_t mostNeighbours = 12;

const Frame &ownFrame(const Node &node) { return node.graph()->frames()[node.frame()]; }

bool isUsers(const Frame &frame) { return frame.file && !isPyTorchFile(frame.file.str()); }

enum class Direction : bool { Operands, Users };

/// Searches in the order of operands or users, nearest first.
const Frame *nearestFrame(const Node &node, Direction direction) {
  llvm::SmallVector<const Node *, 2 *mostNeighbours> queue = {&node};
  llvm::SmallPtrSet<const Node *, 16> seen = {&node};
  for (size_t i = 0; i != queue.size() && i != mostNeighbours; ++i) {
    if (const Frame &frame = ownFrame(*queue[i]); isUsers(frame))
      return &frame;
    auto add = [&](const Node *next) {
      if (seen.insert(next).second)
        queue.push_back(next);
    };
    if (direction == Direction::Operands)
      for (const Node *operand : queue[i]->dataOperands())
        add(operand);
    else
      for (const Use &use : queue[i]->uses())
        add(use.user());
  }
  return nullptr;
}

/// Returns the path in the last "(path, class)" of a printed module stack, without its quotes.
StringRef lastPath(StringRef stack) {
  constexpr StringRef begin = ": (";
  size_t at = stack.rfind(begin);
  if (at == StringRef::npos)
    return "";
  StringRef text = stack.drop_front(at + begin.size());
  return text.empty() ? "" : text.drop_front().split(text.front()).first;
}

/// "L['self']._modules['layers']._modules['0']" -> "layers.0".
std::string plainPath(StringRef path) {
  if (path.startswith("L['"))
    path = path.split("']").second;
  std::string plain;
  while (!path.empty()) {
    auto [before, rest] = path.split("._modules['");
    plain += before;
    auto [name, after] = rest.split("']");
    plain += name.empty() ? "" : "." + name.str();
    path = after;
  }
  return StringRef(plain).trim('.').str();
}

} // namespace

bool isPyTorchFile(StringRef path) {
  return path.startswith("<") || path.contains("-packages/torch/") || path.contains("-packages\\torch\\");
}

std::string moduleOf(const Frame &frame) {
  constexpr StringRef stackWord = "nn_module_stack: {";
  if (frame.annotation)
    if (StringRef named = frame.annotation.str().split("'module_fqn': '").second.split('\'').first; !named.empty())
      return named.str();
  if (!frame.prefix || !frame.prefix.str().contains(stackWord))
    return "";
  return plainPath(lastPath(frame.prefix.str().split(stackWord).second));
}

const Frame &userFrameOf(const Node &node) {
  const Frame &own = ownFrame(node);
  if (!own.file || isUsers(own))
    return own;
  for (Direction direction : {Direction::Operands, Direction::Users})
    if (const Frame *found = nearestFrame(node, direction))
      return *found;
  return own;
}

} // namespace ccgraph
