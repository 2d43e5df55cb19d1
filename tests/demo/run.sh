#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The demo models have the verdicts that their comments state, with each executor.
# usage: run.sh FOLDER (with $OMEN set)
set -eu
models=$1
# In a sanitized build, the leak checker of gcc 12 crashes if an OpenCL driver runs.
ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0
export ASAN_OPTIONS
failed=0

# device 0, because a CPU is not chosen by default
device="--device 0"
case $("$OMEN" devices) in none:*) device="--device none" ;; esac

# expect VERDICT MODEL OPTIONS...: with the vm, native code and a device if there is one
expect() {
    verdict=$1 model=$2
    shift 2
    for how in "--exec vm --device none" "--exec native --device none" "$device"; do
        # shellcheck disable=SC2086
        out=$("$OMEN" check "$models/$model" "$@" $how 2>&1) || true
        if ! printf '%s\n' "$out" | head -n 4 | grep -q "^property .*: $verdict\$"; then
            echo "FAILED: $model $* $how: not '$verdict' but: $out"
            failed=1
        fi
    done
}

# states N MODEL: with the same kinds of execution
states() {
    for how in "--exec vm --device none" "--exec native --device none" "$device"; do
        # shellcheck disable=SC2086
        out=$("$OMEN" explore "$models/$2" $how 2>&1) || true
        if ! printf '%s\n' "$out" | grep -qx "states: $1"; then
            echo "FAILED: $2 $how: not $1 states but: $out"
            failed=1
        fi
    done
}

states 20 mutex.dve
states 32 starvation.dve
states 98304 ring.dve
# gcc 12.2 -O2 miscompiles this model (core/model/native/native_compile.c describes the workaround).
states 2981 lossy.dve
expect holds mutex.dve
expect holds mutex.dve --ltl 'G !(P_0.critical && P_1.critical)'
expect holds mutex.dve --ltl 'G(P_0.waiting -> F P_0.critical)'
expect violated starvation.dve --ltl 'G(Client_0.waiting -> F Client_0.served)'
expect holds starvation.dve --invariant 'not (Client_0.served and Client_1.served)'
expect holds ring.dve --ltl 'G(Station_0.wants -> F Station_0.sends)'
expect violated lossy.dve --ltl 'GF Receiver.deliver'
expect holds lossy.dve --invariant 'received <= sent and sent <= received + 1'
# A build without expat reads no nets.
if "$OMEN" plugins | grep -q pnml; then
    states 103682 philosophers.pnml
    expect violated philosophers.pnml --deadlock
    expect violated philosophers.pnml --ltl 'G(waitleft0 >= 1 -> F hasleft0 >= 1)'
fi
exit "$failed"
