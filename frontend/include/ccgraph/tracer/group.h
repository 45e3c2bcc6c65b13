// GroupLike and DeviceMesh: the forms in which a collective is told who takes part.
//
//   all_reduce(x, "sum", "tp");                       the name of a group that the trace knows
//   all_reduce(x, "sum", group);                      a group object (ir's Group): its ranks, or a partition of all ranks
//   all_reduce(x, "sum", mesh);                       a mesh of one dimension
//   all_reduce(x, "sum", std::pair(mesh, 1));         one dimension of a mesh
//   all_reduce(x, "sum", std::vector<int64_t>{0, 1}); ranks; deprecated, as in PyTorch, with a warning
//   all_reduce(x, "sum", Cells{{0, 1}, {2, 3}});      cells of equal size, of which each rank takes its own
//
// Each form comes to a name, ranks and a size (expandGroup), and the trace's group table holds what the name means.
//
// A list of ranks, or of cells, means the group of the table that has these ranks, in any order, and the tag of the call; where there is
// none, the call fails. A trace of one rank refuses a collective of a group that lacks the rank.
//
// Ownership: plain values; a mesh shares what its copies hold. Failure: forms that are no group do not compile; what a form says wrongly
// (cells of unequal size, a mesh of two dimensions without one, an unknown name, a name with two meanings) fails the call that it is
// given to, with the text of PyTorch's own error where it has one. Cost: constant for a name and for a mesh that was given before;
// linear in the ranks for a group object and for lists.
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

/// Lists of ranks that are disjoint; a rank's group is the one that holds it.
using Cells = std::vector<std::vector<int64_t>>;

/// Ranks laid out as an array: mesh({2, 4}, {"dp", "tp"}) has ranks 0 1 2 3 in its first row, which are one "tp" group.
class DeviceMesh {
public:
  /// `names`: one a dimension, by which its groups are known; where empty, "mesh_<dimension>". `ranks`: row-major; empty:
  /// 0, 1, 2, ...
  explicit DeviceMesh(std::string deviceType, std::vector<int64_t> shape, std::vector<std::string> names = {},
                      std::vector<int64_t> ranks = {});

  // Spelled as PyTorch spells them.
  // NOLINTBEGIN(readability-identifier-naming)
  [[nodiscard]] int64_t ndim() const;
  [[nodiscard]] const std::string &device_type() const;
  /// Of one dimension. While a trace is open, this leaves a guard of that dimension's group (facts.h).
  [[nodiscard]] llvm::Expected<int64_t> size(int64_t dim) const;
  /// Of all of it.
  [[nodiscard]] int64_t size() const;
  /// The group of one dimension, with a cell for each line of the mesh along it.
  [[nodiscard]] llvm::Expected<Group> get_group(int64_t dim) const;
  /// Of a mesh with one dimension.
  [[nodiscard]] llvm::Expected<Group> get_group() const;
  // NOLINTEND(readability-identifier-naming)
  [[nodiscard]] const std::vector<int64_t> &ranks() const;
  [[nodiscard]] const std::vector<int64_t> &shape() const;

  /// What all copies share. Its address stands for the mesh while somebody holds it.
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
  /// Anything else is refused where it is compiled.
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

/// What a form comes to.
struct ExpandedGroup {
  std::string name;
  /// of all cells, one after the other
  std::vector<int64_t> ranks;
  /// of one cell
  int64_t size = 0;
  friend bool operator==(const ExpandedGroup &, const ExpandedGroup &) = default;
};

/// Within an open trace, whose table then holds the group.
[[nodiscard]] llvm::Expected<ExpandedGroup> expandGroup(const GroupLike &group, llvm::StringRef tag = "");

} // namespace ccgraph::tracer
