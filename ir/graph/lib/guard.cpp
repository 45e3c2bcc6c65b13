#include "ccgraph/ir/guard.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph {

llvm::StringRef guardFactName(GuardFact fact) {
  switch (fact) {
  case GuardFact::Rank:
    return "rank";
  case GuardFact::Size:
    return "size";
  case GuardFact::Ranks:
    return "ranks";
  case GuardFact::Member:
    return "member";
  case GuardFact::Tag:
    return "tag";
  case GuardFact::Name:
    return "name";
  case GuardFact::MeshDims:
    return "mesh_ndim";
  case GuardFact::DeviceType:
    return "device_type";
  }
  return "";
}

std::optional<GuardFact> parseGuardFact(llvm::StringRef name) {
  for (GuardFact fact : guardFacts)
    if (guardFactName(fact) == name)
      return fact;
  return std::nullopt;
}

bool hasKindOf(GuardFact fact, const GuardValue &value) {
  switch (fact) {
  case GuardFact::Rank:
  case GuardFact::Size:
  case GuardFact::MeshDims:
    return std::holds_alternative<int64_t>(value);
  case GuardFact::Ranks:
    return std::holds_alternative<std::vector<int64_t>>(value);
  case GuardFact::Member:
    return std::holds_alternative<bool>(value);
  case GuardFact::Tag:
  case GuardFact::Name:
  case GuardFact::DeviceType:
    return std::holds_alternative<std::string>(value);
  }
  return false;
}

namespace {

std::string listText(llvm::ArrayRef<int64_t> ranks) {
  auto texts = llvm::map_range(ranks, [](int64_t rank) { return std::to_string(rank); });
  return "[" + llvm::join(texts, ", ") + "]";
}

struct ValueText {
  std::string operator()(int64_t number) const { return std::to_string(number); }
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(const std::string &text) const { return '"' + text + '"'; }
  std::string operator()(const std::vector<int64_t> &ranks) const { return listText(ranks); }
};

} // namespace

std::string guardValueText(const GuardValue &value) { return std::visit(ValueText(), value); }

} // namespace ccgraph
