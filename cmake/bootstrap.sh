#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sets omen up on a fresh Debian 12, as root or with sudo; running it again changes nothing.
#   sh cmake/bootstrap.sh demo    installs packages, builds, checks models and prints what it found
#   sh cmake/bootstrap.sh test    the same set-up, then every test but those labelled slow
#   sh cmake/bootstrap.sh packages    the packages alone
#   sh cmake/bootstrap.sh slow        and those that only tests labelled slow need
set -eu
caller=$(pwd -P)
CDPATH='' cd -P -- "$(dirname -- "$0")/.."

# What each is for stands in the README.
build_packages="gcc libc6-dev cmake ninja-build pkg-config libjansson-dev libexpat1-dev libglpk-dev libxxhash-dev libhwloc-dev libncurses-dev libcurl4-gnutls-dev opencl-c-headers
    libmicrohttpd-dev libsqlite3-dev libseccomp-dev libconfig-dev libgnutls28-dev libjs-d3"
run_packages="ocl-icd-libopencl1 pocl-opencl-icd"
test_packages="libcmocka-dev python3 python3-jsonschema mypy openssl clang clang-format clang-tidy oclgrind libclc-14 llvm-spirv-14 spirv-tools gnuplot-nox graphviz chromium chromium-driver tmux mandoc groff-base zsh fish"
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

# build PRESET: each has a folder of its own under build/
build() {
    echo "== building in build/$1"
    cmake --preset "$1" -G Ninja >/dev/null
    cmake --build --preset "$1"
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
   $(quoted cmake --install "$here/build/release")    # as root

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
    build release
    demo
    farewell
    ;;
test)
    # shellcheck disable=SC2086
    install_packages $build_packages $run_packages $test_packages
    build release
    demo
    build test
    echo
    echo "== tests"
    ctest --preset test -j 2
    ;;
packages)
    # shellcheck disable=SC2086
    install_packages $build_packages $run_packages $test_packages
    ;;
slow)
    # shellcheck disable=SC2086
    install_packages $build_packages $run_packages $test_packages $slow_packages
    ;;
*) usage ;;
esac
