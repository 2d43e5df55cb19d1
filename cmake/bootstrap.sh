#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sets omen up on a fresh Debian 12, as root or with sudo; running it again changes nothing.
#   sh cmake/bootstrap.sh demo        installs packages, builds omen, checks models and prints the results
#   sh cmake/bootstrap.sh test        the same, then builds and runs the tests (tests/README.md) in build/test
#   sh cmake/bootstrap.sh packages    installs the packages only
#   sh cmake/bootstrap.sh ci          installs the packages, and those of .ci/run
#   sh cmake/bootstrap.sh slow        installs the packages, and those of tests labelled slow
set -eu
caller=$(pwd -P)
began=$(date +%s)
CDPATH='' cd -P -- "$(dirname -- "$0")/.."

# cmake/README.md says what each is for.
program_packages="gcc libc6-dev cmake ninja-build pkg-config libjansson-dev libexpat1-dev libxxhash-dev libhwloc-dev libncurses-dev opencl-c-headers
    ocl-icd-libopencl1 pocl-opencl-icd"
all_packages="libglpk-dev libcurl4-gnutls-dev libmicrohttpd-dev libsqlite3-dev libseccomp-dev libconfig-dev libgnutls28-dev libjs-d3"
test_packages="libcmocka-dev python3 python3-jsonschema mypy openssl clang libclang-rt-14-dev clang-format clang-tidy oclgrind libclc-14 llvm-spirv-14 spirv-tools gnuplot-nox graphviz chromium chromium-driver tmux mandoc groff-base zsh fish"
ci_packages="ccache"
slow_packages="dpkg-dev file fakeroot lintian debootstrap slurmctld slurmd slurm-client munge"

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
        echo "bootstrap: installing packages needs root or sudo" >&2
        exit 1
    fi
}

# apt_install PACKAGE...: installs packages without those that they only recommend.
apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get install --no-install-recommends "$@"
}

# offered PACKAGE...: prints the packages that this release of Debian has. Tests that need another
# package are skipped.
offered() {
    for package in "$@"; do
        if apt-cache show --no-all-versions "$package" >/dev/null 2>&1; then
            echo "$package"
        else
            echo "== package $package is not available in this release: the parts that need it are skipped" >&2
        fi
    done
}

install_packages() {
    # Word splitting is intended.
    # shellcheck disable=SC2046,SC2086
    set -- $(missing_packages "$@")
    [ $# -eq 0 ] && return
    as_root apt-get update -qq
    # shellcheck disable=SC2046,SC2086
    set -- $(offered "$@")
    [ $# -eq 0 ] && return
    # apt-get answers its own question with no and ends with status 1. It prints
    #   0 upgraded, 98 newly installed, ...
    #   Need to get 161 MB of archives.    or: 3 MB/161 MB, if some have been fetched already
    #   After this operation, 785 MB of additional disk space will be used.
    apt_install --assume-no "$@" 2>/dev/null | sed -n \
        -e 's/^.*upgraded, \([0-9]*\) newly installed.*/\1/p' \
        -e 's/^Need to get \(.*\) of archives.*/\1/p' \
        -e 's/^After this operation, \(.* [kMG]*B\) .*/\1/p' | {
        read -r count && read -r fetched && read -r size &&
            echo "== installing $count packages: $fetched to fetch, $size on disk" ||
            echo "== installing packages"
    }
    echo "   for $*"
    apt_install -y -qq "$@" >/dev/null
}

# build PRESET [TARGET]: on a terminal, ninja shows its progress; in a pipe, one line is printed, or
# the log of a failed build.
build() {
    echo "== building in build/$1"
    cmake --preset "$1" -G Ninja >/dev/null
    if [ -t 1 ]; then
        cmake --build --preset "$1" ${2:+--target "$2"}
        return
    fi
    cmake --build --preset "$1" ${2:+--target "$2"} >"build/$1/build.log" 2>&1 || {
        cat "build/$1/build.log"
        echo "bootstrap: the build failed" >&2
        exit 1
    }
}

# Sets cpu_seconds to the CPU time of all commands so far, in whole seconds. The second line of
# `times` is that of programs that have ended ("1m2.500000s 0m3.25s"). It must run in this shell: a
# subshell has run no commands.
take_cpu_seconds() {
    times >build/release/times
    cpu_seconds=$(sed -n '2s/[ms]/ /gp' build/release/times | awk '{ printf "%d\n", $1 * 60 + $2 + $3 * 60 + $4 }')
}

# Runs the tests; random tests take their seed from the commit if it is known (tests/seed.h).
run_tests() {
    if [ -z "${OMEN_SEED-}" ] && commit=$(git rev-parse --short=7 HEAD 2>/dev/null); then
        OMEN_SEED=$(printf %d "0x$(printf %.7s "$commit")")
        export OMEN_SEED
    fi
    status=0
    ctest --preset test -j 2 --output-junit tests.xml || status=$?
    python3 tests/times.py build/test/tests.xml
    return $status
}

# Prints the words quoted for a shell.
quoted() {
    for word in "$@"; do
        case $word in
        '' | *[!A-Za-z0-9_./:,=+-]*)
            printf " '"
            printf '%s' "$word" | sed "s/'/'\\\\''/g"
            printf "'"
            ;;
        *) printf ' %s' "$word" ;;
        esac
    done
}

# Runs omen; statuses 0 and 10 (violated) are both expected.
show() {
    echo
    echo "\$$(quoted build/release/omen "$@")"
    status=0
    build/release/omen "$@" || status=$?
    [ "$status" -eq 0 ] || [ "$status" -eq 10 ] || {
        echo "bootstrap: omen ended with status $status" >&2
        exit 1
    }
}

here=$(pwd -P)
models=hosts/cli/demo

# enter PROMPT: prints a cd command if the caller is in another folder
enter() {
    [ "$here" = "$caller" ] || echo "$1$(quoted cd "$here")"
}

demo() {
    echo
    enter '$'
    show check "$models/starvation.dve" --ltl 'G(Client_0.waiting -> F Client_0.served)'
    echo
    take_cpu_seconds
    echo "== first verdict after $cpu_seconds s of CPU time"
    show check "$models/mutex.dve" --ltl 'G(P_0.waiting -> F P_0.critical)'
    show check "$models/philosophers.pnml" --deadlock
    split
    beem=../shared/corpus/beem/anderson/anderson.4.dve
    if [ -f "$beem" ]; then
        show explore "$beem"
    else
        echo
        echo "../shared/corpus (published models) not found: skipping its model. See hosts/cli/README.md, Models."
    fi
}

# Shows the main feature of omen: a property whose automaton has a weak and a strong part, checked
# by two engines.
split() {
    if build/release/omen devices | grep -q '(cpu)$'; then
        device=cpu
    else
        device=host
    fi
    cat <<END

== One property, two engines
The automaton of the violating runs has two parts. The plug-in weak-cl searches the weak part breadth-first
in OpenCL kernels on the device. The plug-in ufscc searches the strong part depth-first with several threads,
which share a union-find. Both run at the same time.
(The kernels are compiled once for this model and cached.)
END
    show check "$models/ring.dve" --device "$device" --ltl \
        'G(Station_0.wants -> F Station_0.sends) && (GF Station_6.wants -> GF Station_6.sends)'
}

# Prints what to do after the demo.
farewell() {
    cat <<END

== The program is $here/build/release/omen.
To run it as 'omen' in this shell, or to install it:
   $(quoted export "PATH=$here/build/release:")"\$PATH"
   $(quoted cmake --build "$here/build/release") && $(quoted cmake --install "$here/build/release")    # as root

== What to try next
END
    enter '   '
    cat <<END
    omen check $models/starvation.dve --ltl 'G(Client_0.waiting -> F Client_0.served)' --lasso run.json
    omen replay $models/starvation.dve run.json
    omen explore $models/lossy.dve -v
    omen translate 'G(request -> F grant)'
    omen check --help
The models in $models are short: change one and check it again. hosts/cli/tutorial.md is a longer introduction.

== A counterexample in the browser
    omen check $models/starvation.dve --ltl 'G(Client_0.waiting -> F Client_0.served)' --lasso run.html
    xdg-open run.html    # or firefox, chromium; the file is self-contained
END
}

case "${1-}" in
demo)
    # shellcheck disable=SC2086
    install_packages $program_packages
    build release program
    demo
    farewell
    ;;
test)
    # shellcheck disable=SC2086
    install_packages $program_packages $all_packages $test_packages
    build release program
    demo
    echo
    build test
    echo "== tests"
    run_tests
    echo "== total: $(($(date +%s) - began)) s"
    ;;
packages)
    # shellcheck disable=SC2086
    install_packages $program_packages $all_packages $test_packages
    ;;
ci)
    # shellcheck disable=SC2086
    install_packages $program_packages $all_packages $test_packages $ci_packages
    ;;
slow)
    # shellcheck disable=SC2086
    install_packages $program_packages $all_packages $test_packages $slow_packages
    ;;
*) usage ;;
esac
