#include "ccgraph/frontend/contract_file.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace ccgraph {
namespace {

/// Writes a basic string of TOML.
std::string quoted(llvm::StringRef text) {
  std::string out = "\"";
  for (char c : text) {
    constexpr unsigned char firstPrintable = 0x20, deleteCharacter = 0x7F;
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (byte < firstPrintable || byte == deleteCharacter)
      out += llvm::formatv("\\u{0:X-4}", byte).str();
    else
      out += c;
  }
  return out + "\"";
}

std::string boundsText(const Bounds &bounds) {
  if (bounds.isExact())
    return std::to_string(*bounds.least);
  std::vector<std::string> ends;
  if (bounds.least)
    ends.push_back("min = " + std::to_string(*bounds.least));
  if (bounds.most)
    ends.push_back("max = " + std::to_string(*bounds.most));
  return ends.empty() ? "{}" : "{ " + llvm::join(ends, ", ") + " }";
}

class ContractWriter {
public:
  explicit ContractWriter(llvm::raw_ostream &os) : os_(os) {}

  void write(const Contract &contract) {
    os_ << "version = 1\n";
    text("machine", contract.machine);
    os_ << "unlisted = " << (contract.allowsUnlisted ? "\"allow\"" : "\"forbid\"") << '\n';
    if (StepLimits nothing{.place = contract.limits.place}; !(contract.limits == nothing))
      write(contract.limits);
    for (const CollectiveRule &rule : contract.collectives)
      write(rule);
  }

private:
  void write(const StepLimits &limits) {
    os_ << "\n[limits]\n";
    number("missing_waits", limits.missingWaits);
    number("dead_waits", limits.deadWaits);
    number("dead_collectives", limits.deadCollectives);
    number("exposed_collectives", limits.exposedCollectives);
    if (limits.exposedPercent)
      os_ << "exposed_percent = " << llvm::formatv("{0:F4}", *limits.exposedPercent) << '\n';
    number("peak_bytes", limits.peakBytes);
  }

  void write(const CollectiveRule &rule) {
    os_ << "\n[[collective]]\n";
    text("graph", rule.graph);
    text("module", rule.module);
    if (rule.kind)
      text("kind", collectiveName(*rule.kind));
    text("group", rule.group);
    std::vector<std::string> dtypes, reductions;
    for (DType dtype : rule.dtypes)
      dtypes.push_back(quoted(shortName(dtype)));
    for (ReduceOp op : rule.reductions)
      reductions.push_back(quoted(reduceOpName(op)));
    list("dtypes", dtypes);
    list("reductions", reductions);
    bounds("count", rule.count);
    bounds("bytes", rule.bytes);
    bounds("modules", rule.modules);
  }

  void text(llvm::StringRef key, llvm::StringRef value) {
    if (!value.empty())
      os_ << key << " = " << quoted(value) << '\n';
  }
  void number(llvm::StringRef key, std::optional<int64_t> value) {
    if (value)
      os_ << key << " = " << *value << '\n';
  }
  void bounds(llvm::StringRef key, const std::optional<Bounds> &value) {
    if (value)
      os_ << key << " = " << boundsText(*value) << '\n';
  }
  void list(llvm::StringRef key, llvm::ArrayRef<std::string> values) {
    if (!values.empty())
      os_ << key << " = [" << llvm::join(values, ", ") << "]\n";
  }

  llvm::raw_ostream &os_;
};

} // namespace

void writeContract(llvm::raw_ostream &os, const Contract &contract) { ContractWriter(os).write(contract); }

} // namespace ccgraph
