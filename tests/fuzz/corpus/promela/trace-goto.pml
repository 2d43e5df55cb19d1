chan q = [3] of { byte }; chan r = [1] of { byte };
active proctype P() { q!1; q!2; q!1; r!1; q!2 }
active proctype Q() { byte y; do :: q?y; :: r?y :: timeout -> break od }
trace {
A: if :: q!1; goto B :: r!1; goto A fi;
B: if :: q!2 -> goto end :: r!1 fi;
end: if :: q!1; goto B :: q!2 :: r!1; goto A fi
}
