/* SPDX-License-Identifier: Apache-2.0 */
/* Types of names of their own, in arrays, messages, structures and conditions. */
mtype = { one, two }; mtype:fruit = { apple, pear, fig }; typedef S { mtype:fruit f; mtype m }
mtype m; mtype:fruit f[2]; S s; chan c = [1] of { mtype:fruit, mtype };
active proctype P() { f[0] = fig; s.f = pear; s.m = two; c!f[0], s.m; if :: m == one :: s.f == pear -> m = one fi; f[1] = apple;
    c!pear, one }
active proctype Q() { c?fig, m; c?f[1], eval(m); printm(f[1]) }
