/* SPDX-License-Identifier: Apache-2.0 */
/* A process claims the channel that its variable names when the process begins, and no other one. */
chan a = [1] of { byte };
chan b = [1] of { byte };
chan d = [1] of { byte };
active proctype A() { chan c = a; xs c; c = b; c!1 }
proctype C(chan c) { xs c; c = d; c!3; c!4 }
active proctype B() { byte x; b?x; run C(b); d?x; d!5; d?x }
