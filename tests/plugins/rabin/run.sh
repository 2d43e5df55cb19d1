#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs omen into an empty folder, builds a checker for Rabin automata against it alone, and runs it:
# the checker gets the automaton without conversion, and the referee its lasso.
# usage: run.sh CMAKE BUILD-TREE SOURCES CC CFLAGS
# shellcheck source=tests/plugins/outside.sh
. "$(dirname "$0")/../outside.sh"

at_most 150 "$sources/rabin.c"
make_plugin rabin "$sources/rabin.c"
model=$(find "$prefix" -name starvation.dve)

# check STATUS AUTOMATON [OPTION...]: checks the model, and lets the referee check the lasso.
check() {
    wanted=$1 automaton=$2
    shift 2
    ends "$wanted" "$omen" check "$model" --never "$automaton" "$@" --device none -v \
        --lasso "$work/lasso.json"
    expect 'rabin on the CPU'
    if grep 'acceptance converted' "$work/out"; then fail "the automaton was converted"; fi
    [ "$wanted" -ne 10 ] || ends 0 "$omen" replay "$model" "$work/lasso.json"
}
waiting='Client_0.waiting' served='Client_0.served'
cat >"$work/some.hoa" <<END
HOA: v1
States: 1
Start: 0
AP: 2 "$waiting" "$served"
Acceptance: 4 (Fin(0) & Inf(1)) | (Fin(2) & Inf(3))
--BODY--
State: 0
[0 & !1] 0 {1 2}
[!0 & !1] 0 {2}
[1] 0 {0 3}
--END--
END
# some.hoa: waits infinitely often and is served finitely often, or is always served from some point
# on. none.hoa has only the second case, which no run satisfies. The checker is chosen by its rank,
# and by its name.
check 10 "$work/some.hoa"
check 10 "$work/some.hoa" --checker rabin
sed -e 's/\[!0 & !1\] 0 {2}/[!0 \& !1] 0 {0 2}/' -e 's/\[0 & !1\] 0 {1 2}/[0 \& !1] 0 {0 2}/' \
    "$work/some.hoa" >"$work/none.hoa"
check 0 "$work/none.hoa"
check 0 "$work/none.hoa" --checker rabin
# Parity acceptance becomes generalized Rabin acceptance with other marks; the referee accepts the
# lasso.
sed -e 's/^Acceptance: .*/Acceptance: 4 Inf(3) | (Fin(0) \& Inf(1))/' "$work/some.hoa" >"$work/parity.hoa"
set -- "$omen" check "$model" --never "$work/parity.hoa" --strong rabin --device none
ends 0 "$@" --plan
expect 'acceptance converted to generalized Rabin: 1 states, 3 edges .only marks change; 2 clauses as Rabin, 1 clause as Streett'
ends 10 "$@" --lasso "$work/lasso.json"
ends 0 "$omen" replay "$model" "$work/lasso.json"
echo "a Rabin automaton was checked as it is, and the lasso refereed"
