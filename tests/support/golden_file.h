// GoldenFile holds one behavior of a pass as a text: its description, the input, the expected output.
//
//   The wait moves past compute that does not read it.
//
//   --- pipeline
//   sink-waits
//   --- options
//   ranks: 4
//   --- input
//   def forward(self, x: "f32[4][1]cpu"):
//       ...
//   --- output
//   class graph(torch.nn.Module):
//       ...
//   --- remarks
//   sink-waits: moved: wait [sunk] before=add positions=1
//
// The first line is one sentence of intent. Sections: `pipeline`, `options` (optional), `input` (FX text), then either
// `output` (FX text, or the word `unchanged`) with optional `remarks`, or `diagnostics`.
//
// Options, one a line, with their defaults:
//   ranks: N               2
//   groups: {...}          name -> {ranks | partition}, as group files have it; all ranks
//   objects: {...}         attribute -> {group | reduce_op}, as `constants` of group files have it
//   memory-budget: BYTES   unlimited; `own` is the input's own peak
//   spmd: false            true
//   bitwise: true          false
//   durations: a 10, b 5   microseconds of nodes; other nodes are predicted for the default machine
//   machine: {...}         as machine files have it; the default machine
//   sizes: s0=2, s0=5      the graphs before and after run with each value of the symbol; its hint, or a small number
//   values: close | none   bitwise equal; `close` is within 1e-5, if the pass may reassociate;
//                          `none` states that this program has no kernel, which is checked too
//
// Ownership: plain values. Failure: parse() returns an error with its line. str() of a parsed file returns the original
// bytes. Cost: linear in the text.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace ccgraph::test {

struct GoldenSection {
  std::string name;
  std::string text;  ///< lines, each with its end
  unsigned line = 0; ///< the number of its first line in the file, from 1
};

struct GoldenFile {
  std::string path;
  std::string preamble; ///< everything before the first section; its first line is the intent
  std::vector<GoldenSection> sections;

  [[nodiscard]] static llvm::Expected<GoldenFile> parse(std::string path, llvm::StringRef text);
  [[nodiscard]] const GoldenSection *find(llvm::StringRef name) const;
  /// Replaces the text of a section, or appends the section if there is none.
  void set(llvm::StringRef name, std::string text);
  void erase(llvm::StringRef name);
  [[nodiscard]] std::string str() const;
  /// Returns the `key: value` lines of the `options` section.
  [[nodiscard]] llvm::Expected<std::map<std::string, std::string>> options() const;
};

/// Returns every *.golden file below a folder, sorted by path.
[[nodiscard]] std::vector<std::string> findGoldens(const std::string &folder);

} // namespace ccgraph::test
