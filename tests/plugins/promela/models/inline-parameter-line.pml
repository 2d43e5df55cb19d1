/* SPDX-License-Identifier: Apache-2.0 */
/* A parameter that begins a line of an inline begins a statement. */
byte x, y, a[2];
inline set(v, w) {
    y = 1
    v = w
    y = v
    w = 2
}
active proctype P() { set(x, y) set(a[0], x) set(a[x - 2], y) }
active proctype Q() { (y == 1) -> x = 2; y = 0 }
