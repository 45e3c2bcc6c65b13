#include "torch_export/export_values.h"

#include "torch_export/srepr.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <limits>

namespace ccgraph {
namespace {

struct DTypeCode {
  int64_t code;
  DType dtype;
};
constexpr DTypeCode dtypes[] = {
    {1, DType::U8},          {2, DType::I8},          {3, DType::I16},        {4, DType::I32},
    {5, DType::I64},         {6, DType::F16},         {7, DType::F32},        {8, DType::F64},
    {9, DType::C32},         {10, DType::C64},        {11, DType::C128},      {12, DType::Bool},
    {13, DType::BF16},       {28, DType::U16},        {29, DType::F8E4M3FN},  {30, DType::F8E5M2},
    {31, DType::F8E4M3FNUZ}, {32, DType::F8E5M2FNUZ}, {33, DType::F8E8M0FNU}, {34, DType::U32},
    {35, DType::U64},
};
constexpr llvm::StringLiteral layouts[] = {"",           "sparse_coo", "sparse_csr", "sparse_csc",
                                           "sparse_bsr", "sparse_bsc", "_mkldnn",    "strided"};
constexpr llvm::StringLiteral memoryFormats[] = {"", "contiguous_format", "channels_last", "channels_last_3d",
                                                 "preserve_format"};

template <size_t N>
llvm::StringRef nameOf(const llvm::StringLiteral (&names)[N], int64_t code) {
  return code > 0 && code < static_cast<int64_t>(N) ? llvm::StringRef(names[code]) : llvm::StringRef();
}

constexpr int64_t stridedLayout = 7;

} // namespace

const JsonValue *unionMember(JsonReport &report, const JsonValue &value, llvm::StringRef what) {
  if (value.is(JsonKind::Object) && value.count == 1)
    return value.first;
  report.expected(value, what + ": an object with exactly one key");
  return nullptr;
}

const JsonValue *requiredMember(JsonReport &report, const JsonValue &object, llvm::StringRef name) {
  const JsonValue *found = object.member(name);
  if (!found)
    report.expected(object, "an object with '" + name + "'");
  return found;
}

std::optional<DType> exportDType(int64_t code) {
  const auto *found = llvm::find_if(dtypes, [&](const DTypeCode &entry) { return entry.code == code; });
  return found == std::end(dtypes) ? std::nullopt : std::optional(found->dtype);
}

llvm::StringRef exportLayout(int64_t code) { return nameOf(layouts, code); }
llvm::StringRef exportMemoryFormat(int64_t code) { return nameOf(memoryFormats, code); }

Device exportDevice(JsonReport &report, Context &context, const JsonValue &value) {
  const JsonValue *type = requiredMember(report, value, "type");
  const JsonValue *index = value.member("index");
  bool none = !index || index->is(JsonKind::Null);
  bool fits = none || (index->is(JsonKind::Integer) && index->integer >= 0 &&
                       index->integer <= std::numeric_limits<int>::max());
  if (!fits)
    report.expected(*index, "the number of a device, or null");
  llvm::StringRef kind = type ? report.string(*type, "the kind of a device, such as \"cuda\"").value_or("") : "";
  if (type && !llvm::all_of(kind, [](char c) { return llvm::isAlnum(c) || c == '_'; })) {
    report.expected(*type, "the kind of a device, such as \"cuda\"");
    kind = "";
  }
  return {context.identifier(kind.empty() ? "cpu" : kind), none || !fits ? -1 : static_cast<int>(index->integer)};
}

void ExportValues::note(const JsonValue &exported) {
  for (llvm::StringRef table : {"tensor_values", "sym_int_values", "sym_bool_values", "sym_float_values"})
    noteAll(exported, table);
}

void ExportValues::noteAll(const JsonValue &exported, llvm::StringRef table) {
  const JsonValue *values = exported.member(table);
  if (!values)
    return;
  if (!values->is(JsonKind::Object))
    report_.expected(*values, "'" + table + "' as an object: name -> what the value is");
  for (const JsonValue &value : values->elements())
    if (!values_.try_emplace(value.key, &value).second)
      report_.error(value.offset, "the value '" + value.key.str() + "' is described twice");
}

const Type *ExportValues::typeOf(llvm::StringRef name) {
  auto found = values_.find(name);
  if (found == values_.end())
    return nullptr;
  const JsonValue &value = *found->second;
  return value.member("sizes") || value.member("dtype") ? tensor(value) : symbol(value);
}

const Type *ExportValues::tensor(const JsonValue &meta) {
  const JsonValue *code = requiredMember(report_, meta, "dtype");
  const JsonValue *device = requiredMember(report_, meta, "device");
  std::optional<int64_t> number = code ? report_.integer(*code, "the number of a dtype") : std::nullopt;
  std::optional<DType> dtype = number ? exportDType(*number) : std::nullopt;
  if (number && !dtype)
    report_.expected(*code, "the number of a dtype, such as 7 for f32 or 13 for bf16");
  llvm::SmallVector<Dim, 6> sizes;
  llvm::SmallVector<Dim, 6> strides;
  bool good = dims(meta, "sizes", sizes);
  good = dims(meta, "strides", strides) && good; // both are read, so that each reports its errors
  if (!dtype || !device || !good)
    return nullptr;
  if (strides.size() != sizes.size()) {
    report_.expected(*meta.member("strides"), "as many strides as there are sizes, " + llvm::Twine(sizes.size()));
    return nullptr;
  }
  const JsonValue *layout = meta.member("layout");
  if (layout && layout->is(JsonKind::Integer) && layout->integer != stridedLayout)
    return nullptr; // strides of a sparse tensor have no meaning
  return graph_.context().tensor(*dtype, {sizes, strides, true}, exportDevice(report_, graph_.context(), *device));
}

bool ExportValues::dims(const JsonValue &meta, llvm::StringRef name, llvm::SmallVectorImpl<Dim> &into) {
  const JsonValue *list = requiredMember(report_, meta, name);
  if (!list || !list->is(JsonKind::Array)) {
    if (list)
      report_.expected(*list, "'" + name + "' as a list of numbers and expressions");
    return false;
  }
  for (const JsonValue &element : list->elements()) {
    std::optional<Dim> size = dim(element);
    if (!size)
      return false;
    into.push_back(*size);
  }
  return true;
}

std::optional<Dim> ExportValues::dim(const JsonValue &value) {
  const JsonValue *member = unionMember(report_, value, "a size");
  if (!member)
    return std::nullopt;
  if (member->key == "as_expr") {
    const SymExpr *expr = expression(*member);
    return expr ? std::optional(Dim(expr)) : std::nullopt;
  }
  if (member->key == "as_int" && member->is(JsonKind::Integer) && member->integer >= 0)
    return Dim(member->integer);
  report_.expected(value, "a size: {\"as_int\": n} with n from 0 on, or {\"as_expr\": {\"expr_str\": ..}}");
  return std::nullopt;
}

// Converts an expression in sympy's srepr to the text that sympy prints; any other text is kept unchanged. The hint of
// a symbol is the value that it had when the program was exported.
const SymExpr *ExportValues::expression(const JsonValue &value) {
  const JsonValue *text = requiredMember(report_, value, "expr_str");
  std::optional<llvm::StringRef> srepr = text ? report_.string(*text, "an expression of sympy") : std::nullopt;
  if (!srepr)
    return nullptr;
  llvm::StringRef symbol = sympySymbol(*srepr);
  const JsonValue *hint = value.member("hint");
  const JsonValue *number = hint ? hint->member("as_int") : nullptr;
  if (!symbol.empty() && number && number->is(JsonKind::Integer)) {
    Identifier name = graph_.context().identifier(symbol);
    if (llvm::none_of(graph_.symbolHints, [&](const auto &known) { return known.first == name; }))
      graph_.symbolHints.emplace_back(name, number->integer);
  }
  std::string shown = sympyText(*srepr).value_or(srepr->str());
  if (llvm::Expected<const Type *> number = parseType(graph_.context(), "Sym(" + shown + ")"); !number) {
    llvm::consumeError(number.takeError());
    report_.expected(*text, "an expression of sympy, such as \"Symbol('s0')\"");
    return nullptr;
  }
  return graph_.context().symbolic(shown);
}

const Type *ExportValues::symbol(const JsonValue &value) {
  const JsonValue *member = unionMember(report_, value, "a symbolic number");
  if (!member)
    return nullptr;
  if (member->key == "as_expr") {
    const SymExpr *expr = expression(*member);
    return expr ? graph_.context().symbolicScalar(expr) : nullptr;
  }
  if (member->is(JsonKind::Integer))
    return graph_.context().symbolicScalar(graph_.context().symbolic(std::to_string(member->integer)));
  return nullptr;
}

} // namespace ccgraph
