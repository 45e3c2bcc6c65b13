#!/usr/bin/env bash
# Checks that each page of docs/ has a question as its title, and that README.md lists the page by this question.
set -euo pipefail

wrong=
for page in docs/*.md; do
  title=$(head -1 "$page")
  case $title in
  '# '*'?')
    entry="- [${title#\# }]($page)"
    grep -qxF -- "$entry" README.md || wrong+="$page: README.md has no line '$entry'"$'\n'
    ;;
  *) wrong+="$page: its title is no question: $title"$'\n' ;;
  esac
done
[ -z "$wrong" ] || {
  printf 'error: the index of the documents is not complete:\n%s' "$wrong"
  exit 1
}
