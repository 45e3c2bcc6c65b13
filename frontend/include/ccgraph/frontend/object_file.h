// Object files: what the objects that a program gets by get_attr stand for.
//
// Graphs traced from c10d's own operators hold process groups and reduce ops as objects, whose
// meaning no text shows; an engine cannot run them without it. Any JSON object serves; its member
// `constants`, where there is one, maps the target of a get_attr node to what it means, and all
// other members are ignored, so the facts that a capture writes beside a graph can be given as they
// are:
//   {"constants": {"_torchbind_obj1": {"reduce_op": "sum"}, "_torchbind_obj0": {"group": "tp"}}, ...}
//
// Ownership: a plain value. Errors: each entry that is no object, each meaning that is no string,
// with its place; words are not checked here, since only an engine knows what it can do. Cost: one
// pass over the file; only `constants` is held in memory.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/object_meaning.h"

#include "llvm/Support/Error.h"

namespace ccgraph {

/// Empty where the file has no `constants`.
[[nodiscard]] llvm::Expected<ObjectMeanings> readObjectFile(const SourceText &source);

/// Makes `constants` a member of the graph, as its JSON form has it, in place of what was there: a graph that is written so is its own
/// object file. Without objects there is no such member.
void setObjects(Graph &graph, const ObjectMeanings &objects);
/// What the graph's own member says; empty where it has none, or where it is no such member.
[[nodiscard]] ObjectMeanings objectsOf(const Graph &graph);

} // namespace ccgraph
