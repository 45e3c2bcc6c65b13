// readPickle: a Python pickle as plain data, without running it.
//
// A pickle is a list of instructions for a stack machine, some of which import and call what they name. Here stand those that build
// None, booleans, numbers, strings, bytes, lists, tuples and dictionaries with string keys, of protocols 0 to 5 in binary form;
// every other one ends the reading. Dictionaries become objects, tuples arrays, bytes strings. The values are those of the JSON parser,
// so that one reader takes both; `offset` is the byte of the instruction that made the value.
//
// Ownership: values live in `arena`, and their strings there or in the text. Errors: DiagnosticErrors that name byte and opcode.
// Cost: linear; a value that the pickle refers to many times is copied each time, up to mostPickledValues for the whole
// file, and nesting up to maxJsonDepth.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "json/json_value.h"

#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"

namespace ccgraph {

inline constexpr size_t mostPickledValues = size_t(1) << 22;

/// True of bytes that begin as a pickle of protocol 2 or later does.
[[nodiscard]] bool isPickle(llvm::StringRef bytes);

[[nodiscard]] llvm::Expected<const JsonValue *> readPickle(const SourceText &source, llvm::BumpPtrAllocator &arena);

/// An error at a byte: pickles have no lines.
[[nodiscard]] Diagnostic diagnoseByte(const SourceText &source, size_t offset, const std::string &message,
                                      std::string repair = "");

} // namespace ccgraph
