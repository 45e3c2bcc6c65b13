#include "ccgraph/ir/op_def.h"

#include "ccgraph/ir/diagnostic.h"
#include "ops/knowledge.h"
#include "ops/schema.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <set>

namespace ccgraph {
namespace {

void applySchema(OpDef &op, Schema schema) {
  op.params = std::move(schema.params);
  op.results = std::move(schema.results);
  op.variadic = schema.variadic;
}

/// The order matters. Sharing determines the writes, from which domains derive effects outside the graph. Collectives
/// overwrite the accesses of both. Work depends on whether the operator is a view.
void applyKnowledge(OpDef &op, llvm::StringRef key, llvm::StringRef tags) {
  OpDraft draft{op, key, baseOfTarget(key), tags};
  applySharing(draft);
  applyDomains(draft);
  applyPlaces(draft);
  applyCollectives(draft);
  applyTypeRules(draft);
  applyViews(draft);
  applyWork(draft);
  applyValues(draft);
  op.reshapes = llvm::any_of(op.params, [](const OpParam &param) { return has(param.access, Access::Reshape); });
}

void makeOpaque(OpDef &op) {
  op.opaque = op.keepAlways = true;
  op.domain = Domain::All;
}

/// True if both overloads share and write the same parameters: a call without overload may then be either.
bool sameEffects(const Schema &a, const Schema &b) {
  for (size_t i = 0, n = std::max(a.params.size(), b.params.size()); i < n; ++i) {
    char left = i < a.params.size() ? a.params[i].alias : 0;
    char right = i < b.params.size() ? b.params[i].alias : 0;
    bool leftWrites = i < a.params.size() && a.params[i].writes;
    bool rightWrites = i < b.params.size() && b.params[i].writes;
    if ((left != 0) != (right != 0) || leftWrites != rightWrites)
      return false;
  }
  return true;
}

std::string fullTarget(const std::string &key) { return baseOfTarget(key) == key ? key + ".default" : key; }

bool takesTensor(const Schema &schema) {
  return !schema.params.empty() && llvm::StringRef(schema.params[0].type).contains("Tensor");
}

bool isOutForm(const Schema &schema) {
  return llvm::any_of(schema.params, [](const OpParam &param) { return param.keywordOnly && param.writes; });
}

/// Returns the schema line of the overload on tensors if all overloads on tensors have the same effects; empty
/// otherwise. "aten.add" has overloads on numbers and texts, and two on tensors, Tensor and Scalar, which only read. So
/// a call of "aten.add" counts as aten.add.Tensor. If one of the two wrote its operand, the call could be either.
llvm::StringRef commonOverload(llvm::StringRef name) {
  llvm::StringRef lines = findOverloads(name);
  llvm::StringRef found;
  std::optional<Schema> first;
  while (!lines.empty()) {
    llvm::StringRef line;
    std::tie(line, lines) = lines.split('\n');
    Schema schema = llvm::cantFail(parseSchema(line), "the generated operator table does not parse");
    if (isOutForm(schema) || !takesTensor(schema))
      continue;
    if (first && !sameEffects(*first, schema))
      return {};
    if (found.empty() || schema.key == (name + ".Tensor").str())
      found = line;
    if (!first)
      first = std::move(schema);
  }
  return found;
}

} // namespace

int OpDef::paramIndex(llvm::StringRef name) const {
  for (size_t i = 0; i < params.size(); ++i)
    if (params[i].name == name)
      return static_cast<int>(i);
  return -1;
}

std::optional<size_t> OpDef::yieldedParameter() const {
  for (size_t i = 0; !results.empty() && i < params.size(); ++i)
    if (params[i].writes && params[i].alias == results.front().alias)
      return i;
  return std::nullopt;
}

struct OpTable::Impl {
  explicit Impl(Context &context) : context(context) {}
  Context &context;
  llvm::DenseMap<Identifier, OpDef *> byTarget;
  llvm::StringMap<std::unique_ptr<OpDef>> byKey;
  bool declaresReshape = false;

  OpDef &slot(llvm::StringRef key);
  OpDef *find(llvm::StringRef target);
  OpDef *define(llvm::StringRef target);
};

OpDef &OpTable::Impl::slot(llvm::StringRef key) {
  std::unique_ptr<OpDef> &def = byKey[key];
  if (!def)
    def = std::make_unique<OpDef>();
  return *def;
}

// An operator is looked up in PyTorch's schemas, then in the table of own schemas; an operator that is in neither is
// opaque. Its OpDef is built at its first call, since a program uses a few dozen operators of thousands.
OpDef *OpTable::Impl::define(llvm::StringRef target) {
  llvm::StringRef key = operatorKey(target);
  if (auto it = byKey.find(key); it != byKey.end())
    return it->second.get();
  llvm::StringRef line = findSchema(key);
  OwnSchema own = line.empty() ? findOwnSchema(key) : OwnSchema();
  OpDef &op = slot(key);
  if (line.empty() && own.schema.empty()) {
    op.target = context.identifier(target);
    makeOpaque(op);
    applyTypeRules({op, key, baseOfTarget(key), ""});
    return &op;
  }
  Schema schema = llvm::cantFail(parseSchema(line.empty() ? llvm::StringRef(own.schema) : line),
                                 "the operator table does not parse");
  op.target = context.identifier(line.empty() ? own.target : fullTarget(schema.key));
  std::string schemaKey = schema.key;
  llvm::StringRef tags = schema.tags;
  applySchema(op, std::move(schema));
  applyKnowledge(op, schemaKey, tags);
  return &op;
}

/// A name without overload is the default where that takes a tensor, else the overload that does.
OpDef *OpTable::Impl::find(llvm::StringRef target) {
  llvm::StringRef key = operatorKey(target);
  bool full = llvm::StringRef(target).consume_back(".default") || key != baseOfTarget(key);
  llvm::StringRef other = full ? llvm::StringRef() : commonOverload(key);
  if (other.empty())
    return define(target);
  llvm::StringRef line = findSchema(key);
  if (line.empty() || !takesTensor(llvm::cantFail(parseSchema(line))))
    return define(other.take_front(other.find('(')));
  // The name may mean an overload with more parameters ("aten.where(condition, x, y)"). Arguments beyond the parameters
  // of the default are read, since all overloads read them.
  OpDef *op = define(target);
  if (op->variadic)
    return op;
  OpParam rest;
  rest.name = rest.type = "...";
  op->params.push_back(std::move(rest));
  op->variadic = true;
  return op;
}

OpTable::OpTable(Context &context) : impl_(std::make_unique<Impl>(context)) {}
OpTable::~OpTable() = default;

const OpDef *OpTable::lookup(Identifier target) {
  const Context::Lock lock = impl_->context.lock();
  OpDef *&def = impl_->byTarget[target];
  if (!def)
    def = impl_->find(target.str());
  return def;
}

const OpDef *OpTable::lookup(llvm::StringRef target) { return lookup(impl_->context.identifier(target)); }

// A declaration takes the place of what was known: nodes that were made before keep the address of their OpDef, and see
// the new one through it.
llvm::Error OpTable::declare(const OpDeclaration &declaration) {
  llvm::Expected<Schema> schema = parseSchema(declaration.schema);
  if (!schema)
    return schema.takeError();
  OpDef &op = impl_->slot(schema->key);
  op = OpDef();
  op.target = impl_->context.identifier(fullTarget(schema->key));
  std::string key = schema->key;
  applySchema(op, std::move(*schema));
  applyKnowledge(op, key, "");
  impl_->declaresReshape |= op.reshapes;
  if (declaration.pure)
    return llvm::Error::success();
  op.domain = Domain::All;
  op.keepAlways = true;
  return llvm::Error::success();
}

bool OpTable::declaresReshape() const { return impl_->declaresReshape; }

std::vector<const OpDef *> OpTable::described() {
  std::set<std::string> keys;
  auto add = [&](llvm::StringRef key) { keys.insert(operatorKey(key).str()); };
  forEachCollectiveKey(add);
  forEachTypedKey(add);
  forEachWorkKey(add);
  forEachOwnTarget(add);
  std::vector<const OpDef *> ops;
  ops.reserve(keys.size());
  for (const std::string &key : keys)
    if (const OpDef *op = lookup(key); !op->opaque)
      ops.push_back(op);
  llvm::sort(ops, [](const OpDef *a, const OpDef *b) { return a->target.str() < b->target.str(); });
  ops.erase(std::unique(ops.begin(), ops.end()),
            ops.end()); // because a base and one of its overloads may both be a key
  return ops;
}

size_t OpTable::numGenerated() { return numGeneratedSchemas(); }

} // namespace ccgraph
