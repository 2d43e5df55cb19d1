/* SPDX-License-Identifier: Apache-2.0 */
/* The variable is not yet a channel. */
chan q = [1] of { byte };
active proctype A() { chan c; xs c; c = q; c!1 }
