/* SPDX-License-Identifier: Apache-2.0 */
chan c = [1] of { byte }; byte x; active proctype P() { do :: x < 4 -> c!x; x++ :: else -> break od } active proctype Q() { do :: nempty(c) -> c?_ :: empty(c) -> skip od }
