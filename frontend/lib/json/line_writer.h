// LineWriter: the line layout of our JSON files that are lists: one line for each member, and for each entry of a list
// or an object.
//
//   {
//     "name": "forward",
//     "steps": [
//       {"name": "c", "stream": 2},
//       {"name": "b", "stream": 1}
//     ]
//   }
//
// A writer of one format derives from it and supplies the members. Ownership: borrows the stream. Nothing fails. Cost:
// that of the text.
#pragma once

#include "json/json_text.h"
#include "json/separator.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

class LineWriter {
protected:
  explicit LineWriter(llvm::raw_ostream &os) : os_(os) {}

  /// Writes the whole file; `write` writes the members.
  template <typename Write>
  void file(Write write) {
    os_ << '{';
    write();
    os_ << "\n}\n";
  }
  /// Begins a member of the file; its value follows.
  llvm::raw_ostream &top(llvm::StringRef name) {
    os_ << members_.next() << "\n  ";
    text(os_, name);
    return os_ << ": ";
  }
  /// Writes a list of the file; `write` writes an entry.
  template <typename Entries, typename Write>
  void list(llvm::StringRef name, const Entries &entries, Write write) {
    lines(top(name), {'[', ']'}, entries, write);
  }
  /// Writes an object of the file; `write` writes an entry with its key.
  template <typename Entries, typename Write>
  void object(llvm::StringRef name, const Entries &entries, Write write) {
    lines(top(name), {'{', '}'}, entries, write);
  }

  // --- Within a line -------------------------------------------------------------------------------------------------

  static void text(llvm::raw_ostream &os, llvm::StringRef text) { writeJsonString(os, text); }
  /// Begins a member; its value follows. Its name needs no escape.
  llvm::raw_ostream &key(Separator &separator, llvm::StringRef name) {
    return os_ << separator.next() << '"' << name << "\": ";
  }
  /// Writes a list that is a member.
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
  /// Writes a list that is a member, unless it is empty.
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
