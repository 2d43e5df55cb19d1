/* SPDX-License-Identifier: Apache-2.0 */
/* Fields that a channel has not are 0 to a receive, and an error once it is done. */
chan c = [1] of { byte };
byte x, y;
active proctype P() { c!1; if :: c?2, y :: c?x, 3 :: y = 1 fi; c?x, 0 }
