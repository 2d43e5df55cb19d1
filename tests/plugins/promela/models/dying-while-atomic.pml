/* SPDX-License-Identifier: Apache-2.0 */
byte x; proctype Z() { atomic { x++; x++ } } init { atomic { run Z(); x = 4 } }
