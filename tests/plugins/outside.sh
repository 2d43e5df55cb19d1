# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034
# Sourced with the arguments CMAKE BUILD-TREE SOURCES CC CFLAGS: installs omen into an empty folder,
# $prefix, and builds plug-ins against it alone, as a third party would.
set -eu
cmake=$1 build=$2 sources=$3 cc=$4 cflags=${5-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

prefix=$work/usr
# An installation may be moved.
"$cmake" --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$prefix"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name omen.pc)")
export PKG_CONFIG_PATH
flags=$(pkg-config --cflags --libs omen)
omen=$prefix/bin/omen
OMEN_PLUGIN_PATH=$work/plugins
export OMEN_PLUGIN_PATH
mkdir "$OMEN_PLUGIN_PATH"

# make_plugin NAME ARGUMENT...: the flags are split into words on purpose.
# shellcheck disable=SC2086
make_plugin() {
    name=$1
    shift
    "$cc" $cflags -std=c11 -Wall -Wextra -Werror -fvisibility=hidden -fPIC -shared "$@" \
        -o "$OMEN_PLUGIN_PATH/$name.so" $flags
}

# at_most LINES FILE
at_most() { [ "$(wc -l <"$2")" -le "$1" ] || fail "$2 takes more than $1 lines"; }

# ends STATUS COMMAND...: the output is in $work/out.
ends() {
    wanted=$1 status=0
    shift
    "$@" >"$work/out" 2>&1 || status=$?
    [ "$status" -eq "$wanted" ] || fail "$* ended with $status: $(cat "$work/out")"
}
# expect PATTERN: a line of the output must match.
expect() {
    grep -E -- "$1" "$work/out" >/dev/null || fail "nothing like '$1' in: $(cat "$work/out")"
}
