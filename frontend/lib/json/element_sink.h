// ElementSink: passes on the elements of one list of a JSON object one by one, and the other members of that object.
//
// Traces and logs hold millions of events in one list beside a few facts; an event is freed when the next one comes. A
// text that is a list as a whole counts as that list.
//
// Ownership: holds the callbacks, and borrows the name; the values that the callbacks receive are freed when they
// return. Failure: none of its own; found() returns whether the list existed. Cost: that of the parser, plus the memory
// of one element.
#pragma once

#include "json/json_parser.h"

#include <functional>

namespace ccgraph {

class ElementSink final : public JsonSink {
public:
  using Use = std::function<void(const JsonValue &)>;
  ElementSink(llvm::StringRef list, Use useElement, Use useMember)
      : list_(list), useElement_(std::move(useElement)), useMember_(std::move(useMember)) {}

  bool enter(const JsonOpening &opening) override {
    const bool isRoot = depth_ == 0;
    const bool isList = opening.kind == JsonKind::Array && (isRoot || (depth_ == 1 && opening.key == list_));
    if (!isRoot && (inList_ || !isList))
      return false;
    inList_ = isList;
    found_ |= isList;
    ++depth_;
    return true;
  }
  void leave() override {
    --depth_;
    inList_ = false;
  }
  bool value(const JsonValue &value) override {
    if (depth_ > 0)
      (inList_ ? useElement_ : useMember_)(value);
    return true;
  }
  [[nodiscard]] bool found() const { return found_; }

private:
  llvm::StringRef list_;
  Use useElement_;
  Use useMember_;
  unsigned depth_ = 0;
  bool inList_ = false;
  bool found_ = false;
};

/// Returns a number of any JSON kind; nothing for any other value.
[[nodiscard]] inline std::optional<double> numberOf(const JsonValue *value) {
  if (value && value->is(JsonKind::Integer))
    return static_cast<double>(value->integer);
  return value && value->is(JsonKind::Float) ? std::optional(value->real) : std::nullopt;
}

} // namespace ccgraph
