/* SPDX-License-Identifier: Apache-2.0 */
/* Structures in arrays in structures, as messages, field by field. */
typedef In { byte a[2]; bit f } typedef Out { In i[2]; short s } Out o[2]; chan c = [1] of { In, byte };
active proctype P() { byte k; o[1].i[0].a[1] = 3; o[0].i[o[1].i[0].a[1] - 2].f = 1; c!o[1].i[0], 4; o[0].s = -2; c?o[0].i[1], k;
    o[k - 3].s-- }
active proctype Q() { In v; byte w; if :: c?v, w -> v.a[0]++; c!v, w :: o[0].s == -2 -> skip fi }
