#!/usr/bin/env bash
# Checks that a program needs no symbol of a glibc that is newer than 2.28, and runs: old_glibc.sh PROGRAM [ARGUMENTS]
set -euo pipefail
newer=$(objdump -T "$1" | grep -E '\*UND\*.*\(GLIBC_2\.(29|[3-9][0-9])' || true)
[ -z "$newer" ] || {
  printf 'error: these symbols are newer than glibc 2.28:\n%s\n' "$newer"
  echo 'note: add them to tools/packaging/glibc_2_28.cpp'
  exit 1
}
"$@"
