# SPDX-License-Identifier: MIT
# One row of scripts/tables from the lines of json-flat; see there for the variables. A column shows the measured value
# and, behind a slash, the published one.
#
# The distance of a repair from an expected one is the largest number of statements between an end of a block and the end
# of the expected block, if both have equally many blocks. Of repairs that share the first rank, and of several expected
# ones, the nearest two count.

function show(client, v, outcomes, bugs, valid, events, conflicts, total, eliminator, f, repair, marks, proof)
{
	printf "%-9s %-7s %-32s %8s %9s %10s %11s %9s %11s %11s %9s  %-10s %-27s %s\n", v, variant, client, outcomes, bugs, valid, events,
		conflicts, total, eliminator, f, marks, proof, repair
}

function beside(format, measured, column)
{
	return sprintf(format, measured) (column in pub ? "/" pub[column] : "")
}

# Reads the structure: statements[line] of them are in lines 1..line; mark[name] is the line of a mark.
function read_code(line, n, count)
{
	code = root "/structures/" structure "/" structure ".c"
	while ((getline line <code) > 0) {
		n++
		if (match(line, /\/\* @[a-z]+\.[a-z]+ \*\//))
			mark[substr(line, RSTART + 3, RLENGTH - 6)] = n
		sub(/\/\*.*/, "", line)
		if (line ~ /^[ \t]/ && line !~ /^[ \t]+\*/ && line ~ /;|[ \t](if|while|for) \(/)
			count++
		statements[n] = count + 0
	}
	if (!n)
		print "tables: cannot read " code >"/dev/stderr"
}

function apart(a, b)
{
	return a > b ? statements[a] - statements[b] : statements[b] - statements[a]
}

# The distance of repair r from the expected blocks "@a..@b @c..@d".
function distance(r, text, n, want, i, j, file, ends, d, least, most)
{
	n = split(text, want, " ")
	if (n != value["repairs." r ".blocks.length"])
		return 999
	for (j = 0; j < n; j++) {
		file = value["repairs." r ".blocks." j ".file"]
		sub(/.*\//, "", file)
		if (file != structure ".c")
			return 999
	}
	most = 0
	for (i = 1; i <= n; i++) {
		split(want[i], ends, /\.\./)
		if (!(ends[1] in mark) || !(ends[2] in mark)) {
			print "tables: no marks " want[i] " in " code >"/dev/stderr"
			return 999
		}
		least = 999
		for (j = 0; j < n; j++) {
			d = apart(mark[ends[1]], value["repairs." r ".blocks." j ".first"])
			if (apart(mark[ends[2]], value["repairs." r ".blocks." j ".last"]) > d)
				d = apart(mark[ends[2]], value["repairs." r ".blocks." j ".last"])
			if (d < least)
				least = d
		}
		if (least > most)
			most = least
	}
	return most
}

function describe(r, n, i, key, text)
{
	n = value["repairs." r ".blocks.length"]
	for (i = 0; i < n; i++) {
		key = "repairs." r ".blocks." i "."
		text = text (i ? " + " : "") value[key "function"] " " value[key "first"] "-" value[key "last"]
	}
	return text
}

# What came of exploring with repair r in force, and in how many rounds it was found.
function proof(r, key, result)
{
	key = "repairs." r ".verified."
	result = value[key "atomic"]
	print result >proof_file
	if (result == "bounded")
		return sprintf("in %d, %.2f", value[key "atomic_classes"], value[key "atomic_seconds"])
	if (result != "true")
		return value["repairs.length"] ? "no" : "-"
	return sprintf("%d, %.2f, %d", value[key "atomic_classes"], value[key "atomic_seconds"], value["rounds"])
}

BEGIN {
	if (header) {
		variant = "variant"
		show("client", "", "outcomes", "bugs", "valid", "events", "conflicts", "seconds", "eliminator", "f",
			"first-ranked repair", "distance", "proven (classes, s, rounds)")
		exit
	}
}

{ value[$1] = $2 }

END {
	if (header)
		exit
	read_code()
	# The longer rows begin with two numbers of outcomes.
	n = split(published, column, " ")
	split("bugs valid events conflicts total eliminator", key, " ")
	for (i = 6; i >= 1 && n >= 6; i--)
		pub[key[i]] = column[n - 6 + i]
	nexpected = split(expected, want, ";")
	nearest = 999
	best = 0
	for (r = 0; r < value["repairs.length"] && value["repairs." r ".disabled"] == value["repairs.0.disabled"]; r++) {
		for (i = 1; i <= nexpected; i++) {
			blocks = want[i]
			sub(/^[^ ]+ /, "", blocks)
			d = distance(r, blocks)
			if (d < nearest) {
				nearest = d
				best = r
				pub["f"] = want[i] + 0
			}
		}
	}
	print nearest >distance_file
	if (!of)
		noutcomes = of = bugs = valid = "-"
	else
		valid = value["classes"] - bugs
	show(client, name, noutcomes "/" of, beside("%s", bugs, "bugs"), beside("%s", valid, "valid"),
		beside("%.1f", value["average_events"], "events"),
		beside("%.1f", value["average_conflicts"], "conflicts"),
		beside("%.3f", value["seconds"], "total"),
		beside("%.3f", value["eliminator_seconds"], "eliminator"),
		value["repairs.length"] ? beside("%d", value["repairs." best ".disabled"], "f") : "-",
		value["repairs.length"] ? describe(best) : "none",
		nearest == 999 ? "other" : nearest == 0 ? "exact" : nearest, proof(best))
}
