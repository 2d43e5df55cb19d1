/* SPDX-License-Identifier: Apache-2.0 */
/* One name in blocks side by side, in one another and in a loop, each with its own value; a block that is entered again begins anew
 * where it says so. */
byte out;
active proctype P() { byte k; { byte x = 2; x = x + k; out = out + x } do :: k < 2 -> k++; { byte x = 3; x = x + k; { byte y; y = x + k;
    out = out + y } out = out + x } :: k == 2 -> break od; { byte x; x++; out = out + x } }
active proctype Q() { byte x = 1; out++; x = out }
