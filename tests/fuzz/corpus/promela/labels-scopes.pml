/* Labels of one name in several blocks, and of an inline that is used twice and nested. */
byte x, y;
inline twice(v) { skip; again: v++; if :: v < 3 -> goto again :: v == 3 -> goto out :: v == 5 -> goto again fi; out: skip }
active proctype P()
{
	twice(x);
	{ skip; L: x--; if :: x > 0 -> goto L :: x == 1 -> goto M fi; skip };
	{ skip; L: y++; { if :: y < 2 -> goto L :: y > 1 -> goto M fi } };
	M: twice(y);
	{ twice(x); again: x = 7 };
	if :: y == 3 -> goto again :: y > 3 fi
}
