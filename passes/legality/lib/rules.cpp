#include "rules.h"

#include "call.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

// control_deps((p,), body, x) with the body (a): all_gather(a, 4, "tp") must have become all_gather(x, 4, "tp"), with
// an edge from p: the body's call with each placeholder replaced by the node's argument for it.

/// Compares a built call with the subgraph's call, argument by argument.
class InlinedCall {
public:
  InlinedCall(const Rewrite &rewrite, const Correspondence &correspondence, const Step &wrapper, const Node &inner,
              const Step &built)
      : rewrite_(rewrite), correspondence_(correspondence), wrapper_(wrapper), inner_(inner), built_(built) {}

  bool matches() const {
    if (built_.op != inner_.op() ||
        !std::equal(inner_.args().begin(), inner_.args().end(), built_.arguments->positional.begin(),
                    built_.arguments->positional.end(), [&](const auto &a, const auto &b) { return same(a, b); }))
      return false;
    auto named = [&](const NamedArgument &a, const NamedArgument &b) {
      return a.name == b.name && same(a.value, b.value);
    };
    return std::equal(inner_.kwargs().begin(), inner_.kwargs().end(), built_.arguments->keyword.begin(),
                      built_.arguments->keyword.end(), named);
  }

private:
  bool same(const Argument &inner, const Argument &built) const {
    if (inner.is(Argument::Kind::Operand))
      return sameActual(actual(*inner_.operand(inner)), built);
    if (inner.isSequence())
      return inner.kind() == built.kind() &&
             std::equal(inner.elements().begin(), inner.elements().end(), built.elements().begin(),
                        built.elements().end(), [&](const Argument &a, const Argument &b) { return same(a, b); });
    return sameArgument(inner, built);
  }

  /// Returns the argument of the control_deps for a placeholder of the subgraph.
  const Argument *actual(const Node &placeholder) const {
    size_t parameter = 2;
    for (const Node *node : *inner_.graph()) {
      if (node->opcode() != Opcode::Placeholder)
        continue;
      if (node == &placeholder)
        return parameter < wrapper_.arguments->positional.size() ? &wrapper_.arguments->positional[parameter] : nullptr;
      ++parameter;
    }
    return nullptr;
  }

  bool sameActual(const Argument *actual, const Argument &built) const {
    if (!actual)
      return false;
    if (!actual->is(Argument::Kind::Operand))
      return sameArgument(*actual, built);
    uint32_t operand = rewrite_.before.operand(wrapper_, *actual);
    return built.is(Argument::Kind::Operand) && operand != none && correspondence_.image(operand) != none &&
           correspondence_.image(operand) == rewrite_.after.operand(built_, built);
  }

  const Rewrite &rewrite_;
  const Correspondence &correspondence_;
  const Step &wrapper_;
  const Node &inner_;
  const Step &built_;
};

class ControlDepsRule {
public:
  ControlDepsRule(const Evidence &evidence, uint32_t entry, Findings &findings)
      : evidence_(evidence), entry_(entry), findings_(findings) {}

  void check() {
    const RuleEntry &rule = evidence_.rewrite.certificate.rules[entry_];
    const Step *wrapper = rule.matched.empty() ? nullptr : &evidence_.before[evidence_.before.indexOf(rule.matched[0])];
    const Graph *body = wrapper ? wrappedGraph(evidence_.before, *wrapper) : nullptr;
    const Node *inner = body ? onlyCall(*body) : nullptr;
    if (!inner || rule.built.size() != 1 || !returnsOnly(*body, *inner) || !attributesOnly(rule, *wrapper))
      return refuse(*evidence_.rewrite.graph.front(),
                    "does not match: expected one control_deps around one call, and one call built");
    const Step &built = evidence_.after[evidence_.after.indexOf(rule.built[0])];
    if (!InlinedCall(evidence_.rewrite, evidence_.correspondence, *wrapper, *inner, built).matches())
      return refuse(*built.node,
                    "is not the call in the subgraph of " + quoted(wrapper->node) + " with its arguments put in");
    if (wrapper->type && built.type != wrapper->type)
      return refuse(*built.node, "is " + typeText(built.type) + ", expected " + typeText(wrapper->type) + " as " +
                                     quoted(wrapper->node) + " was");
    checkDependences(*wrapper, built);
  }

private:
  void refuse(const Node &node, const llvm::Twine &message) {
    findings_.add(node, "rule", message, claimText({Part::Rule, entry_}));
  }

  static bool returnsOnly(const Graph &body, const Node &inner) {
    const Node *output = body.output();
    return output && output->numOperands() == 1 && output->operand(0) == &inner && output->args().size() == 1 &&
           output->args()[0].is(Argument::Kind::Operand);
  }

  /// Besides the call, only the get_attr of its subgraph may be matched.
  bool attributesOnly(const RuleEntry &rule, const Step &wrapper) const {
    uint32_t attribute = evidence_.before.operand(wrapper, wrapper.arguments->positional[1]);
    return llvm::all_of(llvm::ArrayRef(rule.matched).drop_front(),
                        [&](const Node *node) { return evidence_.before.indexOf(node) == attribute; });
  }

  /// Checks that the call follows every node that the wrapper followed, by its tuple of predecessors or by an ordering
  /// edge. It may follow by an ordering edge, or because it reads that node anyway.
  void checkDependences(const Step &wrapper, const Step &built) {
    llvm::SmallVector<uint32_t, 8> needed = evidence_.before.operandsIn(wrapper, &wrapper.arguments->positional[0]);
    auto ordering = evidence_.before.ordering(wrapper);
    needed.append(ordering.begin(), ordering.end());
    for (uint32_t edge : needed) {
      uint32_t image = edge == none ? none : evidence_.correspondence.image(edge);
      auto operands = evidence_.after.operands(built);
      if (image == none ||
          (!llvm::is_contained(operands, image) && !llvm::is_contained(evidence_.after.ordering(built), image)))
        refuse(*built.node, "has no edge from " + quoted(edge == none ? nullptr : evidence_.before[edge].node) +
                                ", which " + quoted(wrapper.node) + " depended on");
    }
  }

  const Evidence &evidence_;
  uint32_t entry_;
  Findings &findings_;
};

constexpr RuleTemplate templates[] = {
    {{"compressed-sum", "a functional all_reduce that adds or averages f32 or f64, then the wait on it",
      "a cast back to the dtype, a cast to bf16 or f16, the all_reduce of its result, and the wait on it",
      "Each of the four reads the one before, and the all_reduce has the group, reduction and ordering edges of the "
      "matched one. The result is rounded to 16 bits, so the rule needs leave to change bits."},
     Replacement::ValueForWait,
     checkCompressedSum},
    {{"equal-exchanges",
      "a value, then all other nodes that go with it: functional collectives on one group, waits, movements of data "
      "and "
      "casts",
      "the replacement of the value, then all other new nodes of these kinds; or one value of both programs",
      "The replacement holds the value, element for element, on every rank, and is complete. Only the first matched "
      "collective may have ordering edges, which the built ones keep. A replacement that shares memory with another "
      "value is not written or returned."},
     Replacement::ValueForValue,
     checkEqualExchanges},
    {{"equal-pieces",
      "values, then the launch of a functional collective on one tensor, then all other nodes that go with it: waits, "
      "products of matrices, further collectives on the same group, and calls that compute row by row; or values that "
      "other nodes read, then all other nodes that go with them: calls that compute row by row, and means and sums of "
      "all elements in f32 or f64",
      "the replacements of the values in their order, then all other new nodes of these kinds, and movements of data",
      "Each replacement holds its value, element for element, on every rank: each row of a product, a sum or a norm is "
      "computed from one row of its operands, and from what is the same for every row, and each column of a product "
      "from one column of its second operand. A second operand that is gathered and transposed is evaluated too: its "
      "columns are rows that ranks have sent. The replacement is complete, and has memory of its own. Results may be "
      "rounded otherwise, so nothing is replaced if results must be bitwise equal."},
     Replacement::ValuesForValues,
     checkEqualPieces},
    {{"exchange-chain", "a functional collective on one tensor, then the waits on it; or a shard_dim_alltoall",
      "the replacement of the result of the waits or the call, then all other new nodes: collectives on the "
      "same group, "
      "waits, "
      "and movements of data",
      "The value is the collective's result, element for element, on every rank; each collective sends what is "
      "complete, "
      "keeps the ordering edges, and takes its place in the order of its group. So all_reduce may become "
      "reduce_scatter "
      "and all_gather, and a gather one of slices."},
     Replacement::ValueForWait,
     checkExchangeChain},
    {{"filled-buffer",
      "a functional all_gather, reduce_scatter, all_reduce or broadcast of one tensor, then a copy_ of "
      "the wait on it into a buffer, which for the last two is the input",
      "the same call with the buffer as `out`, or in place",
      "The call has the same arguments, and PyTorch's writing form in place of the operator; buffer and result have "
      "one "
      "dense type. Readers of the copy read the wait. The buffer shares no memory with another input, and no other "
      "collective has it in flight at the launch. Between launch and copy no step uses the buffer or is opaque. No "
      "step "
      "writes the result, observes its place or returns it, and none uses it after a later write of the buffer. No "
      "step "
      "moves."},
     Replacement::CallForCopy,
     checkFilledBuffer},
    {{"finished-form", "a call of c10d that is finished when it returns, then the getitems of what it yields",
      "a functional call, the wait on it, then what joins the pieces that it sends, takes its result apart, the "
      "getitems "
      "of that, and copies of the results into buffers; for a call on a list, a wait for each element",
      "The call sends the same to the same group, which may be named as a file states for the object. Each buffer that "
      "the "
      "matched call filled gets its result by a copy, and shares no memory with the others, or it is whole, made in "
      "the "
      "program, and afterwards named through the results alone. Each result is the buffer with the copy, the result of "
      "the wait, or a copy of its rows in memory of its own."},
     Replacement::CallAndWait,
     checkFinishedForm},
    {{"forwarded-copy", "an aten.copy of the wait on a collective into new memory",
      "the wait, a value of both programs",
      "Copy and result have one type, and the result fills memory that a known operator of the program made. After the "
      "first copy of a result, no step writes it or one of its copies while the program still uses another of them. At "
      "most one of them is returned. No step moves."},
     Replacement::ValueForCopy,
     nullptr},
    {{"functional-form", "a collective or wait of another form", "one functional call",
      "The call has the same arguments and group, in the form of the other operator; a buffer that the matched "
      "call wrote is whole, made in the program, and afterwards named through the result alone."},
     Replacement::CallForCall,
     checkFunctionalForm},
    {{"in-place-form", "a functional all_reduce or broadcast, of one tensor or of a list", "the same call in place",
      "The call has the same arguments, and PyTorch's form in place of the operator. Each tensor that it writes over "
      "is "
      "a whole buffer that a known operator of the program made. After the launch, no node names the buffer otherwise "
      "than through the result, and no other collective that has the buffer is in flight at the launch."},
     Replacement::CallForCall,
     checkInPlaceForm},
    {{"inline-control-deps", "a control_deps, then, if it went, the get_attr of its subgraph", "one call",
      "The call is the one of the subgraph, with the arguments of the control_deps in place of its placeholders, and "
      "has an "
      "edge from each of its dependences."},
     Replacement::CallForCall,
     checkInlinedCall},
    {{"inline-subgraphs", "an invoke_subgraph, then the getitems of it, and the get_attr of its subgraph, if that went",
      "the nodes of the subgraph, in their order",
      "A certificate has only such entries, or none. The program is the one before, in the same order, with each "
      "subgraph in place of its call: each built node is its node in the subgraph, with the arguments of the call in "
      "place of the placeholders. It has the ordering edges of the call, and what followed the call follows it. What "
      "read a result reads the node that has it. So both programs execute the same steps in the same order, and no "
      "other rule is needed."},
     Replacement::BodyForCall,
     nullptr},
    {{"offloaded-value", "a value that stays",
      "the wait on the reload, the reload, the wait on the offload, and the offload of that value",
      "The four calls copy the value to the host and back, and each wait frees what its copy has read. The value fills "
      "a "
      "storage of the program alone, and the copy has its type. Apart from the waits that free, no step writes one of "
      "these tensors, no caller or opaque step sees one, and no other step reads those between."},
     Replacement::CopyBesideValue,
     nullptr},
    {{"repeated-call", "calls that stay", "the same calls again, one for each, in the same order",
      "Each call computes the value of the one that it repeats: it has the same arguments, where an operand may be "
      "repeated too, no step between the two writes what they read, and neither has an effect beyond its result. No "
      "step writes a result that has memory of its own, and no caller or opaque step sees the second one. A collective "
      "is repeated only if it is an all_gather, with a repeated wait on it, in a program that all ranks run and that "
      "has no point-to-point transfer and no barrier."},
     Replacement::CallBesideCall,
     nullptr},
    {{"staged-exchange", "a functional collective on one tensor, then the wait on it",
      "the replacement of the result of the wait, then all other new nodes: collectives on groups that divide the "
      "matched "
      "one, waits, and movements of data",
      "The value is the collective's result, element for element, for each rank of the group. Every rank of the job "
      "knows the groups: they are partitions, or all ranks. Each collective sends what is complete, keeps the ordering "
      "edges, and takes its place in the order of its own group. Reductions are the matched one, of each input once."},
     Replacement::ValueForWait,
     checkExchangeChain},
    {{"waits-apart", "a wait on a list, then the getitems of it", "a wait for each element, in the order of the list",
      "Each waits for its element, with the type that a getitem of it had, and has the ordering edges of the wait on "
      "the "
      "list."},
     Replacement::ElementForElement,
     checkWaitsApart},
};

} // namespace

const RuleTemplate *templateOf(llvm::StringRef name) {
  const auto *found = llvm::find_if(templates, [&](const RuleTemplate &rule) { return rule.words.name == name; });
  return found == std::end(templates) ? nullptr : found;
}

bool replacesValues(const RuleTemplate &rule) {
  return rule.replacement == Replacement::ValueForValue || rule.replacement == Replacement::ValuesForValues;
}

/// Returns how many of the first matched nodes are read by nodes that are not matched.
static size_t numReadOutside(const Program &before, const RuleEntry &entry) {
  llvm::DenseSet<uint32_t> matched, read;
  for (const Node *node : entry.matched)
    matched.insert(node ? before.indexOf(node) : none);
  for (uint32_t i = 0; i < before.size(); ++i)
    if (!matched.contains(i))
      for (const uint32_t operand : before.operands(before[i]))
        read.insert(operand);
  const auto end =
      llvm::find_if(entry.matched, [&](const Node *node) { return !node || !read.contains(before.indexOf(node)); });
  return std::min<size_t>(end - entry.matched.begin(), entry.built.size());
}

size_t numValues(const Program &before, const RuleEntry &entry, Replacement replacement) {
  if (replacement == Replacement::ValueForValue)
    return 1;
  auto launch = llvm::find_if(entry.matched, [&](const Node *node) {
    uint32_t index = node ? before.indexOf(node) : none;
    return index != none && before[index].collective();
  });
  if (launch == entry.matched.end())
    return numReadOutside(before, entry);
  auto values = static_cast<size_t>(launch - entry.matched.begin());
  return values < entry.matched.size() && values <= entry.built.size() ? values : 0;
}

void checkInlinedCall(const Evidence &evidence, uint32_t entry, Findings &findings) {
  ControlDepsRule(evidence, entry, findings).check();
}

void checkRules(const Evidence &evidence, Findings &findings) {
  const auto &rules = evidence.rewrite.certificate.rules;
  llvm::SmallVector<uint32_t, 0> forms, inPlace, regions, repeated, offloaded, filled, forwarded;
  for (uint32_t i = 0; i < rules.size(); ++i) {
    const RuleTemplate *rule = templateOf(rules[i].name);
    if (rule && rule->check)
      rule->check(evidence, i, findings);
    if (rule && rule->replacement == Replacement::CallBesideCall)
      repeated.push_back(i);
    if (rule && rule->replacement == Replacement::CopyBesideValue)
      offloaded.push_back(i);
    if (rule && rule->replacement == Replacement::CallForCopy)
      filled.push_back(i);
    if (rule && rule->replacement == Replacement::ValueForCopy)
      forwarded.push_back(i);
    if (rule && (rule->replacement == Replacement::CallAndWait ||
                 (rule->check == checkFunctionalForm && rules[i].matched.size() == 1)))
      forms.push_back(i);
    if (rule && rule->check == checkInPlaceForm && rules[i].matched.size() == 1)
      inPlace.push_back(i);
    if (rule && replacesValues(*rule) && !rules[i].matched.empty() && !rules[i].built.empty())
      regions.push_back(i);
    if (!rule)
      findings.add(*evidence.rewrite.graph.front(), "rule", "the checker has no template named '" + rules[i].name + "'",
                   claimText({Part::Rule, i}));
  }
  checkFunctionalBuffers(evidence, forms, findings);
  checkInPlaceBuffers(evidence, inPlace, findings);
  checkRegionMemory(evidence, regions, findings);
  checkRepeatedCalls(evidence, repeated, findings);
  checkOffloadedValues(evidence, offloaded, findings);
  checkFilledMemory(evidence, filled, findings);
  checkForwardedCopies(evidence, forwarded, findings);
  if (!filled.empty())
    checkJoinedMemory(evidence, "filled-buffer", "in-place-form", findings);
  if (!forwarded.empty())
    checkJoinedMemory(evidence, "forwarded-copy", "", findings);
}

/// Adds the accesses of a built step to the replacement of each of these operands.
void adoptAccesses(const Program &after, const Step &built, const Correspondence &correspondence,
                   llvm::ArrayRef<uint32_t> matched, llvm::MutableArrayRef<Access> adopted) {
  auto operands = after.operands(built);
  auto accesses = after.accesses(built);
  for (size_t k = 0; k < matched.size(); ++k)
    for (size_t i = 0; i < operands.size(); ++i)
      if (matched[k] != none && operands[i] != none && correspondence.image(matched[k]) == operands[i])
        adopted[k] = adopted[k] | accesses[i];
}

// The wrapper is gone, and so is the body that defined its effects. The rule has just been matched with a call of the
// same effects, so the wrapper adopts that call's effects, operand by operand.
void adoptRuleEffects(const Rewrite &rewrite, const Correspondence &correspondence, Program &before) {
  for (const RuleEntry &rule : rewrite.certificate.rules) {
    const RuleTemplate *known = templateOf(rule.name);
    bool calls =
        known && (known->replacement == Replacement::CallForCall || known->replacement == Replacement::CallAndWait);
    if (!calls || rule.matched.empty() || rule.built.empty())
      continue;
    uint32_t index = before.indexOf(rule.matched[0]);
    const Step &built = rewrite.after[rewrite.after.indexOf(rule.built[0])];
    const Step &matched = before[index];
    llvm::SmallVector<Access, 8> adopted(before.operands(matched).size(), Access::Nothing);
    for (const Node *node : rule.built)
      adoptAccesses(rewrite.after, rewrite.after[rewrite.after.indexOf(node)], correspondence, before.operands(matched),
                    adopted);
    before.setEffects(index, built, adopted);
  }
}

} // namespace ccgraph::legality

llvm::ArrayRef<ccgraph::LegalityTemplate> ccgraph::legalityTemplates() {
  static const std::vector<LegalityTemplate> words = [] {
    std::vector<LegalityTemplate> all;
    for (const legality::RuleTemplate &rule : legality::templates)
      all.push_back(rule.words);
    return all;
  }();
  return words;
}
