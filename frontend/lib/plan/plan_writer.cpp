#include "ccgraph/frontend/json_plan.h"

#include "ccgraph/ir/op_def.h"
#include "json/argument_writer.h"
#include "json/group_writer.h"
#include "json/guard_list.h"
#include "json/line_writer.h"
#include "json/type_texts.h"

namespace ccgraph {
namespace {

llvm::StringRef streamKindName(PlanStream::Kind kind) {
  switch (kind) {
  case PlanStream::Kind::Host:
    return "host";
  case PlanStream::Kind::Compute:
    return "compute";
  case PlanStream::Kind::Collective:
    return "collective";
  case PlanStream::Kind::Transfer:
    return "transfer";
  case PlanStream::Kind::HostCopy:
    return "host_copy";
  }
  return "";
}

class PlanWriter : private LineWriter {
public:
  PlanWriter(llvm::raw_ostream &os, const Plan &plan) : LineWriter(os), plan_(plan) {}

  void write() {
    file([&] { writeMembers(); });
  }

private:
  void writeMembers() {
    top("format") << "\"ccgraph.plan\"";
    top("version") << "\"1.0\"";
    text(top("name"), plan_.name);
    writeFacts();
    writeGroups();
    if (!plan_.guards.empty())
      writeJsonGuards(top("guards"), plan_.guards);
    optionalList("streams", plan_.streams, [&](const PlanStream &stream) { writeStream(stream); });
    if (plan_.numEvents)
      top("events") << plan_.numEvents;
    if (plan_.numSlots)
      top("numbers") << plan_.numSlots;
    writeLayout();
    optionalList("buffers", plan_.buffers, [&](const PlanBuffer &buffer) { writeBuffer(buffer); });
    optionalList("inputs", plan_.inputs, [&](const PlanInput &input) { writeInput(input); });
    list("steps", plan_.steps, [&](const PlanStep &step) { writeStep(step); });
    optionalList("outputs", plan_.outputs, [&](const PlanValue &value) { writeValue(value); });
  }

  /// Writes a list unless it is empty. The list of steps is always written, since every plan has it.
  template <typename Entry, typename Write>
  void optionalList(llvm::StringRef name, const std::vector<Entry> &entries, Write write) {
    if (!entries.empty())
      list(name, entries, write);
  }

  // --- What surrounds the steps --------------------------------------------------------------------------------------

  void writeFacts() {
    if (!plan_.graphDigest.empty())
      text(top("graph_digest"), plan_.graphDigest);
    if (plan_.rank)
      top("rank") << *plan_.rank;
    if (plan_.worldSize)
      top("world_size") << *plan_.worldSize;
  }

  void writeGroups() {
    if (plan_.groups.empty())
      return;
    object("groups", plan_.groups, [&](const Group &group) {
      text(os_, group.name);
      os_ << ": ";
      writeJsonGroup(os_, group);
    });
  }

  void writeStream(const PlanStream &stream) {
    os_ << "{\"kind\": \"" << streamKindName(stream.kind) << "\", \"name\": ";
    text(os_, stream.name);
    if (stream.group)
      text(os_ << ", \"group\": ", plan_.groups[*stream.group].name);
    os_ << '}';
  }

  void writeLayout() {
    const PlanLayout &layout = plan_.layout;
    top("layout") << '{';
    Separator separator;
    if (!layout.symbols.empty())
      writeSymbols(key(separator, "symbols"));
    key(separator, "compute_bytes") << layout.computeBytes;
    key(separator, "communication_bytes") << layout.communicationBytes;
    key(separator, "live_bytes") << layout.liveBytes << '}';
  }

  void writeSymbols(llvm::raw_ostream &os) {
    os << '{';
    Separator separator;
    for (const auto &[symbol, value] : plan_.layout.symbols) {
      text(os << separator.next(), symbol.str());
      os << ": " << value;
    }
    os << '}';
  }

  void writeBuffer(const PlanBuffer &buffer) {
    text(os_ << "{\"name\": ", buffer.name.str());
    os_ << ", \"home\": \"" << homeName(buffer.home) << '"';
    bool zero = buffer.bytes.isStatic() && buffer.bytes.value() == 0;
    if (!isMadeInRun(buffer.home) || !zero)
      writeDim(os_ << ", \"bytes\": ", buffer.bytes);
    if (buffer.home == Home::Compute || buffer.home == Home::Communication)
      os_ << ", \"at\": " << offsetOf(buffer);
    os_ << '}';
  }

  [[nodiscard]] int64_t offsetOf(const PlanBuffer &buffer) const {
    auto index = static_cast<size_t>(&buffer - plan_.buffers.data());
    return index < plan_.layout.offsets.size() ? plan_.layout.offsets[index] : 0;
  }

  void writeInput(const PlanInput &input) {
    text(os_ << "{\"name\": ", input.name);
    os_ << ", \"value\": ";
    writeValue(input.value);
    if (input.after.kind != PlanValue::Kind::None) {
      os_ << ", \"after\": ";
      writeValue(input.after);
    }
    os_ << '}';
  }

  // --- Values --------------------------------------------------------------------------------------------------------

  static void writeDim(llvm::raw_ostream &os, const Dim &dim) {
    if (dim.isStatic())
      os << dim.value();
    else
      writeJsonTagged(os, "sym", dim.expr()->text());
  }

  void writeWindow(const PlanWindow &window) {
    os_ << "\"b" << window.buffer;
    if (!window.offset.isStatic()) {
      os_ << "+(";
      writeJsonStringBody(os_, window.offset.expr()->text());
      os_ << ')';
    } else if (window.offset.value() != 0) {
      os_ << '+' << window.offset.value();
    }
    os_ << ' ' << types_.inString(window.type) << '"';
  }

  void writeNumber(const PlanValue &value) {
    os_ << "\"n" << value.slot;
    if (value.numberType)
      os_ << ' ' << types_.inString(value.numberType);
    os_ << '"';
  }

  void writeValue(const PlanValue &value) {
    switch (value.kind) {
    case PlanValue::Kind::None:
      os_ << "null";
      return;
    case PlanValue::Kind::Tensor:
      return writeWindow(value.window);
    case PlanValue::Kind::Number:
      return writeNumber(value);
    case PlanValue::Kind::Literal:
      os_ << "{\"literal\": ";
      writeJsonArgument(os_, value.literal, [](uint32_t) { llvm_unreachable("a literal mentions no operand"); });
      os_ << '}';
      return;
    case PlanValue::Kind::Object:
      return writeJsonTagged(os_, "object", value.object.str());
    case PlanValue::Kind::List:
      return writeElements(value.elements);
    }
  }

  void writeElements(llvm::ArrayRef<PlanValue> elements) {
    os_ << '[';
    Separator between;
    for (const PlanValue &element : elements) {
      os_ << between.next();
      writeValue(element);
    }
    os_ << ']';
  }

  void writeOperand(const PlanOperand &operand) {
    if (operand.reads && !operand.writes)
      return writeValue(operand.value);
    os_ << (operand.reads ? "{\"update\": " : operand.writes ? "{\"write\": " : "{\"sizes\": ");
    writeValue(operand.value);
    os_ << '}';
  }

  // --- Steps ---------------------------------------------------------------------------------------------------------

  void writeStep(const PlanStep &step) {
    os_ << '{';
    Separator separator;
    text(key(separator, "name"), step.name.str());
    key(separator, "stream") << step.stream;
    optionalArray(separator, "waits", step.waits, [&](EventId event) { os_ << event; });
    if (step.event)
      key(separator, "records") << *step.event;
    if (const KernelStep *kernel = step.kernel())
      writeKernel(separator, *kernel);
    if (const CollectiveStep *collective = step.collective())
      writeCollective(separator, *collective);
    if (const CopyStep *copy = step.copy())
      writeCopy(separator, *copy);
    os_ << '}';
  }

  void writeKernel(Separator &separator, const KernelStep &kernel) {
    auto operand = [&](uint32_t index) { os_ << "\"%" << index << '"'; };
    text(key(separator, "op"), kernel.op->target.str());
    writeJsonArguments(key(separator, "args"), kernel.args, operand);
    if (!kernel.kwargs.empty())
      writeJsonNamed(key(separator, "kwargs"), kernel.kwargs, operand);
    optionalArray(separator, "operands", kernel.operands, [&](const PlanOperand &given) { writeOperand(given); });
    if (kernel.result.kind == PlanValue::Kind::None)
      return;
    key(separator, "result");
    writeValue(kernel.result);
  }

  void writeCollective(Separator &separator, const CollectiveStep &step) {
    array(separator, "calls", step.calls, [&](const PlanCollective &call) { writeCall(call); });
  }

  void writeCall(const PlanCollective &call) {
    os_ << '{';
    Separator separator;
    key(separator, "kind") << '"' << collectiveName(call.kind) << '"';
    text(key(separator, "group"), plan_.groups[call.group].name);
    if (call.reduceOp)
      key(separator, "reduce") << '"' << reduceOpName(*call.reduceOp) << '"';
    if (call.root >= 0)
      key(separator, "root") << call.root;
    if (call.peer >= 0)
      key(separator, "peer") << call.peer;
    if (call.tag != 0)
      key(separator, "tag") << call.tag;
    optionalArray(separator, "rows", call.rows, [&](const PlanRow &row) { writeRow(row); });
    optionalArray(separator, "send_counts", call.sendCounts, [&](const Dim &count) { writeDim(os_, count); });
    optionalArray(separator, "receive_counts", call.receiveCounts, [&](const Dim &count) { writeDim(os_, count); });
    os_ << '}';
  }

  void writeRow(const PlanRow &row) {
    os_ << '[';
    writeEnd(row.send);
    os_ << ", ";
    writeEnd(row.receive);
    os_ << ']';
  }

  void writeEnd(const std::optional<PlanWindow> &window) {
    if (window)
      writeWindow(*window);
    else
      os_ << "null";
  }

  void writeCopy(Separator &separator, const CopyStep &copy) {
    key(separator, "from");
    writeWindow(copy.from);
    key(separator, "to");
    writeWindow(copy.to);
  }

  const Plan &plan_;
  TypeTexts types_;
};

} // namespace

void writePlan(llvm::raw_ostream &os, const Plan &plan) { PlanWriter(os, plan).write(); }

} // namespace ccgraph
