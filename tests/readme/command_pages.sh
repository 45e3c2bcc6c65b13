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

for tool in ccgraph ccgraph-opt ccgraph-run; do
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
expect doctor ccgraph do
expect LICENSE ccgraph LIC
expect json ccgraph opt --emit ''
expect reference ccgraph run --engine r
expect --check-equivalence ccgraph opt graph.json --check-
expect --report ccgraph report graph.json --rep
expect --sarif ccgraph check --sa
expect --json ccgraph doctor --
expect json ccgraph LICENSE --emit ''

# In zsh, the words of _arguments are checked for their quotes by bash, and their meaning by zsh where it is installed.
for script in docs/completion/zsh/_ccgraph-*; do
  words=$(_arguments() { printf '%s\n' "$@"; } && source "$script")
  grep -q "^--version\[print the version\]$" <<<"$words" || fail "$script offers no --version: $words"
  [ "$(tail -n 1 <<<"$words")" = '*:file:_files' ] || fail "$script offers no files: $words"
done
if command -v zsh >/dev/null; then
  for script in docs/completion/zsh/*; do
    zsh -n "$script" || fail "$script is no script of zsh"
  done
fi

if ! command -v groff >/dev/null; then
  echo 'note: no groff here, so the manual pages were not looked at'
  exit 0
fi
for page in docs/man/*.1; do
  said=$(groff -man -ww -z "$page" 2>&1) || fail "$page: $said"
  [ -z "$said" ] || fail "$page: $said"
done
