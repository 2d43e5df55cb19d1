/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a comment where none was begun, as when one /* stood within another. */ */
byte x, y = 2;
active proctype P() { x = 1; */ x = x + y; /* more /* and more */ */ y = x */* times */ 2 }
