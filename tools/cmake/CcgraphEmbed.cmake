# cmake -DOUTPUT=FILE -DNAMES=a;b -DFILES_a=... -P CcgraphEmbed.cmake writes a C++ file with one text for each name,
# which joins its files in their order.
#
# The texts are written as bytes, because a compiler may limit the length of a string literal.
set(text "#include \"llvm/ADT/StringRef.h\"\n\n")
foreach(name IN LISTS NAMES)
  set(bytes "")
  foreach(file IN LISTS FILES_${name})
    file(READ ${file} hex HEX)
    string(APPEND bytes "${hex}")
  endforeach()
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND text
    "static constexpr char ${name}Bytes[] = {${bytes}};\n"
    "static constexpr llvm::StringRef ${name}(${name}Bytes, sizeof ${name}Bytes);\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
