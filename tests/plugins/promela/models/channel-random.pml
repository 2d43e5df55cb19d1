/* SPDX-License-Identifier: Apache-2.0 */
chan c = [3] of { byte, byte }; byte v; active proctype P() { byte i; do :: i < 3 -> c!i, i; i++ :: i == 3 -> break od } active proctype Q() { do :: c??2, v :: c??1, v :: c??0, v od }
