// ProgramText: the names and source lines of one program's launches, and the names of its groups.
//
// No other rank can observe them, so they are apart from the Program: ranks whose programs differ in names alone share
// one program. A job of a thousand such ranks keeps only the packed texts of each, a few bytes for a launch.
//
// A packed name is the number of its form, in which digits are left out ("all_reduce_#"), and the difference of each
// number to that of the previous name of this form. A block of launches is packed by itself, so one name is found
// without unpacking all.
//
// Ownership: plain values; forms and places are numbers of pools. Failure: none. Cost: packing and unpacking are linear
// in the characters; one launch costs up to one block.
#pragma once

#include "text_pool.h"

#include <string>
#include <vector>

namespace ccgraph::jobs {

struct LaunchText {
  std::string name;
  Id place = 0;
  friend bool operator==(const LaunchText &, const LaunchText &) = default;
};

struct ProgramText {
  /// by Launch::text
  std::vector<LaunchText> launches;
  /// by group of the program: its name, a number of JobData::names
  std::vector<Id> groups;
};

class PackedText {
public:
  PackedText() = default;
  PackedText(const ProgramText &text, TextPool &forms);

  [[nodiscard]] ProgramText unpack(const TextPool &forms) const;
  [[nodiscard]] LaunchText launch(Id index, const TextPool &forms) const;
  [[nodiscard]] llvm::ArrayRef<Id> groups() const { return groups_; }
  friend auto operator<=>(const PackedText &, const PackedText &) = default;

private:
  std::vector<Id> groups_;
  std::string bytes_;
  /// where each block begins in the bytes
  std::vector<uint32_t> blocks_;
  Id numLaunches_ = 0;
};

} // namespace ccgraph::jobs
