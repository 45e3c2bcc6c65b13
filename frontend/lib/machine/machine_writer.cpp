#include "ccgraph/frontend/machine_writer.h"

#include "json/json_text.h"
#include "json/separator.h"

#include "llvm/Support/Format.h"

namespace ccgraph {
namespace {

constexpr double bytesPerGb = 1e9, psPerUs = 1e6;
/// The schema's smallest and largest rate.
constexpr double leastGb = 0.001, mostGb = 1e6;

llvm::format_object<double> gigabytes(int64_t bytesPerSecond) {
  return llvm::format("%.4f", std::clamp(static_cast<double>(bytesPerSecond) / bytesPerGb, leastGb, mostGb));
}

llvm::format_object<double> microsecondsOf(int64_t picoseconds) {
  return llvm::format("%.3f", static_cast<double>(picoseconds) / psPerUs);
}

} // namespace

void writeLinearMachine(llvm::raw_ostream &os, const LinearMachineText &text) {
  const Machine &machine = text.machine;
  os << R"({"format": "ccgraph.machine", "version": "1.0", "base": ")" << text.base << "\", \"name\": ";
  writeJsonString(os, machine.name);
  os << ",\n \"about\": ";
  writeJsonString(os, machine.about);
  os << ",\n \"rules\": \"linear\"";
  if (text.hasInter)
    os << ",\n \"inter\": {\"gb_per_s\": " << gigabytes(machine.inter.bytesPerSecond)
       << ", \"latency_us\": " << microsecondsOf(machine.inter.latencyPs) << '}';
  if (!machine.linear.empty()) {
    Separator separator(",");
    os << ",\n \"linear\": {";
    for (const LinearCollective &fit : machine.linear)
      os << separator.next() << "\n  \"" << collectiveName(fit.kind)
         << "\": {\"base_us\": " << microsecondsOf(fit.basePs) << ", \"step_us\": " << microsecondsOf(fit.stepPs)
         << ", \"gb_per_s\": " << gigabytes(fit.bytesPerSecond) << '}';
    os << '}';
  }
  os << "}\n";
}

} // namespace ccgraph
