/* SPDX-License-Identifier: Apache-2.0 */
chan c = [2] of { pid, byte }; byte x; active proctype S() { byte i; do :: i < 3 -> c!i, i; i++ :: else -> i = 0 od } active [2] proctype R() { byte v; do :: c?eval(_pid), v -> x = v od }
