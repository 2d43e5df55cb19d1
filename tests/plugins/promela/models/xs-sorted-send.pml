/* SPDX-License-Identifier: Apache-2.0 */
/* Of its own channel it is no error. */
chan q = [2] of { byte };
active proctype A() { xs q; q!!2; q!!1 }
active proctype B() { q?_; q?_ }
