// ObjectMeaning: what an object that a program holds (a process group, a ReduceOp) stands for.
//
// Programs traced from c10d's own operators read such objects by get_attr, and no text says what is
// in them. A file can, and an engine needs it. It is a plain value that crosses between folders: a
// reader makes it (frontend/object_file.h), the interpreter takes it.
//
// Ownership: owns its texts. Failure: none here; a word that names no reduction or group is refused
// by the engine that needs it (run.collective), with the node that does. Cost: a map look-up for
// each such node and rank.
#pragma once

#include <map>
#include <string>

namespace ccgraph {

struct ObjectMeaning {
  /// "sum", "avg", ...; empty if the object is no reduction
  std::string reduceOp;
  /// name in the group table; empty if the object is no group, or the only one
  std::string group;
};

/// By target of the get_attr node: "_torchbind_obj1".
using ObjectMeanings = std::map<std::string, ObjectMeaning>;

} // namespace ccgraph
