#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs omen into an empty folder, builds a checker and the broken plug-ins against it alone, and
# checks what the installed program says about them.
# usage: run.sh CMAKE BUILD-TREE SOURCES CC CFLAGS
# shellcheck source=tests/plugins/outside.sh
. "$(dirname "$0")/../outside.sh"

make_plugin toy "$sources/toy.c"
make_plugin magic -DBROKEN=1 "$sources/broken.c"
make_plugin abi -DBROKEN=2 "$sources/broken.c"
make_plugin short -DBROKEN=3 "$sources/broken.c"
make_plugin slot -DBROKEN=4 "$sources/broken.c"
make_plugin symbol -DBROKEN=5 "$sources/broken.c"
echo 'int main(void) { return 0; }' >"$work/plugins/text.so"

ends 0 "$omen" plugins
# Joins the lines of an entry.
sed -e ':a' -e 'N' -e '$!ba' -e 's/\n  */ /g' "$work/out" >"$work/joined"
mv "$work/joined" "$work/out"
expect 'toy.*breadth-first'
expect 'magic\.so.*wrong magic 0xdeadbeef'
expect 'abi\.so.*built for ABI 1\.3, this is 1\.2'
expect 'short\.so.*descriptor'
expect "slot\.so.*mandatory entry 'work' is missing"
expect 'symbol\.so.*om_no_such_function'
expect 'text\.so.*cannot be opened'
expect 'dijkstra'

# The guide for plug-ins shows the toy's own code, and its commands work.
readme="$sources/../../../core/include/omen/plugin/README.md"
# section N: the N-th block of code
section() {
    awk -v want="$1" '/^```/{inside = !inside; n += inside; next} inside && n == want' "$readme"
}
model=$(find "$prefix" -name mutex.dve)
section 2 >"$work/heart.c"
[ "$(wc -l <"$work/heart.c")" -gt 10 ] || fail "the guide shows no code"
awk '/^static int search/{on = 1} on {print} /^}/{on = 0}' "$sources/toy.c" | diff - "$work/heart.c" ||
    fail "the guide shows other code than toy.c has"
mkdir "$work/readme"
cp "$sources/toy.c" "$model" "$work/readme"
section 1 >"$work/readme/commands"
status=0
(cd "$work/readme" && PATH="$prefix/bin:$PATH" sh -eu ./commands) >"$work/out" 2>&1 || status=$?
[ "$status" -eq 10 ] || fail "the guide's commands ended with $status: $(cat "$work/out")"
expect '^property G !P_0.critical: violated'

# A plug-in beside the library, but not in its plug-in folder, is not loaded.
libdir=$(dirname "$PKG_CONFIG_PATH")
mkdir "$libdir/plugins"
cp "$work/plugins/toy.so" "$libdir/plugins/stranger.so"
ends 0 env OMEN_PLUGIN_PATH= "$omen" plugins
expect "lib.*/omen/plugins/dijkstra.so"
if grep -E 'toy|stranger' "$work/out"; then
    fail "plug-ins were taken from $libdir/plugins"
fi

# Root loads a plug-in only if it belongs to root, or to the owner of the library, who could have
# replaced the library as well.
if [ "$(id -u)" -eq 0 ]; then
    own=$libdir/omen/plugins/dijkstra.so
    chown 65534 "$own"
    ends 0 env OMEN_PLUGIN_PATH= "$omen" plugins
    if grep '^checker dijkstra' "$work/out"; then
        fail "root took a plug-in of another user"
    fi
    expect 'is not loaded by root: .*dijkstra.so belongs to another user'
    chown -R 65534 "$prefix"
    ends 0 env OMEN_PLUGIN_PATH= "$omen" plugins
    expect '^checker dijkstra'
    chown -R 0 "$prefix"
fi

# The same with find_package(), and a program: the installed version is accepted, a later one is
# refused.
outside() {
    cat >"$work/outside/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES C)
find_package(omen $1 REQUIRED)
omen_add_plugin(found "$sources/toy.c")
add_executable(version version.c)
target_link_libraries(version PRIVATE omen::omen)
file(WRITE "\${CMAKE_BINARY_DIR}/folder" "\${omen_PLUGIN_FOLDER}")
END
    "$cmake" -G Ninja -S "$work/outside" -B "$work/outside/build" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$cflags" >"$work/out" 2>&1
}
mkdir "$work/outside"
cat >"$work/outside/version.c" <<'END'
#include <omen/host/omen.h>
#include <stdio.h>
int main(void)
{
    return puts(om_version()) < 0;
}
END
if outside 99.0; then
    fail "find_package(omen 99.0) found $prefix"
fi
expect "omenConfig.cmake, version: [0-9]"
version=$("$omen" --version | cut -d ' ' -f 2)
outside "$version" || fail "find_package(omen): $(cat "$work/out")"
"$cmake" --build "$work/outside/build" >"$work/out" 2>&1 || fail "an outside project: $(cat "$work/out")"
[ "$("$work/outside/build/version")" = "$version" ] || fail "an outside program has another version"
[ "$(cat "$work/outside/build/folder")" = "$libdir/omen/plugins" ] || fail "omen_PLUGIN_FOLDER is wrong"
ends 0 env OMEN_PLUGIN_PATH="$work/outside/build" "$omen" plugins
expect '/outside/build/found\.so'

# The working plug-ins are not affected: the toy finds the violation of an invariant.
ends 10 "$omen" check "$model" --ltl 'G !(P_0.critical)' --terminal toy:verbose=1 --device none
expect 'violated'

# OpenCL drivers that abort the process are detected before they can do so.
probe=$(find "$prefix" -name omen-probe-opencl)
[ -x "$probe" ] || fail "omen-probe-opencl is not installed"
printf '#!/bin/sh\nkill -ABRT $$\n' >"$probe"
ends 0 "$omen" check "$model"
expect '^property both_inside: holds'
if ldconfig -p | grep -q libOpenCL.so.1; then
    ends 0 "$omen" devices
    expect '^none: its drivers end the process'
    ends 2 "$omen" check "$model" --device cpu
    expect "no OpenCL device 'cpu': its drivers end the process"
fi
echo "toy taken, six broken plug-ins refused, drivers that end the process left alone"
