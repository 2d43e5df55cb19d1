#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sets omen up on a fresh Debian 12, as root or with sudo; running it again changes nothing.
#   sh cmake/bootstrap.sh demo    installs packages, builds, checks models and prints what it found
#   sh cmake/bootstrap.sh test    the same, then the tests (tests/README.md) in the same folder, build/release
#   sh cmake/bootstrap.sh packages    the packages alone
#   sh cmake/bootstrap.sh ci          and what .ci/run needs besides
#   sh cmake/bootstrap.sh slow        and those that only tests labelled slow need
set -eu
caller=$(pwd -P)
began=$(date +%s)
CDPATH='' cd -P -- "$(dirname -- "$0")/.."

# What each is for stands in the README.
build_packages="gcc libc6-dev cmake ninja-build pkg-config libjansson-dev libexpat1-dev libglpk-dev libxxhash-dev libhwloc-dev libncurses-dev libcurl4-gnutls-dev opencl-c-headers
    libmicrohttpd-dev libsqlite3-dev libseccomp-dev libconfig-dev libgnutls28-dev libjs-d3"
run_packages="ocl-icd-libopencl1 pocl-opencl-icd"
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

# build PRESET [TARGET]: both presets, release and test, are one folder: what the demo has built, the
# tests find there.
build() {
    echo "== building in build/release"
    cmake --preset "$1" -G Ninja >/dev/null
    cmake --build --preset "$1" ${2:+--target "$2"}
}

# The tests, with numbers that are drawn from the commit where it is known (tests/seed.h).
run_tests() {
    if [ -z "${OMEN_SEED-}" ] && commit=$(git rev-parse --short=7 HEAD 2>/dev/null); then
        OMEN_SEED=$(printf %d "0x$(printf %.7s "$commit")")
        export OMEN_SEED
    fi
    status=0
    ctest --preset test -j 2 --output-junit tests.xml || status=$?
    python3 tests/times.py build/release/tests.xml
    return $status
}

# The words as a shell reads them back.
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

# Runs omen; 0 and 10 (violated) are both answers.
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

# enter PROMPT: what follows is meant from this folder, where the caller may not be
enter() {
    [ "$here" = "$caller" ] || echo "$1$(quoted cd "$here")"
}

demo() {
    echo
    enter '$'
    show check "$models/mutex.dve"
    show check "$models/mutex.dve" --ltl 'G(P_0.waiting -> F P_0.critical)'
    show check "$models/starvation.dve" --ltl 'G(Client_0.waiting -> F Client_0.served)'
    show check "$models/lossy.dve" --ltl 'GF Receiver.deliver'
    show check "$models/philosophers.pnml" --deadlock
    beem=../shared/corpus/beem/anderson/anderson.4.dve
    if [ -f "$beem" ]; then
        show explore "$beem"
        show check "$beem" --ltl 'G(P_0.p2 -> F P_0.CS)'
    else
        echo
        echo "No corpus of published models at ../shared/corpus, so none of them here (README.md: Models to try)."
    fi
}

# What somebody who has seen the demo does next.
farewell() {
    cat <<END

== The program is $here/build/release/omen.
To call it as 'omen' in this shell, or to install it:
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
The models in $models are short: change one and check it again. README.md goes on from there.

== A counterexample in the browser
    omen check $models/starvation.dve --ltl 'G(Client_0.waiting -> F Client_0.served)' --lasso run.html
    xdg-open run.html    # or firefox, chromium: the file needs nothing else
END
}

case "${1-}" in
demo)
    # shellcheck disable=SC2086
    install_packages $build_packages $run_packages
    build release program
    demo
    farewell
    ;;
test)
    # shellcheck disable=SC2086
    install_packages $build_packages $run_packages $test_packages
    build test
    demo
    echo
    echo "== tests"
    run_tests
    echo "== everything took $(($(date +%s) - began)) s"
    ;;
packages)
    # shellcheck disable=SC2086
    install_packages $build_packages $run_packages $test_packages
    ;;
ci)
    # shellcheck disable=SC2086
    install_packages $build_packages $run_packages $test_packages $ci_packages
    ;;
slow)
    # shellcheck disable=SC2086
    install_packages $build_packages $run_packages $test_packages $slow_packages
    ;;
*) usage ;;
esac
