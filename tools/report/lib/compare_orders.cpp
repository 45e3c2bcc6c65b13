#include "report/compare_orders.h"

#include "ccgraph/ir/text.h"
#include "ccgraph/toolkit/text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace ccgraph::report {
namespace {

constexpr unsigned labelWidth = 13;
constexpr size_t mostRows = 10;

/// A collective that exists in both orders.
struct Pair {
  const RecordedTransfer *first, *second;
  [[nodiscard]] int64_t difference() const { return std::abs(second->exposed - first->exposed); }
};

class OrdersPrinter {
public:
  OrdersPrinter(llvm::raw_ostream &os, const OrdersCompared &orders)
      : os_(os), orders_(orders), first_(*orders.first.record), second_(*orders.second.record) {
    llvm::StringMap<const RecordedTransfer *> byName;
    for (const RecordedTransfer &transfer : first_.transfers)
      byName[first_.steps[transfer.launch].node] = &transfer;
    for (const RecordedTransfer &transfer : second_.transfers)
      if (const RecordedTransfer *same = byName.lookup(second_.steps[transfer.launch].node))
        pairs_.push_back({same, &transfer});
    llvm::stable_sort(pairs_, [](const Pair &a, const Pair &b) { return a.difference() > b.difference(); });
  }

  void print() {
    label("orders") << visibleText(orders_.first.name) << " -> " << visibleText(orders_.second.name) << '\n';
    label("step") << timeText(first_.total) << " -> " << timeText(second_.total) << " predicted, computation "
                  << timeText(first_.compute) << " -> " << timeText(second_.compute) << '\n';
    label("exposed") << exposedText(first_) << " -> " << exposedText(second_) << '\n';
    label("memory") << "peak " << bytesText(first_.peakBytes) << " -> " << bytesText(second_.peakBytes) << '\n';
    label("collectives") << withCommas(int64_t(first_.transfers.size())) << " -> "
                         << withCommas(int64_t(second_.transfers.size())) << ", " << withCommas(int64_t(pairs_.size()))
                         << " in both" << aloneText(first_, Side::First) << aloneText(second_, Side::Second) << '\n';
    printPairs();
    label("machine") << orders_.machine << '\n';
  }

private:
  enum class Side : uint8_t { First, Second };

  llvm::raw_ostream &label(llvm::StringRef text) { return os_ << llvm::left_justify(text, labelWidth); }

  static std::string exposedText(const ScheduleRecord &record) {
    auto tenths = record.total == 0 ? 0 : record.exposed / std::max<int64_t>(1, record.total / 1000);
    return timeText(record.exposed) + " (" + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %)";
  }

  /// Returns a text such as "; 161 in the first alone (exposed 12.3 ms)"; empty if there are none.
  [[nodiscard]] std::string aloneText(const ScheduleRecord &record, Side side) const {
    int64_t exposed = record.exposed;
    for (const Pair &pair : pairs_)
      exposed -= side == Side::First ? pair.first->exposed : pair.second->exposed;
    size_t alone = record.transfers.size() - pairs_.size();
    return alone == 0 ? ""
                      : "; " + withCommas(int64_t(alone)) + " in the " + (side == Side::First ? "first" : "second") +
                            " alone (exposed " + timeText(exposed) + ")";
  }

  void printPairs() {
    size_t rows = 0, width = 0;
    while (rows < std::min(mostRows, pairs_.size()) && pairs_[rows].difference() > 0)
      width = std::max(width, nameOf(pairs_[rows++]).size());
    if (rows == 0)
      return;
    label("differ most") << std::string(width + 2, ' ') << padded("exposed") << "launched\n";
    for (const Pair &pair : llvm::makeArrayRef(pairs_).take_front(rows)) {
      std::string line = padded(nameOf(pair), width) + "  " +
                         padded(timeText(pair.first->exposed) + " -> " + timeText(pair.second->exposed)) +
                         padded(launchedAt(first_, *pair.first) + " -> " + launchedAt(second_, *pair.second)) +
                         second_.places[second_.steps[pair.second->launch].place].module;
      label("") << llvm::StringRef(line).rtrim() << '\n';
    }
  }

  static std::string padded(std::string text, size_t width = 26) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
  }

  [[nodiscard]] const std::string &nameOf(const Pair &pair) const { return second_.steps[pair.second->launch].node; }
  static std::string launchedAt(const ScheduleRecord &record, const RecordedTransfer &transfer) {
    return timeText(record.steps[transfer.launch].begin);
  }

  llvm::raw_ostream &os_;
  const OrdersCompared &orders_;
  const ScheduleRecord &first_, &second_;
  /// sorted by difference, largest first
  std::vector<Pair> pairs_;
};

} // namespace

void printOrders(llvm::raw_ostream &os, const OrdersCompared &orders) { OrdersPrinter(os, orders).print(); }

} // namespace ccgraph::report
