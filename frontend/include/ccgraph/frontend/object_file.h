// Object files: the meaning of the objects that a graph reads by get_attr.
//
// Graphs traced from c10d's own operators hold process groups and reduce ops as objects. The text of the graph does not
// show their meaning, and an engine cannot run them without it. An object file is any JSON object; its optional member
// `constants` maps the target of a get_attr node to its meaning. All other members are ignored, so the facts that a
// capture writes beside a graph can serve unchanged:
//   {"constants": {"_torchbind_obj1": {"reduce_op": "sum"}, "_torchbind_obj0": {"group": "tp"}}, ...}
//
// Ownership: a plain value. Errors: each entry that is not an object and each meaning that is not a string, with its
// place. The words themselves are not checked here, since only an engine can judge what it supports. Cost: one pass
// over the file; only `constants` is held in memory.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/object_meaning.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

/// Returns nothing where the file has no `constants`.
[[nodiscard]] llvm::Expected<ObjectMeanings> readObjectFile(const SourceText &source);

/// Sets the member `constants` of the graph, in its JSON form, and replaces an older one. A graph that is written with
/// it is its own object file. Without objects, the member is removed.
void setObjects(Graph &graph, const ObjectMeanings &objects);
/// Returns the meanings in the graph's own member `constants`; empty where the graph has no valid member of this name.
[[nodiscard]] ObjectMeanings objectsOf(const Graph &graph);

} // namespace ccgraph
