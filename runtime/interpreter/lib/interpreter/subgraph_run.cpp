// Execution of the calls that run subgraphs: control_deps, invoke_subgraph, cond, while_loop.
//
// A body gets a scope on the stack, and the next steps are those of the body. Its output takes the scope off again, and
// its value is that of the call. So a wait in a body stops the rank as any other wait does, in the middle of the call.
//   while_loop(test, body, (x,), (y,)):   test(x, y), body(x, y) = (x',), test(x', y), ... until a test returns false
#include "interpreter/rank_run.h"

#include "ccgraph/ir/subgraph_calls.h"
#include "tensor/host_values.h"

namespace ccgraph::runtime {
namespace {

/// Returns the truth of a bool, a number or a tensor of one element; nothing for any other value.
std::optional<bool> truthOf(const Value &value) {
  if (value.is(Value::Kind::Bool))
    return value.boolean();
  if (value.is(Value::Kind::Int))
    return value.integer() != 0;
  std::optional<HostTensor> host = value.is(Value::Kind::Tensor) ? hostValue(value) : std::nullopt;
  std::optional<Value> number = host ? numberOf(*host) : std::nullopt;
  return number ? truthOf(*number) : std::nullopt;
}

/// Returns the one value that a test returns, which may be in a tuple.
const Value &onlyValue(const Value &value) {
  return value.is(Value::Kind::List) && value.list().size() == 1 ? value.list().front() : value;
}

} // namespace

llvm::Expected<bool> RankRun::truth(const Node &node, const Value &value) const {
  if (std::optional<bool> found = truthOf(onlyValue(value)))
    return *found;
  return error(node, "run.arguments", "got " + value.describe() + " as its condition, expected a bool or one number");
}

void RankRun::pushBody(const Node &caller, const Graph &body, std::vector<Value> parameters) {
  Scope inner(body);
  inner.caller = &caller;
  inner.parameters = std::move(parameters);
  scopes_.push_back(std::move(inner));
}

RankRun::StepResult RankRun::enterSubgraph(const Node &node) {
  SubgraphCalls calls = subgraphCallsOf(node);
  if (calls.use == SubgraphUse::None)
    return error(node, "run.arguments", "got no subgraph, expected a get_attr of one");
  std::vector<Value> parameters;
  for (const Argument &argument : calls.arguments) {
    llvm::Expected<Value> value = evaluate(node, argument, scope(), symbols_);
    if (!value)
      return value.takeError();
    parameters.push_back(std::move(*value));
  }
  const Graph *body = calls.bodies.front();
  if (calls.use == SubgraphUse::Choice) {
    llvm::Expected<Value> condition = evaluate(node, node.args().front(), scope(), symbols_);
    if (!condition)
      return condition.takeError();
    llvm::Expected<bool> isTrue = truth(node, *condition);
    if (!isTrue)
      return isTrue.takeError();
    body = calls.bodies[*isTrue ? 0 : 1];
  }
  pushBody(node, *body, std::move(parameters));
  return Progress::Done;
}

// After a test of a loop comes its body or the end; after its body comes the test, with what the body returned in the
// first places.
RankRun::StepResult RankRun::leaveSubgraph(Value value) {
  Scope left = std::move(scopes_.back());
  scopes_.pop_back();
  SubgraphCalls calls = subgraphCallsOf(*left.caller);
  if (calls.use != SubgraphUse::Loop)
    return yield(*left.caller, std::move(value));
  bool wasTest = left.graph == calls.bodies.front();
  size_t carried = left.caller->args()[2].isSequence() ? left.caller->args()[2].elements().size() : 1;
  if (wasTest) {
    llvm::Expected<bool> goesOn = truth(*left.caller, value);
    if (!goesOn)
      return goesOn.takeError();
    if (!*goesOn)
      return yield(*left.caller,
                   Value::list({left.parameters.begin(), left.parameters.begin() + static_cast<ptrdiff_t>(carried)}));
  } else if (!value.is(Value::Kind::List) || value.list().size() != carried) {
    return error(*left.caller, "run.arguments",
                 "got " + value.describe() + " from its body, expected a list of " + std::to_string(carried));
  } else {
    llvm::copy(value.list(), left.parameters.begin());
  }
  pushBody(*left.caller, *calls.bodies[wasTest ? 1 : 0], std::move(left.parameters));
  return Progress::Done;
}

} // namespace ccgraph::runtime
