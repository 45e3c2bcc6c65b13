#include "lower/steps.h"

namespace ccgraph::lower {

// o = offload(v); h = wait_tensor(o, v)   ->   one copy from v's window to o's, on the stream of these copies. A step
// that accesses o waits for the event of the copy. v's buffer is needed up to the wait on o, and its bytes may belong
// to another buffer from then on.
Lowered lowerHostCopy(Emitter &emitter, const Node &node) {
  const LoweredValue from = emitter.valueOf(node, *argumentAt(node, 0));
  if (!from.isTensor() || !node.type() || !node.type()->isTensor())
    return loweringError(node, "lower.type", "copies a tensor of unknown type between a device and the host",
                         "state the types of the node and of its operand");
  const Home home = isOffload(node) ? Home::Host : Home::Compute;
  LoweredValue to = LoweredValue::tensor(emitter.freshTensor(node.name(), node.type(), home));
  const Moment completion = emitter.completesAt(node);
  emitter.emit(node, emitter.hostCopyStream(), CopyStep{*from.window, *to.window});
  emitter.keepUntil(completion, {*from.window, *to.window});
  return to;
}

} // namespace ccgraph::lower
