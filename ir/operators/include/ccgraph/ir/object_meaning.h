// ObjectMeaning: the meaning of an object in a program (a process group, a ReduceOp).
//
// Programs traced from c10d's own operators read such objects by get_attr, and no text contains their contents. A file
// can define them, and an engine needs them. It is a plain value that crosses between folders: a reader creates it
// (frontend/object_file.h), the interpreter uses it.
//
// Ownership: owns its texts. Failure: none here; the engine that needs an unknown reduction or group rejects it
// (run.collective), at the node. Cost: a map look-up for each such node and rank.
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
