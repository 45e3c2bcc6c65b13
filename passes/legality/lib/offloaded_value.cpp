#include "rules.h"
#include "storage_use.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

// v = mm(x, y); r(v); ...; s(v)
//   ->  v = mm(x, y); o = offload(v); r(v); h = wait_tensor(o, v); ...
//       l = reload(h, device); w = wait_tensor(l, h); s(w)
//
// The entry lists v as matched, and w, l, h and o as built. Both programs contain v, so everything is proved of the
// program after. A copy moves each element unchanged, so w holds the elements of v if the chain is exactly this one, no
// step writes v, o or l meanwhile, and each wait is the one on its copy. w has the sizes and strides of v, and both
// have their memory alone, so no step can tell w from v. checkFreed() proves that no step names v after h.

constexpr llvm::StringLiteral offload = "ao.offload.default", reload = "ao.reload.default",
                              waitTensor = "ao.wait_tensor.default";

/// The steps of one entry, in the program after.
struct Chain {
  uint32_t value = none, back = none, reloaded = none, host = none, offloaded = none;
};

class OffloadedValue {
public:
  OffloadedValue(const Evidence &evidence, const StorageUse &use, uint32_t entry, Findings &findings)
      : evidence_(evidence), after_(evidence.after), use_(use), findings_(findings),
        entry_(claimText({Part::Rule, entry})) {
    const RuleEntry &rule = evidence.rewrite.certificate.rules[entry];
    auto step = [&](const Node *node) { return after_.indexOf(node); };
    chain_ = {step(rule.matched[0]), step(rule.built[0]), step(rule.built[1]), step(rule.built[2]),
              step(rule.built[3])};
  }

  void check() {
    if (!checkCalls())
      return;
    checkTypes();
    checkMemory();
    checkReaders();
    checkPairs();
  }

private:
  bool refuse(uint32_t step, const llvm::Twine &message) {
    findings_.add(*after_[step].node, "offloaded-value", message, entry_);
    return false;
  }
  std::string text(uint32_t step) const { return quoted(after_[step].node); }

  /// Returns true for a call of this operator whose first arguments are exactly these values, in this order.
  bool isCall(uint32_t index, llvm::StringRef target, llvm::ArrayRef<uint32_t> values) const {
    const Step &step = after_[index];
    auto operands = after_.operands(step);
    auto positional = step.arguments->positional;
    if (!step.op || step.op->target.str() != target || operands != values || !step.arguments->keyword.empty() ||
        step.numOrdering > 0 || positional.size() < values.size())
      return false;
    for (size_t i = 0; i < values.size(); ++i)
      if (!positional[i].is(Argument::Kind::Operand) || positional[i].operandIndex() != i)
        return false;
    return true;
  }

  bool checkCalls() {
    auto isPlain = [&](uint32_t index, llvm::StringRef target, llvm::ArrayRef<uint32_t> values) {
      return isCall(index, target, values) && after_[index].arguments->positional.size() == values.size();
    };
    const Chain &it = chain_;
    if (!isPlain(it.offloaded, offload, {it.value}))
      return refuse(it.offloaded, "is no ao.offload of " + text(it.value));
    if (!isPlain(it.host, waitTensor, {it.offloaded, it.value}))
      return refuse(it.host, "is no ao.wait_tensor on " + text(it.offloaded) + " that frees " + text(it.value));
    if (!isCall(it.reloaded, reload, {it.host}) || !hasLayoutOfValue())
      return refuse(it.reloaded, "is no ao.reload of " + text(it.host) + " to the device of " + text(it.value) +
                                     ", with its sizes and strides");
    if (!isPlain(it.back, waitTensor, {it.reloaded, it.host}))
      return refuse(it.back, "is no ao.wait_tensor on " + text(it.reloaded) + " that frees " + text(it.host));
    return true;
  }

  static bool isList(const Argument &argument, llvm::ArrayRef<Dim> dims) {
    return argument.isSequence() && argument.elements().size() == dims.size() &&
           llvm::all_of(llvm::zip(argument.elements(), dims), [](auto pair) {
             const auto &[element, dim] = pair;
             return element.is(Argument::Kind::Int) && dim == Dim(element.integer());
           });
  }

  /// Returns true if the reload states the device of the value, and its sizes and strides unless these are row-major,
  /// which the host's tensor is.
  bool hasLayoutOfValue() const {
    const Type *type = after_[chain_.value].type;
    auto positional = after_[chain_.reloaded].arguments->positional;
    if (!type || !type->isTensor() || !type->stridesKnown() || positional.size() < 2 ||
        !positional[1].is(Argument::Kind::Device) || !(positional[1].device() == type->device()))
      return false;
    if (positional.size() == 2)
      return type->isContiguous();
    return positional.size() == 4 && isList(positional[2], type->sizes()) && isList(positional[3], type->strides());
  }

  void checkTypes() {
    const Type *type = after_[chain_.value].type;
    for (uint32_t step : {chain_.reloaded, chain_.back})
      if (after_[step].type != type)
        refuse(step, "is " + typeText(after_[step].type) + ", expected " + typeText(type) + " as " +
                         text(chain_.value) + " is");
    for (uint32_t step : {chain_.offloaded, chain_.host}) {
      const Type *host = after_[step].type;
      const bool fits = host && host->isTensor() && host->dtype() == type->dtype() && host->sizes() == type->sizes() &&
                        host->isContiguous() && host->device().kind && host->device().kind.str() == "cpu";
      if (!fits)
        refuse(step, "is " + typeText(host) + ", expected the elements of " + text(chain_.value) +
                         " in row-major order on the host");
    }
  }

  /// Checks that each tensor of the chain has its memory alone, and that only the chain writes or frees it.
  void checkMemory() {
    const Storages &storages = evidence_.storagesAfter;
    auto occupied = storages.of(chain_.value);
    const Type *type = after_[chain_.value].type;
    if (occupied.size() != 1 || !after_[storages.owner(occupied.front())].isCall() ||
        storages.bytes(occupied.front()) != type->numBytes().value_or(-1))
      return void(refuse(chain_.value, "does not fill a storage of the program alone, so it may not be freed"));
    const std::pair<uint32_t, uint32_t> allowed[] = {
        {chain_.value, chain_.host}, {chain_.offloaded, chain_.back}, {chain_.reloaded, none}};
    for (auto [value, writer] : allowed) {
      if (uint32_t other = use_.otherWriter(value, writer); other != none)
        refuse(other, "writes " + text(value) + ", of which a copy stands for " + text(chain_.value));
      if (use_.isReshaped(value))
        refuse(value, "may be reshaped in place, so no copy may stand for " + text(chain_.value));
      if (uint32_t observer = use_.observer(value); observer != none)
        refuse(observer, "may see where " + text(value) + " lies, and " + text(chain_.value) + " is freed meanwhile");
    }
    if (uint32_t opaque = use_.opaque(chain_.value, chain_.back); opaque != none)
      refuse(opaque, "is opaque and between " + text(chain_.value) + " and " + text(chain_.back) +
                         ", so it may use what is freed");
    if (use_.readsInFlight(chain_.offloaded))
      refuse(chain_.offloaded, "reads what is in flight");
  }

  /// Checks that no other step reads the tensors of the chain that are no values of the program before.
  void checkReaders() {
    const std::pair<uint32_t, llvm::SmallVector<uint32_t, 2>> allowed[] = {
        {chain_.offloaded, {chain_.host}},
        {chain_.host, {chain_.reloaded, chain_.back}},
        {chain_.reloaded, {chain_.back}}};
    for (const auto &[value, readers] : allowed)
      for (const Use &use : after_[value].node->uses())
        if (uint32_t reader = after_.indexOf(use.user()); !llvm::is_contained(readers, reader))
          refuse(reader, "reads " + text(value) + ", which only its own copy and wait may read");
  }

  void checkPairs() {
    for (auto [launch, wait] : {std::pair(chain_.offloaded, chain_.host), std::pair(chain_.reloaded, chain_.back)}) {
      const auto &pairs = evidence_.pairsAfter.asyncPairs;
      auto pair = llvm::find_if(pairs, [&, launch = launch](const AsyncPair &it) { return it.launch == launch; });
      if (pair == pairs.end() || pair->wait != wait)
        refuse(launch, "is not completed by " + text(wait));
    }
  }

  const Evidence &evidence_;
  const Program &after_;
  const StorageUse &use_;
  Findings &findings_;
  std::string entry_;
  Chain chain_;
};

} // namespace

void checkOffloadedValues(const Evidence &evidence, llvm::ArrayRef<uint32_t> entries, Findings &findings) {
  if (entries.empty())
    return;
  const StorageUse use(evidence);
  for (uint32_t entry : entries)
    OffloadedValue(evidence, use, entry, findings).check();
}

} // namespace ccgraph::legality
