/* SPDX-License-Identifier: Apache-2.0 */
byte x; proctype Z(byte k) { x = x + k } init { if :: run Z(1) :: run Z(1); run Z(2) fi; x++ }
