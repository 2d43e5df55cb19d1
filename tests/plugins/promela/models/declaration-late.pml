/* SPDX-License-Identifier: Apache-2.0 */
byte r; active proctype P() { byte z = 3; { byte k = 5; k++; r = k }; byte m = 4; m++; byte w = 2, v; w++; byte b[2]; b[1] = w; r = b[1] }
