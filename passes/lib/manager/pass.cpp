#include "ccgraph/passes/pass.h"

#include "ccgraph/ir/frame_place.h"

namespace ccgraph {

llvm::StringRef phaseName(Phase phase) {
  switch (phase) {
  case Phase::Normalize:
    return "normalize";
  case Phase::Simplify:
    return "simplify";
  case Phase::Schedule:
    return "schedule";
  }
  llvm_unreachable("no such phase");
}

llvm::StringRef remarkKindName(RemarkKind kind) {
  switch (kind) {
  case RemarkKind::Moved:
    return "moved";
  case RemarkKind::Merged:
    return "merged";
  case RemarkKind::Removed:
    return "removed";
  case RemarkKind::Rewritten:
    return "rewritten";
  case RemarkKind::Kept:
    return "kept";
  case RemarkKind::Missed:
    return "missed";
  }
  llvm_unreachable("no such kind of remark");
}

void print(llvm::raw_ostream &os, const Remark &remark) {
  os << remark.pass << ": " << remarkKindName(remark.kind) << ": " << remark.node << " [" << remark.reason << "]";
  for (const auto &[key, value] : remark.args)
    os << ' ' << key << '=' << value;
  if (!remark.source.empty())
    os << " (" << remark.source << ')';
  os << '\n';
}

Statistic::Statistic(Pass &pass, llvm::StringRef name, llvm::StringRef help) : name_(name), help_(help) {
  pass.statistics_.push_back(this);
}

Reason::Reason(Pass &pass, RemarkKind kind, llvm::StringRef id, llvm::StringRef help)
    : kind_(kind), id_(id), help_(help) {
  pass.reasons_.push_back(this);
}

std::string sourceOf(const Node &node) {
  const Frame &frame = userFrameOf(node);
  std::string text;
  if (frame.file && !isPyTorchFile(frame.file.str()))
    text = frame.file.str().str() + ":" + std::to_string(frame.line);
  if (std::string module = moduleOf(node.graph()->frames()[node.frame()]); !module.empty())
    text += (text.empty() ? "in " : " in ") + module;
  return text;
}

void PassContext::remark(const Reason &reason, const Node &node, RemarkArgs args) {
  remarks_.push_back(
      {certificate_.pass, reason.kind(), reason.id(), node.name().str().str(), std::move(args), sourceOf(node)});
}

Pass::Setting Pass::set(llvm::StringRef option, llvm::StringRef value) {
  for (OptionBase *candidate : options_) {
    if (candidate->name() != option)
      continue;
    if (!candidate->parse(value))
      return {false, candidate};
    if (!llvm::is_contained(set_, candidate))
      set_.push_back(candidate);
    return {true, candidate};
  }
  return {};
}

// Options are copied by their text, as a user would set them: a pass may have options of any type, and each option can
// print and parse its own value.
std::unique_ptr<Pass> Pass::clone() const {
  std::unique_ptr<Pass> copy = create();
  for (const OptionBase *option : set_) {
    [[maybe_unused]] Setting setting = copy->set(option->name(), option->text());
    assert(setting.done && "create() makes another kind of pass");
  }
  return copy;
}

// Prints only the options that were set, in the order in which they were set, so that a pipeline prints back as it was
// written.
std::string Pass::str() const {
  std::string text = name().str();
  if (set_.empty())
    return text;
  text += '{';
  for (const OptionBase *option : set_)
    text += (option == set_.front() ? "" : " ") + option->name() + "=" + option->text();
  return text + '}';
}

} // namespace ccgraph
