/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of visibility makes no difference to the state. */
show byte x; local byte y; show chan c = [1] of { byte };
active proctype P() { show byte l; l = 3; c!l; y = l; x++ } active proctype Q() { c?x; x++ }
