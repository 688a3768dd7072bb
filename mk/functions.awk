# SPDX-License-Identifier: MIT
# Writes docs/functions.md from the lines of interpose/functions.list.in.

BEGIN {
	print "# Functions of libc, one by one\n"
	print "What happens when the program calls a function of libc in an execution. This page is made from"
	print "`interpose/functions.def` by `make docs-functions`.\n"
	print "| state | what it means |"
	print "|---|---|"
	print "| scheduled | a step of the search, or a note in the log; the scheduler chooses who goes on |"
	print "| served | the runtime does it in place of libc, or undoes it at the end of the execution |"
	print "| access | when the program's code calls it (instrumented, or compiled with hooks), what it reads and writes" \
	      " are accesses to ranges |"
	print "| named | libc does it, unseen; if another thread uses the memory at the same time, `limit:` names the" \
	      " function, and the search is not complete |"
	print "| harmless | libc does it, and that is right |"
	print "| refused | ends the run with a message |"
	print "| **partly** | one of the above, but wrong in the cases named, and nothing says so |"
	print "| **wrong** | the program gets a wrong result or a schedule is missed, and nothing says so |"
	print "| **blocks** | libc does it, and it waits for real: if it is for what another thread would do, the execution ends" \
	      " there, which is a limit |"
	print "| **unseen** | libc does it, and what it reads and writes of the program's memory is not seen |"
	print "| **unchecked** | nobody has looked |"
	print "\nWhat is in bold is work to be done. A function that is not named here goes to libc; those of its headers that are" \
	      "\ngiven memory are all here. Memory that scheduled and served functions are given is looked at as that of named ones" \
	      "\n(`interpose/functions/served.def`)."
	open["PARTLY"] = open["WRONG"] = open["BLOCKS"] = open["UNSEEN"] = open["UNCHECKED"] = 1
}

{
	gsub(/" "/, "")
}

/^section/ {
	sub(/^section "/, "")
	sub(/"$/, "")
	printf "\n## %s\n\n| function | state | |\n|---|---|---|\n", $0
	next
}

{
	names = note = $0
	sub(/^[^(]*\(/, "", names)
	sub(/\).*/, "", names)
	gsub(/[a-zA-Z0-9_]+/, "`&`", names)
	sub(/^[^"]*"/, "", note)
	sub(/"$/, "", note)
	gsub(/\|/, "\\|", note)
	state = tolower($2)
	printf "| %s | %s | %s |\n", names, $2 in open ? "**" state "**" : state, note
}
