/* SPDX-License-Identifier: Apache-2.0 */
/* What a sorted send compares is not yet cut to the field's width; what is stored is. */
chan c = [4] of { byte, short }; byte x; short y; int big = 258;
active proctype P() { c!!3, 1; c!!big, 2; c!!1, 70000; c!!1, 9; c!!-1, 0; c?x, y; c?x, y; c?x, y; c?x, y }
active proctype Q() { byte v; short w; if :: c?v, w -> c!!v, w :: skip fi; c?v, w }
