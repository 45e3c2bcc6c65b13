#include "json/type_cache.h"

namespace ccgraph {

const Type *TypeCache::read(const JsonValue &value) {
  if (value.is(JsonKind::String))
    return readText(value.text, value.offset);
  if (value.is(JsonKind::Array))
    return readList(value);
  report_.expected(value, "a type or a list of types",
                   "a type is spelled as print_readable spells it, e.g. \"bf16[8, 4][4, 1]cuda:0\"; "
                   "leave the key out where it is unknown");
  return nullptr;
}

// An invalid type stays null in the table and is reported again at each of its places, since the user must repair each.
const Type *TypeCache::readText(llvm::StringRef text, size_t offset) {
  auto [entry, isNew] = known_.try_emplace(text, nullptr);
  if (!isNew && entry->second)
    return entry->second;
  auto type = parseType(context_, text);
  if (type)
    return entry->second = *type;
  report_.error(offset, llvm::toString(type.takeError()), "dtype[sizes][strides]device, e.g. \"f32[2, 3][3, 1]cpu\"");
  return nullptr;
}

const Type *TypeCache::readList(const JsonValue &value) {
  llvm::SmallVector<const Type *, 8> elements;
  for (const JsonValue &element : value.elements())
    elements.push_back(element.is(JsonKind::Null) ? nullptr : read(element));
  return context_.list(elements);
}

} // namespace ccgraph
