// readPickle: a Python pickle as plain data, without running it.
//
// A pickle is a list of instructions for a stack machine, some of which import and call a named function. This reader
// supports the instructions that build None, booleans, numbers, strings, bytes, lists, tuples and dictionaries with
// string keys, of protocols 0 to 5 in binary form. Every other instruction is an error. Dictionaries become objects,
// tuples become arrays, bytes become strings. The values have the types of the JSON parser, so one reader accepts both;
// `offset` is the byte of the instruction that made the value.
//
// Ownership: values live in `arena`, and their strings there or in the text. Errors: DiagnosticErrors that name byte
// and opcode. Cost: linear; a value that the pickle refers to many times is copied each time, up to mostPickledValues
// for the whole file, and nesting up to maxJsonDepth. Only the elements of the values of `sharedKey` are made once.
#pragma once

#include "ccgraph/frontend/source_text.h"
#include "json/json_value.h"

#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"

namespace ccgraph {

inline constexpr size_t mostPickledValues = size_t(1) << 22;

/// Returns true for bytes that begin as a pickle of protocol 2 or later does.
[[nodiscard]] bool isPickle(llvm::StringRef bytes);

struct PickleForm {
  llvm::StringRef what; ///< "a flight recorder's dump", for messages
  /// the values of this key in all dictionaries share their elements, so the reader must not walk deep into them;
  /// empty: none
  llvm::StringRef sharedKey;
};
[[nodiscard]] llvm::Expected<const JsonValue *> readPickle(const SourceText &source, llvm::BumpPtrAllocator &arena,
                                                           const PickleForm &form);

/// Returns the value as Python writes it, shortened: "None", "3", "a list of 2".
[[nodiscard]] std::string pickledText(const JsonValue &value);

/// Builds an error at a byte: pickles have no lines.
[[nodiscard]] Diagnostic diagnoseByte(const SourceText &source, size_t offset, const std::string &message,
                                      std::string repair = "");

} // namespace ccgraph
