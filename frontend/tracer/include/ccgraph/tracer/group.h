// GroupLike and DeviceMesh: the forms in which a collective accepts its participants.
//
//   all_reduce(x, "sum", "tp");                       the name of a group of the trace
//   all_reduce(x, "sum", group);                      a group object (ir's Group): ranks, or a partition of all ranks
//   all_reduce(x, "sum", mesh);                       a mesh of one dimension
//   all_reduce(x, "sum", std::pair(mesh, 1));         one dimension of a mesh
//   all_reduce(x, "sum", std::vector<int64_t>{0, 1}); ranks; deprecated, as in PyTorch, with a warning
//   all_reduce(x, "sum", Cells{{0, 1}, {2, 3}});      cells of equal size; each rank uses its own
//
// Each form expands to a name, ranks and a size (expandGroup); the trace's group table defines the name.
//
// A list of ranks, or of cells, means the group of the table that has these ranks, in any order, and the tag of the
// call. The call fails where there is none. A trace of one rank rejects a collective of a group that lacks the rank.
//
// Ownership: plain values; copies of a mesh share their data. Failure: arguments that are not a group do not compile.
// An invalid group fails the call: cells of unequal size, a mesh of two dimensions without a chosen one, an unknown
// name, a name with two meanings. The message is PyTorch's own where it has one. Cost: constant for a name and for a
// mesh that was given before; linear in the ranks for a group object and for lists.
#pragma once

#include "ccgraph/ir/group_table.h"

#include "llvm/Support/Error.h"

#include <concepts>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace ccgraph::tracer {

/// Disjoint lists of ranks; a rank's group is the list that contains it.
using Cells = std::vector<std::vector<int64_t>>;

/// Ranks laid out as an array: mesh({2, 4}, {"dp", "tp"}) has ranks 0 1 2 3 in its first row, which are one "tp" group.
class DeviceMesh {
public:
  /// `names` has one name a dimension, which its groups use; where empty, "mesh_<dimension>". `ranks` is row-major;
  /// empty: 0, 1, 2, ...
  explicit DeviceMesh(std::string deviceType, std::vector<int64_t> shape, std::vector<std::string> names = {},
                      std::vector<int64_t> ranks = {});

  // Names are PyTorch's.
  // NOLINTBEGIN(readability-identifier-naming)
  // While a trace is open, each answer leaves a guard (facts.h): a size one of the group of each dimension that it
  // counts; ndim and device_type one of the group of dimension 0. ranks() leaves none, since the program states them.
  [[nodiscard]] int64_t ndim() const;
  [[nodiscard]] const std::string &device_type() const;
  /// The size of one dimension.
  [[nodiscard]] llvm::Expected<int64_t> size(int64_t dim) const;
  /// The number of all ranks of the mesh.
  [[nodiscard]] int64_t size() const;
  /// Returns the group of one dimension, with a cell for each line of the mesh along it.
  [[nodiscard]] llvm::Expected<Group> get_group(int64_t dim) const;
  /// Returns the group of a mesh with one dimension.
  [[nodiscard]] llvm::Expected<Group> get_group() const;
  // NOLINTEND(readability-identifier-naming)
  [[nodiscard]] const std::vector<int64_t> &ranks() const;
  [[nodiscard]] const std::vector<int64_t> &shape() const;

  /// The data that all copies share. Its address identifies the mesh while a copy exists.
  struct Layout;
  [[nodiscard]] const std::shared_ptr<const Layout> &layout() const { return layout_; }

private:
  std::shared_ptr<const Layout> layout_;
};

namespace detail {
template <typename T>
struct IsTuple : std::false_type {};
template <typename... T>
struct IsTuple<std::tuple<T...>> : std::true_type {};
template <typename A, typename B>
struct IsTuple<std::pair<A, B>> : std::true_type {};
} // namespace detail

class GroupLike {
public:
  GroupLike(std::vector<int64_t> ranks) : form_(std::move(ranks)) {}
  GroupLike(Cells cells) : form_(std::move(cells)) {}
  GroupLike(Group group) : form_(std::move(group)) {}
  GroupLike(DeviceMesh mesh) : form_(std::move(mesh)) {}
  template <std::integral T>
  GroupLike(std::pair<DeviceMesh, T> meshAndDim)
      : form_(std::pair(std::move(meshAndDim.first), static_cast<int64_t>(meshAndDim.second))) {}
  template <std::integral T>
  GroupLike(std::tuple<DeviceMesh, T> meshAndDim)
      : GroupLike(std::pair(std::get<0>(std::move(meshAndDim)), std::get<1>(meshAndDim))) {}
  GroupLike(const char *name) : form_(std::string(name)) {}
  GroupLike(llvm::StringRef name) : form_(name.str()) {}
  GroupLike(std::string name) : form_(std::move(name)) {}
  /// Any other type is a compile-time error.
  template <typename T>
  requires(!std::is_convertible_v<T, llvm::StringRef> && !std::is_same_v<std::decay_t<T>, GroupLike>)
      GroupLike(T && /*other*/) {
    static_assert(!detail::IsTuple<std::decay_t<T>>::value, "Invalid tuple for group must be (DeviceMesh, int)");
    static_assert(detail::IsTuple<std::decay_t<T>>::value,
                  "Invalid type for group, must be one of List, Processgroup, DeviceMesh or (DeviceMesh, int).");
  }

  using Form =
      std::variant<std::vector<int64_t>, Cells, Group, DeviceMesh, std::pair<DeviceMesh, int64_t>, std::string>;
  [[nodiscard]] const Form &form() const { return form_; }

private:
  Form form_;
};

/// The expanded form of a group.
struct ExpandedGroup {
  std::string name;
  /// ranks of all cells, one cell after the other
  std::vector<int64_t> ranks;
  /// number of ranks of one cell
  int64_t size = 0;
  friend bool operator==(const ExpandedGroup &, const ExpandedGroup &) = default;
};

/// Expands a group within an open trace, whose table then holds the group.
[[nodiscard]] llvm::Expected<ExpandedGroup> expandGroup(const GroupLike &group, llvm::StringRef tag = "");

} // namespace ccgraph::tracer
