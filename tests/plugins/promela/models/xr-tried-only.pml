/* SPDX-License-Identifier: Apache-2.0 */
/* Who tries to receive, and cannot, is an error, too. */
chan q = [1] of { byte }; chan r = [1] of { byte };
active proctype A() { xr q; r?_; q?_ }
active proctype B() { q?_ }
