#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program with oclgrind as an additional device, which searches for data races and invalid
# accesses. Any report is a failure.
#   oclgrind.sh [--planted] PROGRAM [ARGUMENT...]
# The device's number is in OMEN_TEST_DEVICE. oclgrind is used as a driver (ICD), because its
# wrapper cannot reach a library opened by dlopen(). --planted: the kernels mix plain and atomic
# accesses to a word, and a run that does not report this fails.
set -eu
planted=
[ "$1" != --planted ] || { planted=yes && shift; }
driver=
for folder in /usr/lib/oclgrind /usr/local/lib /usr/lib; do
    [ -e "$folder/liboclgrind-rt-icd.so" ] && driver=$folder/liboclgrind-rt-icd.so && break
done
if [ -z "$driver" ]; then
    echo "skipped: oclgrind is not installed"
    exit 77
fi
own=$(mktemp -d)
reader=
cleaned() {
    [ -z "$reader" ] || kill "$reader" 2>/dev/null || true
    rm -rf "$own"
}
trap cleaned EXIT

mkdir "$own/vendors"
cp /etc/OpenCL/vendors/*.icd "$own/vendors" 2>/dev/null || true
echo "$driver" >"$own/vendors/oclgrind.icd"
export OCL_ICD_VENDORS="$own/vendors/"
number=$("$OMEN" devices | sed -n 's/^\([0-9]*\): Oclgrind .*/\1/p')
if [ -z "$number" ]; then
    echo "oclgrind is not among the devices:"
    "$OMEN" devices
    exit 1
fi
export OMEN_TEST_DEVICE="$number"

# Each process that opens the driver truncates a log file; a pipe keeps earlier output.
mkfifo "$own/log"
exec 9<>"$own/log"
cat <&9 >"$own/reports" &
reader=$!
export OCLGRIND_LOG="$own/log" OCLGRIND_DATA_RACES=1
if [ -n "$planted" ]; then # see LOAD64 in om_kernel.h; compiled programs are cached by source
    export OCLGRIND_BUILD_OPTIONS=-UOM_OCLGRIND XDG_CACHE_HOME="$own/cache"
    mkdir "$own/cache"
fi
status=0
"$@" 9>&- || status=$?

# When this line has been read, all earlier output has been read.
echo "end of reports" >&9
while ! grep -q "^end of reports" "$own/reports"; do
    sleep 0.1
done
grep -v "^end of reports" "$own/reports" >"$own/found" || true
if [ -n "$planted" ]; then
    grep -q "data race at global memory" "$own/found" && grep -m 1 -A 12 "data race at" "$own/found" && exit 0
    echo "a race was planted, and oclgrind found none; status $status"
    exit 1
fi
if [ -s "$own/found" ]; then
    head -n 60 "$own/found"
    echo "oclgrind found something wrong"
    exit 1
fi
exit "$status"
