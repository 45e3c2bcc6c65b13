#include "kernels/call_site.h"

#include "tensor/call_name.h"

#include "llvm/ADT/Twine.h"

namespace ccgraph::runtime {

using llvm::Twine;

const Value *CallSite::argument(int parameter) const {
  if (parameter < 0 || static_cast<size_t>(parameter) >= arguments.size() || !arguments[static_cast<size_t>(parameter)])
    return nullptr;
  return &*arguments[static_cast<size_t>(parameter)];
}

llvm::Expected<int64_t> CallSite::integer(int parameter) const {
  const Value *value = argument(parameter);
  if (value == nullptr || !value->is(Value::Kind::Int))
    return wrongArgument(parameter, "an integer");
  return value->integer();
}

llvm::Expected<std::vector<int64_t>> CallSite::integers(int parameter) const {
  std::vector<int64_t> numbers;
  const Value *value = argument(parameter);
  if (value == nullptr || value->isNone())
    return numbers;
  if (!value->is(Value::Kind::List))
    return wrongArgument(parameter, "a list of integers");
  for (const Value &element : value->list()) {
    if (!element.is(Value::Kind::Int))
      return wrongArgument(parameter, "a list of integers");
    numbers.push_back(element.integer());
  }
  return numbers;
}

llvm::Error CallSite::wrongArgument(int parameter, llvm::StringRef expected) const {
  const Value *value = argument(parameter);
  llvm::ArrayRef<OpParam> params = op->params;
  std::string name = parameter >= 0 && static_cast<size_t>(parameter) < params.size()
                         ? " (" + params[static_cast<size_t>(parameter)].name + ")"
                         : "";
  return error((Twine("argument ") + Twine(parameter) + name + ": got " + (value ? value->describe() : "nothing") +
                ", expected " + expected)
                   .str());
}

// "c1: rank 3: got ...": each rank plans its own launches, and often one alone is wrong, so the message names the rank.
llvm::Error CallSite::error(const std::string &message, std::string repair) const {
  return makeError(diagnoseCall({node, name}, "run.collective", (Twine("rank ") + Twine(rank) + ": " + message).str(),
                                std::move(repair)));
}

} // namespace ccgraph::runtime
