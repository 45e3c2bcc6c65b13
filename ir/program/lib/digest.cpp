#include "ccgraph/ir/digest.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/ir/subgraph_calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

namespace ccgraph {

namespace {

// Names differ between two texts of one program; their meaning does not. So a name is written as a number, in the order
// of first mention, and a first mention is followed by the meaning of the name:
//   y = aten.add(x, x)       operator 0 "aten.add.Tensor", type 0 f32[4], operands 0, 0
//   z = aten.add(y, x)       operator 0, type 0, operands 1, 0
// A group is written by its size and axis, never by its name: rank 0 may use the name "2" for what rank 4 names "3".
// Each text is preceded by its length, so that "ab", "c" and "a", "bc" differ. Kinds are written as these numbers. A
// new kind must come last, or the digest of every program changes.
static_assert(static_cast<int>(Opcode::Placeholder) == 0 && static_cast<int>(Opcode::GetAttr) == 1 &&
              static_cast<int>(Opcode::CallFunction) == 2 && static_cast<int>(Opcode::Output) == 3);
static_assert(static_cast<int>(Type::Kind::Tensor) == 0 && static_cast<int>(Type::Kind::List) == 1 &&
              static_cast<int>(Type::Kind::Symbolic) == 2 && static_cast<int>(Type::Kind::None) == 3);
static_assert(static_cast<int>(Argument::Kind::None) == 0 && static_cast<int>(Argument::Kind::Bool) == 1 &&
              static_cast<int>(Argument::Kind::Int) == 2 && static_cast<int>(Argument::Kind::Float) == 3 &&
              static_cast<int>(Argument::Kind::String) == 4 && static_cast<int>(Argument::Kind::Symbolic) == 5 &&
              static_cast<int>(Argument::Kind::DType) == 6 && static_cast<int>(Argument::Kind::Device) == 7 &&
              static_cast<int>(Argument::Kind::Layout) == 8 && static_cast<int>(Argument::Kind::MemoryFormat) == 9 &&
              static_cast<int>(Argument::Kind::Operand) == 10 && static_cast<int>(Argument::Kind::List) == 11 &&
              static_cast<int>(Argument::Kind::Tuple) == 12 && static_cast<int>(Argument::Kind::Dict) == 13 &&
              static_cast<int>(Argument::Kind::Slice) == 14 && static_cast<int>(Argument::Kind::Python) == 15);

/// Writes the form that the header defines.
class DigestWriter {
public:
  GraphDigest run(const Graph &graph) {
    bytes_ += "ccgraph digest 1\n";
    write(graph);
    auto hash = llvm::SHA256::hash(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes_.data()), bytes_.size()));
    return {hash};
  }

private:
  /// The items of one kind that have been mentioned, by order of first mention. Looked up only.
  template <typename Key>
  using Mentions = llvm::DenseMap<Key, uint64_t>;

  /// Writes 300 as the two bytes 0xAC 0x02: its low seven bits with the mark that more follow, then the rest.
  void number(uint64_t value) {
    for (; value >= 128; value >>= 7)
      bytes_.push_back(static_cast<char>(value | 128));
    bytes_.push_back(static_cast<char>(value));
  }
  /// Writes 0, -1, 1, -2 as 0, 1, 2, 3, so that small negative numbers are short too.
  void signedNumber(int64_t value) { number((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63)); }
  void text(llvm::StringRef value) {
    number(value.size());
    bytes_ += value;
  }
  /// Returns true at the first mention: the meaning must follow.
  template <typename Key>
  bool mention(Mentions<Key> &mentions, Key key) {
    auto [found, isNew] = mentions.try_emplace(key, mentions.size());
    number(found->second);
    return isNew;
  }
  bool mention(llvm::StringMap<uint64_t> &mentions, llvm::StringRef key) {
    auto [found, isNew] = mentions.try_emplace(key, mentions.size());
    number(found->second);
    return isNew;
  }

  void write(const Graph &graph) {
    std::vector<uint64_t> outer = std::exchange(position_, std::vector<uint64_t>(graph.idLimit()));
    CallerOwned held(graph);
    number(graph.size());
    uint64_t next = 0;
    for (const Node *node : graph)
      position_[node->id()] = next++;
    for (const Node *node : graph)
      write(*node, held);
    position_ = std::move(outer);
  }

  void write(const Node &node, const CallerOwned &held) {
    number(static_cast<uint64_t>(node.opcode()));
    writeTarget(node, held);
    write(node.type(), *node.graph());
    writeArguments(node);
    llvm::SmallVector<uint64_t, 4> after;
    for (const Node *first : node.orderedAfter())
      after.push_back(position_[first->id()]);
    llvm::sort(after);
    number(after.size());
    llvm::for_each(after, [&](uint64_t position) { number(position); });
  }

  void writeTarget(const Node &node, const CallerOwned &held) {
    switch (node.opcode()) {
    case Opcode::Placeholder:
      return number(held(node));
    case Opcode::Output:
      return;
    case Opcode::GetAttr: {
      const Graph *body = namedSubgraph(node);
      number(body != nullptr);
      if (mention(attributes_, {node.graph(), node.target().key()}) && body)
        write(*body);
      return;
    }
    case Opcode::CallFunction:
      if (mention(operators_, node.target()))
        text(node.target().str());
      return;
    }
  }

  // --- Types --------------------------------------------------------------------------------------------------------

  void write(const Type *type, const Graph &graph) {
    if (!mention(types_, type))
      return;
    number(type ? static_cast<uint64_t>(type->kind()) + 1 : 0);
    if (!type)
      return;
    if (type->isTensor()) {
      text(shortName(type->dtype()));
      number(type->stridesKnown());
      number(type->sizes().size());
      for (llvm::ArrayRef<Dim> dims : {type->sizes(), type->strides()})
        for (const Dim &dim : dims)
          write(dim, graph);
      write(type->device());
    }
    number(type->elements().size());
    for (const Type *element : type->elements())
      write(element, graph);
    if (type->symbol())
      write(*type->symbol(), graph);
  }

  void write(const Dim &dim, const Graph &graph) {
    number(dim.isStatic());
    if (dim.isStatic())
      signedNumber(dim.value());
    else
      write(*dim.expr(), graph);
  }

  void write(const Device &device) {
    if (mention(deviceKinds_, device.kind))
      text(device.kind.str());
    number(device.index >= 0);
    if (device.index >= 0)
      mention(devices_, {device.kind.key(), device.index});
  }

  /// Writes an expression word by word: symbols are mentions, all else is its text without blanks. "s0 + 4" and "s7 +
  /// 4" have one digest if s0 and s7 are the first symbols of their programs. The empty text at the end is no word.
  void write(const SymExpr &expression, const Graph &graph) {
    llvm::StringRef rest = expression.text();
    while (!rest.empty()) {
      llvm::StringRef word = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
      rest = rest.drop_front(std::max<size_t>(word.size(), 1));
      if (isSymbol(word))
        writeSymbol(word, graph);
      else if (char next = expression.text().drop_back(rest.size()).back(); !word.empty() || next != ' ')
        text(word.empty() ? llvm::StringRef(&next, 1) : word);
    }
    number(0);
  }

  /// Returns true for one or more letters, then digits: s0, u12, zf3.
  static bool isSymbol(llvm::StringRef word) {
    llvm::StringRef digits = word.drop_while([](char c) { return llvm::isAlpha(c); });
    return digits.size() < word.size() && !digits.empty() && llvm::all_of(digits, llvm::isDigit);
  }

  void writeSymbol(llvm::StringRef symbol, const Graph &graph) {
    llvm::StringRef letters = symbol.take_while([](char c) { return llvm::isAlpha(c); });
    text(letters);
    if (!mention(symbols_, symbol))
      return;
    auto hint = llvm::find_if(graph.symbolHints, [&](const auto &entry) { return entry.first.str() == symbol; });
    bool known = hint != graph.symbolHints.end() && letters != "u";
    number(known);
    if (known)
      signedNumber(hint->second);
  }

  // --- Arguments ----------------------------------------------------------------------------------------------------

  void writeArguments(const Node &node) {
    number(node.args().size());
    for (size_t i = 0; i < node.args().size(); ++i)
      write(node.args()[i], node, isGroup(node, static_cast<int>(i)));
    llvm::SmallVector<const NamedArgument *, 8> keyword;
    for (const NamedArgument &argument : node.kwargs())
      keyword.push_back(&argument);
    llvm::sort(keyword, [](const auto *a, const auto *b) { return a->name.str() < b->name.str(); });
    number(keyword.size());
    for (const NamedArgument *argument : keyword) {
      writeName(argument->name);
      write(argument->value, node, node.op() && isGroup(node, node.op()->paramIndex(argument->name.str())));
    }
  }

  void writeName(Identifier name) {
    if (mention(keywords_, name))
      text(name.str());
  }

  /// Returns true if this parameter is a process group.
  static bool isGroup(const Node &node, int parameter) {
    const OpDef *op = node.op();
    if (!op || parameter < 0 || static_cast<size_t>(parameter) >= op->params.size())
      return false;
    bool ofCollective = op->collective && op->collective->group == parameter;
    return ofCollective || op->params[parameter].name == "group_name";
  }

  void write(const Argument &argument, const Node &node, bool group) {
    using Kind = Argument::Kind;
    number(static_cast<uint64_t>(argument.kind()));
    switch (argument.kind()) {
    case Kind::None:
      return;
    case Kind::Bool:
      return number(argument.boolean());
    case Kind::Int:
      return signedNumber(argument.integer());
    case Kind::Float:
      return number(llvm::DoubleToBits(argument.floating()));
    case Kind::String:
      return group ? writeGroup(argument.text(), *node.graph()) : text(argument.text());
    case Kind::Layout:
    case Kind::MemoryFormat:
    case Kind::Python:
      return text(argument.text());
    case Kind::Symbolic:
      return write(*argument.symbolic(), *node.graph());
    case Kind::DType:
      return text(shortName(argument.dtype()));
    case Kind::Device:
      return write(argument.device());
    case Kind::Operand:
      return number(position_[node.operand(argument)->id()]);
    case Kind::List:
    case Kind::Tuple:
    case Kind::Slice:
      return group ? writeRanks(argument) : writeElements(argument, node);
    case Kind::Dict:
      number(argument.entries().size());
      for (const NamedArgument &entry : argument.entries()) {
        writeName(entry.name);
        write(entry.value, node, false);
      }
    }
  }

  void writeElements(const Argument &list, const Node &node) {
    number(list.elements().size());
    for (const Argument &element : list.elements())
      write(element, node, false);
  }

  void writeGroup(llvm::StringRef name, const Graph &graph) {
    if (!mention(groups_, name))
      return;
    const Group *group = graph.groups().find(name);
    signedNumber(group && !group->assumed ? group->size().value_or(-1) : -1);
    signedNumber(group ? group->axis : -1);
  }

  /// Writes a group given by its members, as in older forms.
  void writeRanks(const Argument &list) {
    std::string members;
    for (const Argument &element : list.elements())
      members += (element.is(Argument::Kind::Int) ? llvm::itostr(element.integer()) : "?") + ",";
    if (mention(groups_, members))
      number(list.elements().size());
  }

  llvm::SmallString<0> bytes_;
  /// by node id, in the graph that is being written
  std::vector<uint64_t> position_;
  Mentions<Identifier> operators_, keywords_, deviceKinds_;
  Mentions<const Type *> types_;
  Mentions<std::pair<const void *, int>> devices_;
  Mentions<std::pair<const void *, const void *>> attributes_;
  llvm::StringMap<uint64_t> symbols_, groups_;
};

} // namespace

std::string GraphDigest::str() const { return llvm::toHex(bytes, /*LowerCase=*/true); }

GraphDigest digestOf(const Graph &graph) { return DigestWriter().run(graph); }

} // namespace ccgraph
