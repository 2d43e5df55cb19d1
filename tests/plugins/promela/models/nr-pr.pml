/* SPDX-License-Identifier: Apache-2.0 */
byte x; proctype Z() { x = _nr_pr } init { x = _nr_pr; run Z(); run Z(); x = _nr_pr }
