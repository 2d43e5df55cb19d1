/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted by all fields, the first one first; equal messages behind those that are there. */
mtype = { b, a }; chan c = [4] of { mtype, byte, bit }; byte out;
active proctype P() { c!!a, 2, 1; c!!b, 2, 0; c!!a, 2, 0; c!!a, 1, 1; mtype m; byte v; bit w; do
    :: c?m, v, w -> out = out * 3 + v + w + m :: empty(c) -> break od }
active proctype Q() { byte v; bit w; c??a, v, w; out = v; c!!a(v, w) }
