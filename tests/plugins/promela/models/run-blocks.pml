/* SPDX-License-Identifier: Apache-2.0 */
byte x; proctype Z() { x == 1; x = 2 } init { atomic { run Z(); run Z(); x = 1 }; x == 2; x = 3 }
