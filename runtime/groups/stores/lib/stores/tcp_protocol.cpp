#include "stores/tcp_protocol.h"

#include "llvm/Support/Endian.h"

namespace ccgraph::runtime {
namespace {

using llvm::Twine;

/// Texts of one query.
constexpr uint64_t mostTexts = uint64_t{1} << 20;

/// The operands of a query, in order.
enum class Operand : uint8_t { Short, Number, Key, Value, Keys, Pairs };

std::optional<llvm::SmallVector<Operand, 3>> operandsOf(uint8_t kind) {
  using Operands = llvm::SmallVector<Operand, 3>;
  switch (static_cast<QueryKind>(kind)) {
  case QueryKind::Validate:
  case QueryKind::Ping:
    return Operands{Operand::Short};
  case QueryKind::Set:
  case QueryKind::Append:
  case QueryKind::QueuePush:
    return Operands{Operand::Key, Operand::Value};
  case QueryKind::CompareSet:
    return Operands{Operand::Key, Operand::Value, Operand::Value};
  case QueryKind::Get:
  case QueryKind::Delete:
  case QueryKind::QueuePop:
  case QueryKind::QueueLength:
  case QueryKind::Hello:
    return Operands{Operand::Key};
  case QueryKind::Add:
    return Operands{Operand::Key, Operand::Number};
  case QueryKind::Check:
  case QueryKind::Wait:
  case QueryKind::MultiGet:
    return Operands{Operand::Keys};
  case QueryKind::MultiSet:
    return Operands{Operand::Pairs};
  case QueryKind::NumKeys:
  case QueryKind::CancelWait:
  case QueryKind::ListKeys:
    return Operands{};
  }
  return std::nullopt;
}

class Reader {
public:
  Reader(llvm::StringRef bytes, const StoreLimits &limits) : whole_(bytes), rest_(bytes), limits_(limits) {}

  ParsedQuery read() {
    if (rest_.empty())
      return {};
    auto first = static_cast<uint8_t>(rest_.front());
    rest_ = rest_.drop_front();
    uint8_t kind = first & static_cast<uint8_t>(~answeredBit);
    std::optional<llvm::SmallVector<Operand, 3>> operands = operandsOf(kind);
    if (!operands)
      return {std::nullopt, (Twine("it sent query ") + Twine(unsigned{first}) + ", which does not exist").str()};
    query_.kind = static_cast<QueryKind>(kind);
    query_.answered = (first & answeredBit) != 0;
    for (Operand operand : *operands)
      if (!take(operand))
        return {std::nullopt, wrong_};
    query_.size = whole_.size() - rest_.size();
    return {std::move(query_), ""};
  }

private:
  /// False where bytes are missing, or wrong_ says why not.
  bool take(Operand operand) {
    switch (operand) {
    case Operand::Short:
      return takeShort();
    case Operand::Number:
      return takeNumber(query_.number);
    case Operand::Key:
      return takeText("key", limits_.keyBytes);
    case Operand::Value:
      return takeText("value", limits_.valueBytes);
    case Operand::Keys:
      return takeMany(1);
    case Operand::Pairs:
      return takeMany(2);
    }
    return false;
  }

  bool takeShort() {
    if (rest_.size() < 4)
      return false;
    query_.number = llvm::support::endian::read32le(rest_.data());
    rest_ = rest_.drop_front(4);
    return true;
  }

  bool takeNumber(int64_t &number) {
    if (rest_.size() < 8)
      return false;
    number = static_cast<int64_t>(llvm::support::endian::read64le(rest_.data()));
    rest_ = rest_.drop_front(8);
    return true;
  }

  bool takeText(llvm::StringRef what, int64_t most) {
    int64_t length = 0;
    if (!takeNumber(length))
      return false;
    // Together, so that many texts of one query are limited too.
    texts_ += static_cast<uint64_t>(length);
    bool tooLong =
        length < 0 || length > most || texts_ > static_cast<uint64_t>(limits_.valueBytes + 2 * limits_.keyBytes);
    if (tooLong) {
      wrong_ = (Twine("it sent a ") + what + " of " + Twine(static_cast<uint64_t>(length)) +
                " bytes, expected at most " + Twine(most))
                   .str();
      return false;
    }
    if (rest_.size() < static_cast<uint64_t>(length))
      return false;
    query_.texts.push_back(rest_.take_front(static_cast<size_t>(length)));
    rest_ = rest_.drop_front(static_cast<size_t>(length));
    return true;
  }

  bool takeMany(unsigned each) {
    int64_t count = 0;
    if (!takeNumber(count))
      return false;
    if (count < 0 || static_cast<uint64_t>(count) > mostTexts) {
      wrong_ = (Twine("it sent a list of ") + Twine(static_cast<uint64_t>(count)) + " keys, expected at most " +
                Twine(mostTexts))
                   .str();
      return false;
    }
    for (int64_t i = 0; i < count; ++i)
      if (!takeText("key", limits_.keyBytes) || (each == 2 && !takeText("value", limits_.valueBytes)))
        return false;
    return true;
  }

  llvm::StringRef whole_;
  llvm::StringRef rest_;
  const StoreLimits &limits_;
  Query query_;
  std::string wrong_;
  uint64_t texts_ = 0;
};

} // namespace

std::optional<QueryKind> queryKindOf(char first) {
  uint8_t kind = static_cast<uint8_t>(first) & static_cast<uint8_t>(~answeredBit);
  return operandsOf(kind) ? std::optional(static_cast<QueryKind>(kind)) : std::nullopt;
}

ParsedQuery parseQuery(llvm::StringRef bytes, const StoreLimits &limits) { return Reader(bytes, limits).read(); }

QueryWriter &QueryWriter::number(int64_t value) {
  char text[8];
  llvm::support::endian::write64le(text, static_cast<uint64_t>(value));
  bytes.append(text, sizeof(text));
  return *this;
}

QueryWriter &QueryWriter::shortNumber(uint32_t value) {
  char text[4];
  llvm::support::endian::write32le(text, value);
  bytes.append(text, sizeof(text));
  return *this;
}

QueryWriter &QueryWriter::text(llvm::StringRef text) {
  number(static_cast<int64_t>(text.size()));
  bytes += text;
  return *this;
}

QueryWriter &QueryWriter::texts(llvm::ArrayRef<std::string> texts) {
  number(static_cast<int64_t>(texts.size()));
  for (const std::string &one : texts)
    text(one);
  return *this;
}

} // namespace ccgraph::runtime
