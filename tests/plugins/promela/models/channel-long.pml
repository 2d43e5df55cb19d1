/* A channel with room for more than 255 messages, and the number of those in it. */
chan q = [300] of { byte };
byte n;
active proctype P() { do :: len(q) < 300 -> q ! 1 :: else -> break od; assert(len(q) >= 299) }
active proctype Q() { full(q) -> q ? n; assert(len(q) <= 300) }
