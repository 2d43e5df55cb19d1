#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs omen into an empty folder, builds a checker for Rabin automata against it alone, and has it
# check: it gets the automaton as it is, and the referee its lasso.
# usage: run.sh CMAKE BUILD-TREE SOURCES CC CFLAGS
set -eu
cmake=$1 build=$2 sources=$3 cc=$4 cflags=${5-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

[ "$(wc -l <"$sources/rabin.c")" -le 150 ] || fail "such a checker takes more than 150 lines"
"$cmake" --install "$build" --prefix "$work/usr" >"$work/install.log"
PKG_CONFIG_PATH=$(dirname "$(find "$work/usr" -name omen.pc)")
export PKG_CONFIG_PATH
mkdir "$work/plugins"
# Lists of words on purpose.
# shellcheck disable=SC2046,SC2086
"$cc" $cflags -std=c11 -Wall -Wextra -Werror -fvisibility=hidden -fPIC -shared "$sources/rabin.c" \
    -o "$work/plugins/rabin.so" $(pkg-config --cflags --libs omen)
OMEN_PLUGIN_PATH=$work/plugins
export OMEN_PLUGIN_PATH
model=$(find "$work/usr" -name starvation.dve)

# check STATUS AUTOMATON [OPTION...]: with the checker, and its lasso again by the referee.
check() {
    wanted=$1 automaton=$2 status=0
    shift 2
    "$work/usr/bin/omen" check "$model" --never "$automaton" "$@" --device none -v \
        --lasso "$work/lasso.json" >"$work/out" 2>&1 || status=$?
    set -- "$wanted" "$automaton"
    [ "$status" -eq "$1" ] || fail "$2: ended with $status: $(cat "$work/out")"
    grep 'rabin on the CPU' "$work/out" >/dev/null || fail "not checked by rabin: $(cat "$work/out")"
    if grep 'acceptance converted' "$work/out"; then fail "the automaton was converted"; fi
    [ "$1" -ne 10 ] || "$work/usr/bin/omen" replay "$model" "$work/lasso.json" >"$work/out" 2>&1 ||
        fail "$2: the lasso is refused: $(cat "$work/out")"
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
# Waits for ever and is never served again; or what is served never waits: none runs so. By its
# rank, and by its name.
check 10 "$work/some.hoa"
check 10 "$work/some.hoa" --checker rabin
sed -e 's/\[!0 & !1\] 0 {2}/[!0 \& !1] 0 {0 2}/' -e 's/\[0 & !1\] 0 {1 2}/[0 \& !1] 0 {0 2}/' \
    "$work/some.hoa" >"$work/none.hoa"
check 0 "$work/none.hoa"
check 0 "$work/none.hoa" --checker rabin
echo "a Rabin automaton was checked as it is, and the lasso refereed"
