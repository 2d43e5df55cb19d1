/* SPDX-License-Identifier: Apache-2.0 */
/* A receive of fewer fields than the channel has is an error where the message is one that fits. */
chan c = [2] of { byte, byte };
byte x, y;
active proctype P() { if :: c?x :: c!1, 2 fi; if :: c?2 :: c??3 :: skip fi; c!3, 4; if :: c?_, 5 :: c??[3] -> skip fi; if :: y = 1 :: c??3 fi }
