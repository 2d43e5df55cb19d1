/* SPDX-License-Identifier: Apache-2.0 */
/* A channel out of a message. */
chan q = [1] of { byte }; chan m = [1] of { chan };
active proctype A() { xs q; m!q }
active proctype B() { chan c; m?c; c!1 }
