# SPDX-License-Identifier: MIT
#
# awk -f large.awk: 400 C functions with loops, branches, calls, a switch and floating point, none like another. The
# program made of eight times these (mk/bench.mk) runs next to none of them: what it costs is to be instrumented.
BEGIN {
	n = 400
	print "struct node { struct node *next; long key, count; double weight; char name[16]; };"
	print "long steps[64];"
	for (i = 0; i < n; i++)
		printf "long f%d(struct node *list, long key);\n", i
	for (i = 0; i < n; i++) {
		a = i * 7919 % 1009
		b = i * 104729 % 997
		printf "long f%d(struct node *list, long key)\n{\n\tlong sum = %d;\n\n", i, a
		printf "\tfor (struct node *p = list; p; p = p->next) {\n"
		printf "\t\tif (p->key == key + %d) {\n\t\t\tp->count += %d;\n\t\t\tp->weight *= %d.5;\n", b, a, i % 10
		printf "\t\t\tsteps[%d]++;\n\t\t} else if (p->key > %d) {\n", i % 64, a * b
		printf "\t\t\tp->name[key & 15] = (char)(%d + sum);\n\t\t\tsum ^= f%d(p->next, key ^ %d);\n\t\t}\n\t}\n", b, (i + a) % n, b
		printf "\tswitch (key & 7) {\n"
		for (k = 0; k < 7; k++)
			printf "\tcase %d:\n\t\tsteps[%d] %s= sum + %d;\n\t\t%s\n", k, (a + k * i) % 64, substr("+-^|&", (i + k) % 5 + 1, 1), b * k, (i + k) % 3 ? "break;" : "/* fall through */"
		printf "\tdefault:\n\t\tsum += steps[%d] * %d;\n\t}\n", b % 64, a
		printf "\treturn sum + (list ? (long)list->weight : f%d(list, %d));\n}\n\n", (i + b) % n, a
	}
}
