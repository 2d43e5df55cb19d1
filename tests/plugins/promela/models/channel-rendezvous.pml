/* SPDX-License-Identifier: Apache-2.0 */
chan c = [0] of { byte, byte }; byte x; active [2] proctype P() { c!_pid, 1; c!3, 2 } active [2] proctype Q() { byte v, w; do :: c?v, 1 -> x = v :: c?3, w -> x = w od }
