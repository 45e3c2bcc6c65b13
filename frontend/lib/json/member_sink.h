// MemberSink: one member of a JSON object, or each of them, and nothing of the rest.
//
// Files of facts hold megabytes beside the few lines that a reader wants; what is not wanted is
// walked through, not stored. Side files (groups, tolerances, operators, objects, tensor headers)
// are all read through this.
//
// Ownership: holds the callback, and borrows the name, which must outlive it; the values that the
// callback gets die when it returns. Failure: none of its own; found() and isObject() say what the
// text was, and a name that stands twice is given twice. Cost: that of the parser, plus the memory
// of one wanted member.
#pragma once

#include "json/json_parser.h"

#include <functional>
#include <string>

namespace ccgraph {

class MemberSink final : public JsonSink {
public:
  /// An empty name means every member, one at a time.
  MemberSink(llvm::StringRef name, std::function<void(const JsonValue &)> use) : name_(name), use_(std::move(use)) {}

  // Whatever is not wanted is entered, because only a container that is not entered is stored.
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
  /// True if a wanted member has come; asked after the parser is done, to say what a file lacks.
  [[nodiscard]] bool found() const { return found_; }
  /// True if the whole text is an object.
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
