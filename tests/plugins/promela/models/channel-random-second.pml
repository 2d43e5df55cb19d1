/* SPDX-License-Identifier: Apache-2.0 */
/* Of several messages that fit ?? takes the oldest; what does not fit stays in its order. */
chan c = [4] of { byte, byte }; byte x, y;
active proctype P() { c!1, 5; c!2, 6; c!2, 7; c!1, 8 }
active proctype Q() { c??2, x; if :: c??1, y :: c??2, y fi; c??eval(x - 4), y; c?x, y }
