/* SPDX-License-Identifier: Apache-2.0 */
/* Assertions over channels, over others' places and within atomic sequences; one fails late. */
chan c = [2] of { byte }; byte x;
active proctype P() { assert(empty(c)); c!3; assert(len(c) < 3 && (c?[3] || x)); atomic { x++; assert(x > 0); L: c!4 }
    assert(x < 3 || len(c) == 0) }
active proctype Q() { assert(!P@L || x); c?_; x++; c?_; x++; assert(nempty(c) || x == 3) }
