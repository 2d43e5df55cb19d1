#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program under oclgrind's search for data races and invalid accesses; any report fails.
# oclgrind is used as a driver (ICD), since its wrapper cannot reach a library opened by dlopen().
set -eu
driver=
for folder in /usr/lib/oclgrind /usr/local/lib /usr/lib; do
    [ -e "$folder/liboclgrind-rt-icd.so" ] && driver=$folder/liboclgrind-rt-icd.so && break
done
if [ -z "$driver" ]; then
    echo "skipped: oclgrind is not installed"
    exit 77
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
OCL_ICD_VENDORS=$driver OCLGRIND_DATA_RACES=1 OCLGRIND_LOG=$log "$@"
if [ -s "$log" ]; then
    head -n 60 "$log"
    echo "oclgrind found something wrong"
    exit 1
fi
