// Streams that are captured, and the graphs that they become, as recorded_calls.h has it.
#include "simulated/recorded_calls.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {

using llvm::raw_ostream;

int RecordedCalls::beginCapture(GpuStream stream) {
  if (capture_)
    return WhileCaptured;
  record_.add([&](raw_ostream &os) { os << "begin to capture " << streamOf(stream).name; });
  capture_ = std::make_unique<Graph>();
  captureOrigin_ = &streamOf(stream);
  captureOrigin_->captured = true;
  captureOrigin_->capturedAfter.clear();
  return Fine;
}

int RecordedCalls::isCaptured(GpuStream stream, bool &captured) {
  captured = streamOf(stream).captured;
  return Fine;
}

int RecordedCalls::endCapture(GpuStream stream, GpuGraph &graph) {
  if (!capture_ || captureOrigin_ != &streamOf(stream))
    return NotCaptured;
  record_.add([&](raw_ostream &os) { os << "end the capture, " << capture_->nodes.size() << " nodes"; });
  // The nodes that precede the origin, directly or indirectly.
  std::vector<bool> joined(capture_->nodes.size());
  std::vector<size_t> open = captureOrigin_->capturedAfter;
  while (!open.empty()) {
    size_t node = open.back();
    open.pop_back();
    if (joined[node])
      continue;
    joined[node] = true;
    llvm::append_range(open, capture_->nodes[node].after);
  }
  graphs_.push_back(std::move(capture_));
  graph.raw = reinterpret_cast<uintptr_t>(graphs_.back().get());
  for (const auto &one : streams_) {
    one->captured = false;
    one->capturedAfter.clear();
  }
  return llvm::is_contained(joined, false) ? Unjoined : Fine;
}

int RecordedCalls::launchGraph(GpuGraph graph, GpuStream stream) {
  Stream &on = streamOf(stream);
  const auto &launched = *reinterpret_cast<const Graph *>(graph.raw);
  record_.add([&](raw_ostream &os) { os << "launch the graph on " << on.name; });
  replay(launched, on);
  return Fine;
}

void RecordedCalls::replay(const Graph &graph, Stream &stream) {
  Moment nodes;
  auto momentOf = [&](const std::vector<size_t> &captured) {
    Moment moment = stream.after;
    for (size_t before : captured)
      moment.push_back(nodes[before]);
    return moment;
  };
  for (const Captured &captured : graph.nodes) {
    Moment after = momentOf(captured.after);
    nodes.push_back(captured.work ? model_.addWork(rank_, captured.stream, after, captured.work)
                                  : model_.addBatch(rank_, captured.stream, after, captured.parts));
  }
  for (const CapturedTimer &captured : graph.timers) {
    captured.timer->moment = momentOf(captured.after);
    captured.timer->askedAt = model_.now();
  }
  stream.after.insert(stream.after.end(), nodes.begin(), nodes.end());
}

int RecordedCalls::destroyGraph(GpuGraph) { return Fine; }

} // namespace ccgraph::runtime
