/* SPDX-License-Identifier: Apache-2.0 */
/* Several claims: each is a property; those without a name are numbered. */
byte x;

active proctype P()
{
	do
	:: x < 3 -> x++
	:: x > 1 -> x = 0
	od
}

never rises {	/* x is 3 some time */
	do
	:: x == 3 -> break
	:: else
	od
}

never {	/* x is 4 some time */
	do
	:: x == 4 -> break
	:: else
	od
}

never stays {	/* x is at last never 3 */
	do
	:: true
	:: x != 3 -> break
	od;
accept:	do
	:: x != 3
	od
}
