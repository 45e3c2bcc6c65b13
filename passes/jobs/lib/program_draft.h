// ProgramDraft: a program that can be edited.
//
// Ownership: plain values. Failure: make() returns nothing if a launch is waited for before it is issued, or if a value
// is used before it is waited for. Cost: linear in the program.
#pragma once

#include "job_data.h"

namespace ccgraph::jobs {

struct ProgramDraft {
  struct DraftLaunch {
    Launch launch;
    std::vector<Move> moves;
    std::vector<Id> inputs;
  };
  struct Item {
    Step::Kind kind = Step::Kind::Launch;
    std::vector<Id> launches;
  };

  explicit ProgramDraft(const Program &program);
  [[nodiscard]] std::optional<Program> make() const;

  void erase(Id launch);
  /// Adds a launch before the item at `position`, and waits for it there.
  void insert(size_t position, DraftLaunch launch);
  /// Exchanges two launches and their waits.
  void exchange(Id a, Id b);
  /// Moves a launch directly before the item at `position`.
  void moveTo(Id launch, size_t position);
  /// Makes one batch of two transfers, at the place of the first.
  void batch(Id first, Id second);
  /// Waits for the launch at the end.
  void waitFor(Id launch);

  [[nodiscard]] size_t positionOf(Id launch) const;
  /// Returns the position of the first wait for the launch; the number of items if there is none.
  [[nodiscard]] size_t waitOf(Id launch) const;

  Program base;
  std::vector<DraftLaunch> launches;
  std::vector<Item> items;
};

} // namespace ccgraph::jobs
