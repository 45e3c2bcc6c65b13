#include "fx_text/load_args.h"

#include <numeric>

using llvm::StringRef;

namespace ccgraph::fx {
namespace {

constexpr StringRef setupGroups = "setup_fake_process_groups(";
constexpr StringRef initGroup = "init_process_group(";

/// These lines print a negative number of a sum first, "(-1) + 2*s77". The rest of a program prints the same sum as
/// "2*s77 - 1", so that form is returned.
const SymExpr *numberLast(Context &context, const SymExpr *expression) {
  StringRef text = expression->text();
  auto [number, rest] = text.split(") + ");
  if (!number.consume_front("(-") || number.find_first_not_of("0123456789") != StringRef::npos || rest.empty())
    return expression;
  return context.symbolic((rest + " - " + number).str());
}

std::optional<Dim> dimOf(Context &context, const Argument &argument) {
  if (argument.is(Argument::Kind::Int))
    return Dim(argument.integer());
  return argument.is(Argument::Kind::Symbolic) ? std::optional(Dim(numberLast(context, argument.symbolic())))
                                               : std::nullopt;
}

std::optional<llvm::SmallVector<Dim, 6>> dimsOf(Context &context, const Argument &argument) {
  if (!argument.isSequence())
    return std::nullopt;
  llvm::SmallVector<Dim, 6> dims;
  for (const Argument &element : argument.elements()) {
    std::optional<Dim> dim = dimOf(context, element);
    if (!dim)
      return std::nullopt;
    dims.push_back(*dim);
  }
  return dims;
}

const Argument *keyword(const CallArguments &call, StringRef name) {
  for (const NamedArgument &entry : call.keyword)
    if (entry.name.str() == name)
      return &entry.value;
  return nullptr;
}

std::optional<int64_t> entryOf(const Argument &dictionary, StringRef name) {
  for (const NamedArgument &entry : dictionary.entries())
    if (entry.name.str() == name && entry.value.is(Argument::Kind::Int))
      return entry.value.integer();
  return std::nullopt;
}

constexpr int64_t mostRanks = 65536;

/// Adds a group. The group of all ranks is complete once its size is known; of another group, only the size is known.
void addGroup(Graph &graph, StringRef name, int64_t size, int64_t rank) {
  if (size < 1 || size > mostRanks)
    return;
  bool isWorld = name == "0";
  Group group;
  group.name = name.str();
  group.ranks.resize(static_cast<size_t>(size));
  std::iota(group.ranks.begin(), group.ranks.end(), int64_t{0});
  group.assumed = !isWorld;
  group.description = isWorld ? "all ranks, by setup_fake_process_groups" : "";
  bool isPlace = rank >= 0 && rank < size;
  if (!isWorld && isPlace)
    group.attributes.emplace_back("place", std::to_string(rank)); // of this rank: the logs of all yield the members
  graph.groups().set(std::move(group));
  if (!isWorld)
    return;
  graph.worldSize = size;
  if (isPlace)
    graph.rank = rank;
}

} // namespace

LoadArgs::LoadArgs(Session &session, Graph &graph, const char *place)
    : session_(session), graph_(graph), place_(place) {
  for (Node *node : graph.nodes())
    if (node->opcode() == Opcode::Placeholder)
      inputs_.push_back(node);
}

void LoadArgs::line(Cursor cursor) {
  const char *start = cursor.at;
  bool isInput = cursor.rest().startswith("reader.");
  session_.problems.mute(true);
  bool good = isInput ? input(cursor) : storage(cursor);
  session_.problems.mute(false);
  if (!good)
    session_.problems.warning(start,
                              "got " + quoteHere(start, cursor.end) +
                                  " in load_args, expected a tensor, a symint, an opaque or a storage",
                              isInput ? "its input stays without a type" : "its tensors are assumed to be on the host");
}

/// Returns sizes or strides as PyTorch prints them elsewhere; here they are Python, such as s77 + (-1)*(s77 // 2).
std::optional<DimList> LoadArgs::dims(const Argument &argument) {
  std::optional<DimList> dims = dimsOf(session_.context, argument);
  for (size_t i = 0; dims && i != dims->size(); ++i)
    (*dims)[i] = simplified(session_.context, (*dims)[i]);
  return dims;
}

bool LoadArgs::arguments(Cursor &cursor, CallArguments &call) {
  ExpressionReader reader(graph_, noNames_, session_.problems, cursor);
  return reader.callArguments(call);
}

// Reads buf0 = reader.storage(None, 112, device=device(type='cuda', index=0)).
bool LoadArgs::storage(Cursor cursor) {
  StringRef name = cursor.word();
  CallArguments call;
  if (name.empty() || !cursor.takeAfterBlanks('='))
    return false;
  cursor.skipBlanks();
  if (cursor.dotted() != "reader.storage" || !cursor.take('(') || !arguments(cursor, call))
    return false;
  const Argument *device = keyword(call, "device");
  bool isDevice = device && device->is(Argument::Kind::Device);
  storages_[name] = isDevice ? device->device() : Device{session_.context.identifier("cpu"), -1};
  return !device || isDevice;
}

bool LoadArgs::input(Cursor cursor) {
  StringRef what = cursor.dotted();
  const Type *type = nullptr;
  bool good = cursor.take('(');
  if (good && what == "reader.tensor")
    good = tensor(cursor, type);
  else if (good && what == "reader.symint")
    good = symbol(cursor, type);
  else
    good &= what == "reader.opaque"; // an object, which has no type
  if (next_ < inputs_.size() && type)
    graph_.setType(inputs_[next_], type);
  ++next_;
  return good;
}

// Reads reader.tensor(buf0, (7, 4), (1, 7), dtype=torch.bfloat16, is_leaf=True).
bool LoadArgs::tensor(Cursor &cursor, const Type *&type) {
  StringRef name = cursor.word();
  CallArguments call;
  if (name.empty() || !cursor.takeAfterBlanks(',') || !arguments(cursor, call) || call.positional.empty())
    return false;
  auto found = storages_.find(name);
  Device device = found == storages_.end() ? Device{session_.context.identifier("cpu"), -1} : found->second;
  const Argument *asked = keyword(call, "dtype");
  if (asked && !asked->is(Argument::Kind::DType))
    return false;
  DType dtype = asked ? asked->dtype() : DType::F32;
  auto sizes = dims(call.positional[0]);
  if (!sizes)
    return false;
  if (call.positional.size() < 2) {
    type = session_.context.contiguousTensor(dtype, *sizes, device);
    return true;
  }
  auto strides = dims(call.positional[1]);
  if (!strides || strides->size() != sizes->size())
    return false;
  type = session_.context.tensor(dtype, {*sizes, *strides, true}, device);
  return true;
}

// Reads reader.symint(3, expr='s77').
bool LoadArgs::symbol(Cursor &cursor, const Type *&type) {
  CallArguments call;
  if (!arguments(cursor, call))
    return false;
  const Argument *expression = keyword(call, "expr");
  if (!expression || !expression->is(Argument::Kind::String))
    return true;
  llvm::Expected<const Type *> symbol = parseType(session_.context, ("Sym(" + expression->text() + ")").str());
  if (!symbol)
    return llvm::consumeError(symbol.takeError()), false;
  type = *symbol;
  return true;
}

void LoadArgs::end() {
  if (next_ != inputs_.size())
    session_.problems.warning(place_,
                              "got " + std::to_string(next_) + " inputs in load_args, expected " +
                                  std::to_string(inputs_.size()) + ", as many as the graph has",
                              "print the whole file again");
}

bool readProcessGroups(Session &session, Graph &graph, Cursor cursor) {
  size_t at = cursor.rest().find(setupGroups);
  bool isOld = at == StringRef::npos;
  if (isOld)
    at = cursor.rest().find(initGroup);
  if (at == StringRef::npos)
    return false;
  const char *start = cursor.at + at;
  cursor.at = start + (isOld ? initGroup.size() : setupGroups.size());
  NameTable noNames;
  ExpressionReader reader(graph, noNames, session.problems, cursor);
  if (isOld) {
    StringRef rest = cursor.rest();
    auto number = [&](StringRef name, std::optional<int64_t> &into) {
      int64_t value = 0;
      size_t place = rest.find(name);
      if (place != StringRef::npos &&
          !rest.drop_front(place + name.size()).take_while(llvm::isDigit).getAsInteger(10, value))
        into = value;
    };
    number("rank=", graph.rank);
    number("world_size=", graph.worldSize);
    return true;
  }
  Argument groups;
  session.problems.mute(true);
  bool good = cursor.peek() == '{' && reader.argument(groups) && groups.is(Argument::Kind::Dict);
  session.problems.mute(false);
  if (!good) {
    session.problems.warning(
        start, "got " + quoteHere(start, cursor.end) + ", expected groups such as {'0': {'size': 2, 'rank': 0}}",
        "--groups FILE states the ranks");
    return true;
  }
  for (const NamedArgument &entry : groups.entries())
    if (entry.value.is(Argument::Kind::Dict))
      addGroup(graph, entry.name.str(), entryOf(entry.value, "size").value_or(0),
               entryOf(entry.value, "rank").value_or(0));
  return true;
}

} // namespace ccgraph::fx
