#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sets omen up on a fresh Debian 12, as root or with sudo; running it again changes nothing.
#   sh cmake/bootstrap.sh demo    installs packages, builds, checks models and prints what it found
#   sh cmake/bootstrap.sh test    the same set-up, then every test but those labelled slow
#   sh cmake/bootstrap.sh packages    the packages alone
set -eu
cd "$(dirname "$0")/.."

# What each is for stands in the README.
build_packages="gcc libc6-dev cmake ninja-build pkg-config libjansson-dev libxxhash-dev libhwloc-dev opencl-c-headers"
run_packages="ocl-icd-libopencl1 pocl-opencl-icd"
test_packages="libcmocka-dev python3 clang clang-format clang-tidy oclgrind"

usage() {
    sed -n 's/^#   //p' "$0" >&2
    exit 2
}

missing_packages() {
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
            echo "$package"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "bootstrap: needs root or sudo to install packages" >&2
        exit 1
    fi
}

install_packages() {
    # Lists of words on purpose.
    # shellcheck disable=SC2046,SC2086
    set -- $(missing_packages "$@")
    [ $# -eq 0 ] && return
    echo "== installing $*"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# build ON|OFF: with the tests or without
build() {
    echo "== building"
    cmake --preset release -G Ninja -DBUILD_TESTING="$1" >/dev/null
    cmake --build --preset release
}

# Runs omen; 0 and 10 (violated) are both answers.
show() {
    echo
    echo "\$ omen $*"
    status=0
    build/release/omen "$@" || status=$?
    [ "$status" -eq 0 ] || [ "$status" -eq 10 ] || {
        echo "bootstrap: omen ended with status $status" >&2
        exit 1
    }
}

demo() {
    models=hosts/cli/demo
    show check "$models/mutex.dve"
    show check "$models/mutex.dve" --ltl 'G(P_0.waiting -> F P_0.critical)'
    show check "$models/starvation.dve" --ltl 'G(Client_0.waiting -> F Client_0.served)'
    show check "$models/lossy.dve" --ltl 'GF Receiver.deliver'
    beem=../shared/corpus/beem/anderson/anderson.4.dve
    if [ -f "$beem" ]; then
        show explore "$beem"
        show check "$beem" --ltl 'G(P_0.p2 -> F P_0.CS)'
    else
        echo
        echo "The BEEM corpus is not at ../shared/corpus: its model is left out."
    fi
}

case "${1-}" in
demo)
    # shellcheck disable=SC2086
    install_packages $build_packages $run_packages
    build OFF
    demo
    ;;
test)
    # shellcheck disable=SC2086
    install_packages $build_packages $run_packages $test_packages
    build ON
    demo
    echo
    echo "== tests"
    ctest --preset release -j 2
    ;;
packages)
    # shellcheck disable=SC2086
    install_packages $build_packages $run_packages $test_packages
    ;;
*) usage ;;
esac
