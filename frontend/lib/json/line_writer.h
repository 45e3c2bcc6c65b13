// LineWriter: how our JSON files that are lists lie on the page: a member a line, and of a list or an object each entry a line.
//
//   {
//     "name": "forward",
//     "steps": [
//       {"name": "c", "stream": 2},
//       {"name": "b", "stream": 1}
//     ]
//   }
//
// A writer of one format derives from it, and says what the members are. Ownership: borrows the stream. Nothing fails. Cost: that of the
// text.
#pragma once

#include "json/json_text.h"
#include "json/separator.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

class LineWriter {
protected:
  explicit LineWriter(llvm::raw_ostream &os) : os_(os) {}

  /// All of the file, whose members `write` writes.
  template <typename Write>
  void file(Write write) {
    os_ << '{';
    write();
    os_ << "\n}\n";
  }
  /// A member of the file; its value follows.
  llvm::raw_ostream &top(llvm::StringRef name) {
    os_ << members_.next() << "\n  ";
    text(os_, name);
    return os_ << ": ";
  }
  /// A list of the file. `write` writes an entry.
  template <typename Entries, typename Write>
  void list(llvm::StringRef name, const Entries &entries, Write write) {
    lines(top(name), {'[', ']'}, entries, write);
  }
  /// An object of the file. `write` writes an entry, its key too.
  template <typename Entries, typename Write>
  void object(llvm::StringRef name, const Entries &entries, Write write) {
    lines(top(name), {'{', '}'}, entries, write);
  }

  // --- Within a line --------------------------------------------------------------------------------------------------

  static void text(llvm::raw_ostream &os, llvm::StringRef text) { writeJsonString(os, text); }
  /// A member; its value follows. Its name needs no escape.
  llvm::raw_ostream &key(Separator &separator, llvm::StringRef name) {
    return os_ << separator.next() << '"' << name << "\": ";
  }
  /// A list that is a member.
  template <typename Entries, typename Write>
  void array(Separator &separator, llvm::StringRef name, const Entries &entries, Write write) {
    key(separator, name) << '[';
    Separator between;
    for (const auto &entry : entries) {
      os_ << between.next();
      write(entry);
    }
    os_ << ']';
  }
  /// The same, left out where it is empty.
  template <typename Entries, typename Write>
  void optionalArray(Separator &separator, llvm::StringRef name, const Entries &entries, Write write) {
    if (!entries.empty())
      array(separator, name, entries, write);
  }

  llvm::raw_ostream &os_;

private:
  template <typename Entries, typename Write>
  static void lines(llvm::raw_ostream &os, std::pair<char, char> brackets, const Entries &entries, Write write) {
    os << brackets.first;
    Separator between(",");
    for (const auto &entry : entries) {
      os << between.next() << "\n    ";
      write(entry);
    }
    os << (entries.empty() ? "" : "\n  ") << brackets.second;
  }

  Separator members_ = Separator(",");
};

} // namespace ccgraph
