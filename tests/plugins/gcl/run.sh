#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A third party's front end, built against an installed omen: a model in its language is explored and
# checked by the project's checkers, and errors in a model are reported with their position.
# usage: run.sh CMAKE BUILD-TREE SOURCES CC CFLAGS
# shellcheck source=tests/plugins/outside.sh
. "$(dirname "$0")/../outside.sh"

make_plugin gcl "$sources/gcl.c"
ends 0 "$omen" plugins
expect '^frontend gcl'
model=$sources/mutex.gcl

ends 0 "$omen" explore "$model"
expect '^states: 20$'
expect '^transitions: 34$'
for checker in '' '--checker=cndfs' '--checker=ufscc'; do
    for threads in 1 4; do
        check() {
            wanted=$1
            shift
            ends "$wanted" "$omen" check "$model" "$@" $checker --threads $threads --device none
        }
        check 0 --ltl 'G !("p == 3" && "q == 3")'
        check 0 --ltl 'G ("p == 1" -> F "p == 3")'
        check 10 --ltl 'G F "p == 3"'
        expect 'q == 0 -> q := 1, turn := 0  \(.*mutex\.gcl:9:1\)'
        check 10 --ltl 'G F "p == 3"' --lasso "$work/lasso.json"
        ends 0 "$omen" replay "$model" "$work/lasso.json"
        check 10 --ltl 'G !"turn == 1 && p == 3"'
    done
done

# Progress labels of the model, which apply if the command line gives none.
ends 2 "$omen" check "$model" --non-progress
expect 'the model has no progress labels'
cp "$model" "$work/labelled.gcl"
echo 'progress p == 3;' >>"$work/labelled.gcl"
ends 10 "$omen" check "$work/labelled.gcl" --non-progress --device none --lasso "$work/lasso.json"
expect '^property non-progress: violated$'
ends 0 "$omen" replay "$work/labelled.gcl" "$work/lasso.json"
ends 0 "$omen" check "$work/labelled.gcl" --non-progress --progress-states 'p == 3 || q == 3' --device none
echo 'progress q == 3;' >>"$work/labelled.gcl"
ends 0 "$omen" check "$work/labelled.gcl" --non-progress --device none
expect '^strong part .* dfsfifo on the CPU'

# wrong MESSAGE TEXT: the model must be refused.
wrong() {
    printf '%b' "$2" >"$work/wrong.gcl"
    ends 3 "$omen" explore "$work/wrong.gcl"
    expect "wrong\.gcl:$1"
}
wrong "1:6: expected a name, found '='" 'byte = 1;'
wrong "2:6: expected a name that is not taken, found 'x'" 'byte x;\nbyte x;'
wrong '1:6: 256 does not fit a byte' 'byte x = 256;'
wrong '1:9: expected a number of 32 bits' 'int x = 99999999999;'
wrong "3:2: no variable 'counte' \(did you mean 'counter'\?\)" 'int counter; # one\n\n counte < 3 -> counter := 1;'
wrong "1:16: expected :=, found '='" 'int x; 1 -> x  = 2;'
wrong "1:15: expected [)], found '->'" 'int x; (x < 3 -> x := 1;'
wrong "2:1: expected ;, found 'y'" 'int x\ny := 2;'
ends 3 "$omen" check "$model" --ltl 'G "p == "'
expect 'expected a name, found the end'
ends 3 "$omen" check "$model" --ltl 'G "p == 3 q"'
expect "expected an operator, found 'q'"

# The message about a value that does not fit has the position of the assignment.
printf 'byte x = 250;\nx >= 250 -> x := x + 1;\n' >"$work/wraps.gcl"
ends 0 "$omen" explore "$work/wraps.gcl"
expect 'wraps\.gcl:2:13: .*256 does not fit x'
ends 3 "$omen" explore "$work/wraps.gcl" --overflow error
echo "gcl: explored, checked by three checkers, mistakes placed"
