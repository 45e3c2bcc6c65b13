#!/usr/bin/env bash
# Checks that each page of docs/ and docs/evidence/ has a question as its title, and that the index of the folder
# (README.md, docs/evidence/README.md) lists the page by this question.
set -euo pipefail

wrong=
check() { # PAGE INDEX LINK
  local title entry
  title=$(head -1 "$1")
  case $title in
  '# '*'?')
    entry="[${title#\# }]($3)"
    grep -qF -- "$entry" "$2" || wrong+="$1: $2 has no entry '$entry'"$'\n'
    ;;
  *) wrong+="$1: its title is no question: $title"$'\n' ;;
  esac
}
for page in docs/*.md; do check "$page" README.md "$page"; done
for page in docs/evidence/*.md; do
  [ "$page" = docs/evidence/README.md ] || check "$page" docs/evidence/README.md "${page##*/}"
done
[ -z "$wrong" ] || {
  printf 'error: the index of the documents is not complete:\n%s' "$wrong"
  exit 1
}
