// MemberSink: passes on one member of a JSON object, or each member, and skips the rest.
//
// Files of facts hold megabytes beside the few lines that a reader needs; the other parts are walked through, not
// stored. All side files (groups, tolerances, operators, objects, tensor headers) are read through this class.
//
// Ownership: holds the callback, and borrows the name, which must outlive it; the values that the callback receives are
// freed when it returns. Failure: none of its own; found() and isObject() describe the text. A duplicate name is passed
// on twice. Cost: that of the parser, plus the memory of one requested member.
#pragma once

#include "json/json_parser.h"

#include <functional>
#include <string>

namespace ccgraph {

class MemberSink final : public JsonSink {
public:
  /// An empty name means every member, one at a time.
  MemberSink(llvm::StringRef name, std::function<void(const JsonValue &)> use) : name_(name), use_(std::move(use)) {}

  // Enters every container that was not requested, because only a container that is not entered is stored.
  bool enter(const JsonOpening &opening) override {
    if (isWanted(opening.key))
      return false;
    inObject_ = depth_ == 0 ? opening.kind == JsonKind::Object : inObject_;
    ++depth_;
    return true;
  }
  void leave() override { --depth_; }
  bool value(const JsonValue &value) override {
    if (isWanted(value.key)) {
      found_ = true;
      use_(value);
    }
    return true;
  }
  /// Returns true if a requested member has come; call it after the parser is done, to report a missing member.
  [[nodiscard]] bool found() const { return found_; }
  /// Returns true if the whole text is an object.
  [[nodiscard]] bool isObject() const { return inObject_; }

private:
  [[nodiscard]] bool isWanted(llvm::StringRef key) const {
    return depth_ == 1 && inObject_ && (name_.empty() || key == name_);
  }
  llvm::StringRef name_;
  std::function<void(const JsonValue &)> use_;
  unsigned depth_ = 0;
  bool inObject_ = false;
  bool found_ = false;
};

} // namespace ccgraph
