// LoadArgs: the facts about a graph in the rest of its fx_graph_runnable.
//
//   def load_args(reader):
//       buf0 = reader.storage(None, 112, device=device(type='cuda', index=0))
//       reader.tensor(buf0, (7, 4), dtype=torch.bfloat16, is_leaf=True)  # primals_1
//       reader.symint(3, expr='s77')  # primals_2
//       reader.opaque('torch.distributed.device_mesh.DeviceMesh')  # primals_3
//   ...
//       setup_fake_process_groups({'0': {'size': 2, 'rank': 0}})
//
// Each line on `reader`, except those of storages, is an input, in the order of the inputs. A tensor without strides is
// contiguous, one without a dtype is f32, and its device is that of its storage. The groups are those that the graph
// uses, with their sizes and the index of this rank in each; "0" is the group of all ranks.
//
// Ownership: borrows session and graph. Failure: a line that cannot be read, or another number of inputs than the graph
// has, is a warning: the input stays without a type. Cost: linear in the lines.
#pragma once

#include "fx_text/scope.h"

#include "ccgraph/ir/int_list.h"

namespace ccgraph::fx {

class LoadArgs {
public:
  /// `place` is the place of the `def`.
  LoadArgs(Session &session, Graph &graph, const char *place);
  /// Reads a line of the body.
  void line(Cursor cursor);
  /// Checks the result after the last line.
  void end();

private:
  bool storage(Cursor cursor);
  bool input(Cursor cursor);
  bool tensor(Cursor &cursor, const Type *&type);
  bool symbol(Cursor &cursor, const Type *&type);
  std::optional<DimList> dims(const Argument &argument);
  bool arguments(Cursor &cursor, CallArguments &call);

  Session &session_;
  Graph &graph_;
  const char *place_;
  std::vector<Node *> inputs_;
  size_t next_ = 0; ///< index of the next input
  llvm::DenseMap<llvm::StringRef, Device> storages_;
  NameTable noNames_;
};

/// Reads the line that sets up process groups, in the current or old form (`init_process_group`). Returns false where
/// the line is neither.
bool readProcessGroups(Session &session, Graph &graph, Cursor cursor);

} // namespace ccgraph::fx
