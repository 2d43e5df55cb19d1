/* SPDX-License-Identifier: Apache-2.0 */
chan c = [0] of { byte }; byte x; active proctype P() { do :: c!1 :: timeout -> x = 1; break od } active proctype Q() { byte i; do :: i < 2 -> c?_; i++ :: i == 2 -> break od }
