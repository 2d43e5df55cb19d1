/* Polls and receives that leave the message are no events. */
chan q = [2] of { byte };
active proctype P() { q!1; q!2 }
active proctype Q() { byte y; q?[1]; q?<y>; q?y; q??<2>; q?2 }
trace { q?1; q?2 }
