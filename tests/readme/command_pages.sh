#!/usr/bin/env bash
# Tests that man and bash accept the files that are written for them.
#
#   command_pages.sh
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
  echo "error: $1" >&2
  exit 1
}

# Prints bash's suggestions at the end of the given words.
offers() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  "_${1//-/_}"
  printf '%s\n' "${COMPREPLY[@]}"
}

for tool in ccgraph-opt ccgraph-run; do
  # shellcheck source=/dev/null
  source "docs/completion/$tool"
done
expect() {
  local wanted=$1
  shift
  # grep -q ends at the first match, so a pipe into it could break while it is written to.
  grep -qxF -- "$wanted" <<<"$(offers "$@")" || fail "'$*' does not offer $wanted, but: $(offers "$@" | tr '\n' ' ')"
}
expect --check-equivalence ccgraph-opt --ch
expect --check-equivalence ccgraph-opt graph.json --check-
expect json ccgraph-opt --emit ''
expect fx ccgraph-opt --emit = f
expect sink-waits ccgraph-opt --help-pass sink
expect checks ccgraph-opt --help =
expect LICENSE ccgraph-opt LIC
expect LICENSE ccgraph-opt -o LIC
expect docs ccgraph-opt --values do
expect --rank-graphs ccgraph-run --rank
expect reference ccgraph-run --engine r
expect LICENSE ccgraph-run --expect LIC

if ! command -v groff >/dev/null; then
  echo 'note: no groff here, so the manual pages were not looked at'
  exit 0
fi
for page in docs/man/*.1; do
  said=$(groff -man -ww -z "$page" 2>&1) || fail "$page: $said"
  [ -z "$said" ] || fail "$page: $said"
done
