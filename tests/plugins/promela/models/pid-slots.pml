/* SPDX-License-Identifier: Apache-2.0 */
byte x; proctype Z(byte k) { x = k } init { byte p; p = run Z(1); x = p; p = run Z(2); x = p }
