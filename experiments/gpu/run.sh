#!/bin/sh
# Runs what needs a GPU on a machine that has one and no Go. `gradsync dev gpu-bundle` puts this
# script and the program into one folder; take that folder there.
#
#   ./run.sh check          the card beside the CPU, training steps beside PyTorch: out/gpu.json
#   ./run.sh data I/N       piece I of N of the data sets has come (the file data.I); the last one unpacks them
#   ./run.sh paper [9m]     profile paper for that long; exit code 0 once it is complete: repeat until then
#
# and at home, before: ./run.sh split N FOLDER cuts a folder of data sets into data.1 … data.N.
#
# What comes back is small and lies below out/: gpu.json, kept/ (a file for each finished training)
# and results/. Start it again after an interruption: nothing finished is done twice.
set -eu
cd "$(dirname "$0")"
out=out
mkdir -p "$out"

fail() {
	echo "run.sh: $*" >&2
	exit 2
}

# piece reads I/N.
piece() {
	case "$1" in
	*/*) i=${1%/*} n=${1#*/} ;;
	*) fail "piece $1: want I/N, as 2/3" ;;
	esac
	{ [ "$i" -ge 1 ] && [ "$i" -le "$n" ]; } 2>/dev/null || fail "piece $1: want I/N, I from 1 to N"
}

check() {
	./gradsync devices --check "$out/gpu.json"
}

split() {
	{ [ "$1" -ge 1 ]; } 2>/dev/null || fail "split $1: want a number of pieces"
	[ -d "$2" ] || fail "split: no folder $2"
	rm -f data.[0-9]*
	tar -C "$2" -cf - . | gzip -9 >data.all
	size=$(wc -c <data.all)
	i=1
	while [ "$i" -le "$1" ]; do
		from=$((size * (i - 1) / $1)) to=$((size * i / $1))
		tail -c +$((from + 1)) data.all | head -c $((to - from)) >"data.$i"
		i=$((i + 1))
	done
	if command -v sha256sum >/dev/null; then sha256sum <data.all >data.sum; fi
	rm data.all
	ls -l data.*
}

# The pieces are kept beside each other until all have come.
data() {
	piece "$1"
	[ -f "data.$i" ] || fail "data $1: no file data.$i"
	store=${GRADSYNC_GPU_STORE:-/tmp/gradsync-gpu}
	mkdir -p "$store"
	cp "data.$i" "$store/data.$i.new"
	mv "$store/data.$i.new" "$store/data.$i"
	i=1
	while [ "$i" -le "$n" ]; do
		[ -f "$store/data.$i" ] || {
			echo "piece $i of $n has not come yet"
			return
		}
		i=$((i + 1))
	done
	i=1
	: >"$store/all"
	while [ "$i" -le "$n" ]; do
		cat "$store/data.$i" >>"$store/all"
		i=$((i + 1))
	done
	if [ -f data.sum ] && command -v sha256sum >/dev/null; then
		[ "$(sha256sum <"$store/all")" = "$(cat data.sum)" ] || fail "data: the pieces do not make up what was cut"
	fi
	mkdir -p "$store/data.new"
	tar -C "$store/data.new" -xzf "$store/all"
	rm -rf "$store/data" "$store/all"
	mv "$store/data.new" "$store/data"
	echo "all $n pieces: $(ls "$store/data" | tr '\n' ' ')in $store/data"
}

paper() {
	store=${GRADSYNC_GPU_STORE:-/tmp/gradsync-gpu}
	[ -d "$store/data" ] || [ -n "${GRADSYNC_DATA:-}" ] || fail "paper: no data: ./run.sh data I/N first, or set GRADSYNC_DATA"
	GRADSYNC_DATA=${GRADSYNC_DATA:-$store/data} ./gradsync run dasp/table6 dasp/table7 dasp/fig3 dasp/fig4 \
		--profile paper --seeds 0 --device cuda --kept "$out/kept" --out "$out/results" --for "${1:-9m}"
}

case "${1:-}" in
check) [ $# -eq 1 ] || fail "check takes no argument" && check ;;
data) [ $# -eq 2 ] || fail "data: want I/N" && data "$2" ;;
split) [ $# -eq 3 ] || fail "split: want N FOLDER" && split "$2" "$3" ;;
paper) [ $# -le 2 ] || fail "paper: want a time at most" && paper "${2:-9m}" ;;
*) sed -n '2,12s/^# \{0,1\}//p' "$0" && [ "${1:-}" = help ] || exit 2 ;;
esac
