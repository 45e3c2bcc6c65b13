#include "lower/emitter.h"

#include "ccgraph/ir/min_max.h"
#include "ccgraph/ir/strides.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph::lower {
namespace {

/// Returns the number of elements from the first to one past the last that a tensor of this type reaches.
Dim extentOf(Context &context, const Type &type) {
  auto sizes = staticDims(type.sizes()), strides = staticDims(type.strides());
  if (sizes && strides)
    return ccgraph::extentOf(*sizes, *strides);
  if (type.isContiguous())
    return productOf(context, type.sizes());
  Dim elements = 1;
  for (auto [size, stride] : llvm::zip(type.sizes(), type.strides()))
    elements = add(context, elements, multiply(context, add(context, size, Dim(-1)), stride));
  return maximum(context, elements, Dim(0));
}

/// Calls `visit` with each name u<number> in the text.
void forEachUnbacked(llvm::StringRef text, llvm::function_ref<void(llvm::StringRef)> visit) {
  for (size_t at = 0; at < text.size();) {
    if (!llvm::isAlpha(text[at]) && text[at] != '_') {
      ++at;
      continue;
    }
    llvm::StringRef word = text.drop_front(at).take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (word.size() > 1 && word[0] == 'u' && llvm::all_of(word.drop_front(), llvm::isDigit))
      visit(word);
    at += word.size();
  }
}

} // namespace

llvm::Error loweringError(const Node &node, llvm::StringRef rule, const llvm::Twine &message,
                          const llvm::Twine &repair) {
  return makeError(diagnose(node, rule, message.str(), repair.str()));
}

BufferId addBuffer(Program &program, Identifier name, Home home, Dim bytes) {
  program.plan.buffers.push_back({name, home, bytes});
  program.needed.emplace_back();
  return static_cast<BufferId>(program.plan.buffers.size() - 1);
}

void addStep(Program &program, PlanStep step, Moment moment) {
  forEachAccess(step, [&](const PlanAccess &access) {
    if (access.window)
      program.needed[access.window->buffer].at(moment);
  });
  program.plan.steps.push_back(std::move(step));
  program.moments.push_back(moment);
}

Emitter::Emitter(const Graph &graph, const LoweringOptions &options, Program &program)
    : graph_(graph), options_(options), program_(program), asyncPairs_(graph, StorageMap(graph)),
      moments_(graph.idLimit()), values_(graph.idLimit()) {
  Moment next = 0;
  for (const Node *node : graph)
    moments_[node->id()] = next++;
}

LoweredValue Emitter::valueOf(const Node &node, const Argument &argument) const {
  if (argument.is(Argument::Kind::Operand))
    return valueOf(*node.operand(argument));
  if (argument.isSequence()) {
    std::vector<LoweredValue> elements;
    for (const Argument &element : argument.elements())
      elements.push_back(valueOf(node, element));
    return LoweredValue::list(std::move(elements));
  }
  return LoweredValue::ofLiteral(argument);
}

const Type *Emitter::laidOut(const Type *type) const {
  return type->stridesKnown() ? type : context().contiguousTensor(type->dtype(), type->sizes(), type->device());
}

TensorObject Emitter::freshTensor(Identifier name, const Type *type, Home home) {
  type = laidOut(type);
  Dim bytes = multiply(context(), extentOf(context(), *type), Dim(sizeInBytes(type->dtype())));
  // A data-dependent size is unknown to every layout, even if a symbol has a stated value.
  if (home == Home::Compute && (isUnbacked(bytes) || !bytes.evaluate(symbolsOf(plan().layout))))
    home = Home::Growing;
  BufferId buffer = addBuffer(program_, name, home, bytes);
  return std::make_shared<PlanWindow>(PlanWindow{buffer, type, Dim(0)});
}

LoweredValue Emitter::freshNumber(const Type *type) { return LoweredValue::number(plan().numSlots++, type); }

bool Emitter::tellsSymbols(const Type *type) {
  bool tells = false;
  auto tell = [&](const SymExpr &expression) {
    forEachUnbacked(expression.text(), [&](llvm::StringRef symbol) { tells |= told_.insert(symbol).second; });
  };
  if (!type)
    return false;
  if (type->kind() == Type::Kind::Symbolic)
    tell(*type->symbol());
  for (const Dim &size : type->sizes())
    if (isUnbacked(size))
      tell(*size.expr());
  for (const Type *element : type->elements())
    tells |= tellsSymbols(element);
  return tells;
}

void Emitter::emit(const Node &node, StreamId stream, decltype(PlanStep::work) work) {
  PlanStep step;
  step.name = node.name();
  step.stream = stream;
  step.work = std::move(work);
  addStep(program_, std::move(step), moment(node));
}

Moment Emitter::completesAt(const Node &launch) const {
  if (!effectsOf(launch).launches)
    return moment(launch);
  if (asyncPairs_.staysOpen(&launch) || asyncPairs_.waitsOf(&launch).empty())
    return theEnd;
  Moment last = moment(launch);
  for (const Node *wait : asyncPairs_.waitsOf(&launch))
    last = std::max(last, moment(*wait));
  return last;
}

void Emitter::keepUntil(Moment moment, llvm::ArrayRef<PlanWindow> windows) {
  for (const PlanWindow &window : windows)
    program_.needed[window.buffer].at(moment);
}

void Emitter::keepToTheEnd(const PlanValue &value) {
  forEachWindow(value, [&](const PlanWindow &window) { program_.needed[window.buffer].at(theEnd); });
}

uint32_t Emitter::groupIndex(const Group &group) {
  auto [entry, added] = groups_.try_emplace(group.name, static_cast<uint32_t>(plan().groups.size()));
  if (added)
    plan().groups.push_back(group);
  return entry->second;
}

StreamId Emitter::collectiveStream(uint32_t group) {
  size_t turn = collectiveStreams_.size(), most = options_.streams;
  auto [entry, added] = collectiveStreams_.try_emplace(group, static_cast<StreamId>(plan().streams.size()));
  if (added && most > 0 && turn >= most)
    entry->second = share(streamsOfCollectives_[turn % most]);
  else if (added) {
    plan().streams.push_back({PlanStream::Kind::Collective, "comm:" + plan().groups[group].name, group});
    streamsOfCollectives_.push_back(entry->second);
  }
  return entry->second;
}

StreamId Emitter::hostCopyStream() {
  if (!hostCopyStream_) {
    hostCopyStream_ = static_cast<StreamId>(plan().streams.size());
    plan().streams.push_back({PlanStream::Kind::HostCopy, "host-copies", std::nullopt});
  }
  return *hostCopyStream_;
}

StreamId Emitter::share(StreamId stream) {
  PlanStream &shared = plan().streams[stream];
  if (shared.group)
    shared.name = "shared:" + std::to_string(llvm::find(streamsOfCollectives_, stream) - streamsOfCollectives_.begin());
  shared.group.reset();
  return stream;
}

StreamId Emitter::transferStream(const PlanCollective &transfer) {
  bool sends = transfer.kind == CollectiveKind::Send;
  auto [entry, added] = transferStreams_.try_emplace({transfer.group, transfer.peer, sends, transfer.tag},
                                                     static_cast<StreamId>(plan().streams.size()));
  if (added)
    plan().streams.push_back({PlanStream::Kind::Transfer,
                              (llvm::Twine(sends ? "send:" : "recv:") + plan().groups[transfer.group].name + ":" +
                               llvm::Twine(transfer.peer) + ":" + llvm::Twine(transfer.tag))
                                  .str(),
                              transfer.group});
  return entry->second;
}

} // namespace ccgraph::lower
