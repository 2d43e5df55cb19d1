/* SPDX-License-Identifier: Apache-2.0 */
mtype = { a, b, c }; mtype = { d }; mtype m = b; byte v; active proctype P() { v = a; assert(v == 3); m = d; v = m; assert(v == 4); m = c; v = m; assert(v == 1) }
