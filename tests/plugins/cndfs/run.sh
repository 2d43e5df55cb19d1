#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A parallel checker as a third party would have it: the project's cndfs under a name of its own, built
# against an installed omen. Known answers, lassos checked by the referee, and random products.
# usage: run.sh CMAKE BUILD-TREE SOURCES CC CFLAGS [CASES]; SOURCES is the folder of cndfs.
# shellcheck source=tests/plugins/outside.sh
. "$(dirname "$0")/../outside.sh"
cases=${6-200}

mkdir "$work/check"
cp -r "$sources" "$work/check"
cp "$sources/../common/pause.h" "$work/check/cndfs"
sed 's/OM_PLUGIN_CHECKER, "cndfs"/OM_PLUGIN_CHECKER, "outside"/' "$sources/cndfs.c" \
    >"$work/check/cndfs/cndfs.c"
# A third party also has to request the POSIX declarations.
make_plugin outside -D_POSIX_C_SOURCE=200809L "$work/check/cndfs/cndfs.c" "$work/check/cndfs/red.c"
ends 0 "$omen" plugins
expect '^checker outside'

# check STATUS MODEL FORMULA: checks with one worker and with several; the referee checks each
# lasso, and another checker must have the same verdict.
check() {
    model=$(find "$prefix" -name "$2.dve")
    for workers in 1 2 8; do
        ends "$1" "$omen" check "$model" --ltl "$3" --checker outside --threads $workers --device none \
            -v --lasso "$work/lasso.json"
        expect 'outside on the CPU'
        [ "$1" -ne 10 ] || ends 0 "$omen" replay "$model" "$work/lasso.json"
    done
    ends "$1" "$omen" check "$model" --ltl "$3" --checker dijkstra --device none
}
check 0 mutex 'G(P_0.waiting -> F P_0.critical)'
check 0 mutex 'G !(P_0.critical && P_1.critical)'
check 10 mutex 'G !P_0.critical'
check 10 mutex 'G F P_0.critical'
check 10 starvation 'G(Client_0.waiting -> F Client_0.served)'
# The planner converts two acceptance sets into one for this checker, and says so.
check 10 starvation '!(G F Client_0.waiting && G F Client_0.served)'
ends 10 "$omen" check "$(find "$prefix" -name starvation.dve)" --device none --checker outside -v \
    --ltl '!(G F Client_0.waiting && G F Client_0.served)'
expect 'acceptance converted to Buchi'

# On random products, with 1, 2, 4, 8 and 16 workers
for run in "0 $cases 24" '100000 4 2000'; do
    # shellcheck disable=SC2086
    "$build/tests/plugins/check/test_check" $run outside >"$work/out" 2>&1 ||
        fail "$(cat "$work/out")"
done
echo "cndfs from outside: known answers, lassos refereed, $cases random products"
