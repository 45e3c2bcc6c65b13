#include "ccgraph/toolkit/text_diff.h"

#include "ccgraph/ir/text.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>

namespace ccgraph {
namespace {

constexpr uint32_t none = ~0U;

std::vector<llvm::StringRef> linesOf(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 0> lines;
  text.split(lines, '\n');
  if (!lines.empty() && lines.back().empty())
    lines.pop_back();
  return {lines.begin(), lines.end()};
}

/// PrefixMaximum returns the largest of the values below a position; values may grow.
class PrefixMaximum {
public:
  struct Best {
    uint64_t weight = 0;
    uint32_t last = none;
  };
  explicit PrefixMaximum(size_t size) : tree_(size + 1) {}
  [[nodiscard]] Best below(size_t place) const {
    Best best;
    for (; place > 0; place &= place - 1)
      if (tree_[place].weight > best.weight)
        best = tree_[place];
    return best;
  }
  void raise(size_t place, Best value) {
    for (++place; place < tree_.size(); place += place & (~place + 1))
      if (value.weight > tree_[place].weight)
        tree_[place] = value;
  }

private:
  /// Fenwick tree: an entry holds the maximum over as many positions as its lowest set bit
  std::vector<Best> tree_;
};

/// The matching line of the other text for each line, and which lines stay.
struct Pairing {
  std::vector<uint32_t> toAfter, toBefore;
  /// by line of the first text
  std::vector<bool> stays;
};

Pairing pairLines(llvm::ArrayRef<llvm::StringRef> before, llvm::ArrayRef<llvm::StringRef> after) {
  Pairing pairing{std::vector<uint32_t>(before.size(), none), std::vector<uint32_t>(after.size(), none),
                  std::vector<bool>(before.size())};
  llvm::StringMap<llvm::SmallVector<uint32_t, 1>> places;
  for (size_t i = after.size(); i-- > 0;)
    places[after[i]].push_back(static_cast<uint32_t>(i));
  for (uint32_t i = 0; i < before.size(); ++i) {
    auto found = places.find(before[i]);
    if (found == places.end() || found->second.empty())
      continue;
    pairing.toAfter[i] = found->second.pop_back_val();
    pairing.toBefore[pairing.toAfter[i]] = i;
  }
  return pairing;
}

/// Finds the heaviest sequence of pairs in increasing order in both texts.
void chooseWhatStays(Pairing &pairing, llvm::ArrayRef<llvm::StringRef> before, const DiffOptions &options) {
  PrefixMaximum heaviest(pairing.toBefore.size());
  std::vector<uint32_t> previous(before.size(), none);
  for (uint32_t i = 0; i < before.size(); ++i) {
    if (pairing.toAfter[i] == none)
      continue;
    PrefixMaximum::Best best = heaviest.below(pairing.toAfter[i]);
    previous[i] = best.last;
    heaviest.raise(pairing.toAfter[i], {best.weight + (options.weight ? options.weight(before[i]) : 1), i});
  }
  for (uint32_t i = heaviest.below(pairing.toBefore.size()).last; i != none; i = previous[i])
    pairing.stays[i] = true;
}

/// One line of the diff: ' ', '-' or '+', and its position in each text, from 0.
struct DiffLine {
  char mark = ' ';
  uint32_t before = 0;
  uint32_t after = 0;
};

class UnifiedDiff {
public:
  UnifiedDiff(llvm::raw_ostream &os, const DiffedText &before, const DiffedText &after, const DiffOptions &options)
      : os_(os), options_(options), names_{before.name, after.name}, before_(linesOf(before.text)),
        after_(linesOf(after.text)), pairing_(pairLines(before_, after_)), stayAboveBefore_(before_.size()),
        stayAboveAfter_(after_.size()) {
    chooseWhatStays(pairing_, before_, options);
    layOut();
  }

  bool write() {
    if (llvm::all_of(lines_, [](const DiffLine &line) { return line.mark == ' '; }))
      return false;
    colored(llvm::raw_ostream::SAVEDCOLOR) << "--- " << names_[0] << "\n+++ " << names_[1] << '\n';
    plain();
    for (size_t i = 0; i < lines_.size();)
      if (lines_[i].mark == ' ')
        ++i;
      else
        i = writeHunk(i);
    return true;
  }

private:
  void layOut() {
    uint32_t i = 0, j = 0, stay = 0;
    while (i < before_.size() || j < after_.size()) {
      if (i < before_.size() && !pairing_.stays[i]) {
        stayAboveBefore_[i] = stay;
        lines_.push_back({'-', i++, j});
      } else if (j < after_.size() && (pairing_.toBefore[j] == none || !pairing_.stays[pairing_.toBefore[j]])) {
        stayAboveAfter_[j] = stay;
        lines_.push_back({'+', i, j++});
      } else {
        lines_.push_back({' ', i++, j++});
        ++stay;
      }
    }
  }

  /// Writes the hunk from the change at `first` up to a run of unchanged lines longer than twice the context; returns
  /// the line after the hunk.
  size_t writeHunk(size_t first) {
    size_t begin = first - std::min(options_.context, first), end = first, quiet = 0;
    for (size_t i = first; i < lines_.size() && quiet <= 2 * options_.context; ++i) {
      quiet = lines_[i].mark == ' ' ? quiet + 1 : 0;
      if (quiet == 0)
        end = i + 1;
    }
    end = std::min(end + options_.context, lines_.size());
    writeHead(begin, end, first);
    for (size_t i = begin; i < end; ++i)
      writeLine(i);
    return end;
  }

  void writeHead(size_t begin, size_t end, size_t first) {
    llvm::ArrayRef<DiffLine> hunk = llvm::ArrayRef(lines_).slice(begin, end - begin);
    auto range = [&](char other, uint32_t start) {
      auto count = llvm::count_if(hunk, [&](const DiffLine &line) { return line.mark != other; });
      return std::to_string(count == 0 ? start : start + 1) + (count == 1 ? "" : "," + std::to_string(count));
    };
    colored(llvm::raw_ostream::CYAN) << "@@ -" << range('+', hunk.front().before) << " +"
                                     << range('-', hunk.front().after) << " @@";
    plain();
    std::string heading = options_.heading ? options_.heading(textOf(lines_[first])) : "";
    os_ << (heading.empty() ? "" : " ") << heading << '\n';
  }

  [[nodiscard]] llvm::StringRef textOf(const DiffLine &line) const {
    return line.mark == '+' ? after_[line.after] : before_[line.before];
  }

  void writeLine(size_t index) {
    const DiffLine &line = lines_[index];
    if (line.mark != ' ')
      colored(line.mark == '-' ? llvm::raw_ostream::RED : llvm::raw_ostream::GREEN);
    os_ << line.mark << textOf(line) << (line.mark == ' ' ? "" : noteOf(index));
    if (line.mark != ' ')
      plain();
    os_ << '\n';
  }

  /// Returns the position of the line in the other text; none if it has none, or if the line stays.
  [[nodiscard]] uint32_t otherPlace(const DiffLine &line) const {
    return line.mark == ' ' ? none : line.mark == '-' ? pairing_.toAfter[line.before] : pairing_.toBefore[line.after];
  }

  /// Returns how many lines from this one on moved together.
  [[nodiscard]] size_t movedTogether(size_t index) const {
    size_t count = 1;
    for (; index + count < lines_.size() && lines_[index + count].mark == lines_[index].mark; ++count)
      if (otherPlace(lines_[index + count]) != otherPlace(lines_[index]) + count)
        break;
    return count;
  }

  [[nodiscard]] std::string noteOf(size_t index) const {
    if (otherPlace(lines_[index]) != none)
      return moveText(index);
    std::string note = options_.note ? options_.note(textOf(lines_[index])) : "";
    return note.empty() ? "" : "  # " + note;
  }

  [[nodiscard]] std::string moveText(size_t index) const {
    const DiffLine &line = lines_[index];
    uint32_t other = otherPlace(line);
    bool follows = index > 0 && lines_[index - 1].mark == line.mark && otherPlace(lines_[index - 1]) + 1 == other &&
                   other != 0 && otherPlace(lines_[index - 1]) != none;
    if (follows)
      return "";
    size_t count = movedTogether(index);
    std::string text = count == 1 ? "  # moved " : "  # " + counted(count, "line") + " moved ";
    if (line.mark == '+')
      return text + "from line " + std::to_string(other + 1);
    text += "to line " + std::to_string(other + 1);
    int64_t passed = int64_t(stayAboveAfter_[other]) - int64_t(stayAboveBefore_[line.before]);
    return passed == 0 ? text : text + ", " + withCommas(std::abs(passed)) + (passed < 0 ? " up" : " down");
  }

  llvm::raw_ostream &colored(llvm::raw_ostream::Colors color) {
    if (options_.color)
      os_.changeColor(color, /*Bold=*/color == llvm::raw_ostream::SAVEDCOLOR);
    return os_;
  }
  void plain() {
    if (options_.color)
      os_.resetColor();
  }

  llvm::raw_ostream &os_;
  const DiffOptions &options_;
  std::string names_[2];
  std::vector<llvm::StringRef> before_, after_;
  Pairing pairing_;
  std::vector<DiffLine> lines_;
  /// by moved line: the number of lines above it that stay
  std::vector<uint32_t> stayAboveBefore_, stayAboveAfter_;
};

} // namespace

bool writeUnifiedDiff(llvm::raw_ostream &os, const DiffedText &before, const DiffedText &after,
                      const DiffOptions &options) {
  return UnifiedDiff(os, before, after, options).write();
}

} // namespace ccgraph
