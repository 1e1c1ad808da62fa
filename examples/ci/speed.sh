#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Base against head, measured in turns in one job: the steps that github.yml and gitlab.yml have in common. Copy the three
# files. Each step is a command of its own: speed.sh versions | measure | why | comment | history.
#
# STUDY is a study in which @BASE@ and @HEAD@ stand for the versions of both sides, and whose two compilers are labelled
# `base` and `head`. The versions are those of COMPILER in the file PINS (COMPILER==VERSION) in the commit BASE_SHA and here.
set -euo pipefail
export LC_ALL=C.UTF-8  # so that characters are counted
: "${STUDY:=speed.yaml}" "${PINS:=requirements.txt}" "${COMPILER:=onnxruntime}" "${BUDGET:=20m}" "${MARGIN:=3%}"
: "${HISTORY_BRANCH:=ngb-history}" "${OUT:=speed}"
sides=(--baseline base --candidate head)

version_in() { sed -n "s/^$COMPILER==\([^ ;#]*\).*/\1/p" | head -n 1; }

# Writes the study of both sides, or ends the job's work with a sentence if nothing differs.
versions() {
  mkdir -p "$OUT"
  base=$(git show "$BASE_SHA:$PINS" | version_in)
  head=$(version_in <"$PINS")
  if [ -z "$base" ] || [ -z "$head" ]; then
    echo "$PINS has no line $COMPILER==VERSION in the base, or here" >&2
    exit 2
  fi
  sed "s/@BASE@/$base/g; s/@HEAD@/$head/g" "$STUDY" >"$OUT/study.yaml"
  if [ "$base" = "$head" ]; then echo "$COMPILER is $head on both sides: nothing to compare" | tee "$OUT/alike.md"; fi
}

is_alike() { [ -e "$OUT/alike.md" ]; }

# Leaves the table in gate.md, the page, a badge and the gate's exit code.
measure() {
  if is_alike; then echo 0 >"$OUT/code"; return; fi
  code=0
  ngb gate "$OUT/study.yaml" "${sides[@]}" --fail-if-slower "$MARGIN" --budget "$BUDGET" -o "$OUT/results" --format github \
    >"$OUT/gate.md" || code=$?
  echo "$code" >"$OUT/code"
  case $code in 0 | 4 | 5) ;; *) exit "$code" ;; esac
  ngb compare "$OUT/results" "${sides[@]}" --page "$OUT/comparison.html" >/dev/null
  ngb gate "$OUT/results" "${sides[@]}" --fail-if-slower "$MARGIN" --format badge >"$OUT/badge.json" || true
}

# Says of the slowest model where the difference arises. Not every compiler names its kernels: then there is no why.
why() {
  if [ "$(cat "$OUT/code")" != 4 ]; then return; fi
  ngb compare "$OUT/results" "${sides[@]}" --json >"$OUT/compare.json"
  model=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["pairs"][0]["model"])' <"$OUT/compare.json")
  ngb explain "$OUT/study.yaml" "${sides[@]}" --model "$model" -o "$OUT/explain" --format markdown >"$OUT/why.md" ||
    rm -f "$OUT/why.md"
}

# Writes comment.md with at most $1 characters: the table alone if the why does not fit.
comment() {
  if is_alike; then cp "$OUT/alike.md" "$OUT/comment.md"; return; fi
  cp "$OUT/gate.md" "$OUT/comment.md"
  { printf '\nMeasured in turns on one machine; the job keeps the page and the results.\n'
    if [ -e "$OUT/why.md" ]; then printf '\n<details><summary>Why</summary>\n\n'; cat "$OUT/why.md"; printf '\n</details>\n'; fi
  } >"$OUT/more.md"
  if [ $(($(wc -m <"$OUT/gate.md") + $(wc -m <"$OUT/more.md"))) -le "$1" ]; then cat "$OUT/more.md" >>"$OUT/comment.md"; fi
}

# Adds what was measured as a bundle to the branch of the history, and leaves its page.
history() {
  if is_alike; then return; fi
  commit=$(git rev-parse --short=12 HEAD)
  tree=$(mktemp -d)
  if git fetch -q origin "$HISTORY_BRANCH"; then git worktree add -q --detach "$tree" FETCH_HEAD; else
    git worktree add -q --detach "$tree"
    git -C "$tree" checkout -q --orphan "$HISTORY_BRANCH"
    git -C "$tree" rm -q -r -f .
  fi
  rm -f "$tree/$commit.zip"  # of a job that was started again
  ngb bundle "$OUT/results" -o "$tree/$commit.zip" >/dev/null
  cp "$OUT/badge.json" "$tree/"
  git -C "$tree" add -A
  git -C "$tree" -c user.name="ngb" -c user.email="ngb@localhost" commit -q -m "Results of $commit"
  git -C "$tree" push -q origin "HEAD:refs/heads/$HISTORY_BRANCH"
  page=$(realpath "$OUT")/history.html
  (cd "$tree" && ngb history ./*.zip --by commit --compiler head -o "$page")
  git worktree remove --force "$tree"
}

"$@"
