/* SPDX-License-Identifier: Apache-2.0 */
byte n, p; proctype Z() { p = _pid; n++ } init { do :: n < 3 && _nr_pr < 4 -> run Z() :: n >= 3 -> break od }
