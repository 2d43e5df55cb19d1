#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A checker of a stranger's: the nested search of several workers, built against an installed omen.
# Known answers, lassos refereed, and random products on which all checkers must agree.
# usage: run.sh CMAKE BUILD-TREE SOURCES CC CFLAGS [CASES]
# shellcheck source=tests/plugins/outside.sh
. "$(dirname "$0")/../outside.sh"
cases=${6-200}

at_most 250 "$sources/cndfs.c"
make_plugin cndfs "$sources/cndfs.c"
ends 0 "$omen" plugins
expect '^checker cndfs'

# check STATUS MODEL FORMULA: with one worker and with several; a lasso again by the referee, and
# another checker says the same.
check() {
    model=$(find "$prefix" -name "$2.dve")
    for workers in 1 2 8; do
        ends "$1" "$omen" check "$model" --ltl "$3" --checker cndfs --threads $workers --device none \
            -v --lasso "$work/lasso.json"
        expect 'cndfs on the CPU'
        [ "$1" -ne 10 ] || ends 0 "$omen" replay "$model" "$work/lasso.json"
    done
    ends "$1" "$omen" check "$model" --ltl "$3" --checker dijkstra --device none
}
check 0 mutex 'G(P_0.waiting -> F P_0.critical)'
check 0 mutex 'G !(P_0.critical && P_1.critical)'
check 10 mutex 'G !P_0.critical'
check 10 mutex 'G F P_0.critical'
check 10 starvation 'G(Client_0.waiting -> F Client_0.served)'
# Two acceptance sets become one for it, and the planner says so.
check 10 starvation '!(G F Client_0.waiting && G F Client_0.served)'
ends 10 "$omen" check "$(find "$prefix" -name starvation.dve)" --device none --checker cndfs -v \
    --ltl '!(G F Client_0.waiting && G F Client_0.served)'
expect 'acceptance converted to Buchi'

# All checkers there are, this one among them, on random products with 1, 2 and 8 workers.
"$build/tests/plugins/check/test_check" 0 "$cases" 24 >"$work/out" 2>&1 || fail "$(cat "$work/out")"
"$build/tests/plugins/check/test_check_large" 100000 4 2000 >"$work/out" 2>&1 ||
    fail "$(cat "$work/out")"
echo "cndfs: known answers, lassos refereed, $cases random products"
