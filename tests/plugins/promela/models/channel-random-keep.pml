/* SPDX-License-Identifier: Apache-2.0 */
chan c = [3] of { byte, byte }; byte v; active proctype P() { c!1, 5; c!2, 6; c!2, 7 } active proctype Q() { c??<2, v>; assert(v == 6); c??2, v; c??2, v; assert(v == 7) }
