# SPDX-License-Identifier: GPL-2.0
#
# Turn the driver's chip_registers.h into what hfisim needs of it:
#
#   awk -f genregs.awk chip_registers.h		a header with one #define for
#						each address, shift and mask
#   awk -v names=1 -f genregs.awk chip_registers.h	lines { address, "NAME" },
#						sorted by sort(1) afterwards
#
# An address there is "(BASE + 0xOFFSET)", where BASE is defined the same way
# earlier in the file. Everything is computed here, so that the output does
# not depend on the order or the presence of the bases.

function hex(text,    value, i)
{
	value = 0
	text = tolower(text)
	sub(/^0x/, "", text)
	for (i = 1; i <= length(text); i++)
		value = value * 16 + index("0123456789abcdef",
					   substr(text, i, 1)) - 1
	return value
}

function define(name, value)
{
	if (!names)
		printf "#define %s %s\n", name, value
	defined++
}

BEGIN {
	if (!names) {
		print "/* SPDX-License-Identifier: GPL-2.0 */"
		print "/* Made by genregs.awk from chip_registers.h. */"
		print "#ifndef HFISIM_REGS_H"
		print "#define HFISIM_REGS_H"
	}
}

# Join continued lines.
/\\$/ {
	sub(/\\$/, "")
	pending = pending $0
	next
}

{
	line = pending $0
	pending = ""
	if (line !~ /^#define[ \t]+[A-Z0-9_]+[ \t]+[^ \t]/)
		next
	sub(/\/\*.*/, "", line)
	sub(/^#define[ \t]+/, "", line)
	name = line
	sub(/[ \t].*/, "", name)
	value = substr(line, length(name) + 1)
	gsub(/[ \t]/, "", value)
}

value ~ /^\([A-Z0-9_]+\+0[xX][0-9A-Fa-f]+\)$/ {
	split(substr(value, 2, length(value) - 2), term, "+")
	if (!(term[1] in address))
		next
	address[name] = address[term[1]] + hex(term[2])
	isbase[term[1]] = 1
	define(name, sprintf("0x%x", address[name]))
	order[++count] = name
	next
}

value ~ /^0[xX][0-9A-Fa-f]+(ull)?$/ || value ~ /^[0-9]+$/ {
	if (name == "CORE" || name == "PCIE") {
		address[name] = hex(value)
		isbase[name] = 1
	}
	define(name, value)
	next
}

value ~ /^BIT_ULL\([0-9]+\)$/ {
	sub(/^BIT_ULL\(/, "(1ULL << ", value)
	define(name, value)
}

END {
	if (count < 100) {
		print "genregs: this is not hfi1's chip_registers.h: only " \
			count + 0 " registers found" > "/dev/stderr"
		exit 1
	}
	if (!names) {
		print "#endif"
		exit
	}
	for (i = 1; i <= count; i++) {
		name = order[i]
		if (name !~ /^PCIE?_/ &&
		    (!(name in isbase) || name == "ASIC_CFG_SCRATCH"))
			printf "{ 0x%07x, \"%s\" },\n", address[name], name
	}
}
