# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Which Debian mirror to use: the one that the host itself uses.

# host_uri SUITES...: the first package source of the host that serves one of these suites.
host_uri() {
	local suite uri want
	# shellcheck disable=SC2016
	for want in "$@"; do
		while read -r suite uri; do
			[ "$suite" = "$want" ] || continue
			case $uri in
			mirror+file:*) uri=$(sed -n 's/^\([a-z]*:[^ \t]*\).*/\1/p;T;q' "${uri#mirror+file:}") ;;
			esac
			echo "${uri%/}"
			return
		done < <(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages')
	done
}

# mirrors: set MIRROR and SECURITY_MIRROR, unless the user did.
mirrors() {
	local codename
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	if [ -n "${MIRROR:-}" ]; then
		MIRROR=${MIRROR%/}
		SECURITY_MIRROR=${SECURITY_MIRROR:-$MIRROR-security}
		return
	fi
	MIRROR=$(host_uri "$codename" stable oldstable testing)
	[ -n "$MIRROR" ] ||
		die "apt on this machine names no Debian mirror; set MIRROR=URL (and SECURITY_MIRROR=URL)"
	SECURITY_MIRROR=${SECURITY_MIRROR:-$(host_uri "$codename-security" stable-security oldstable-security)}
	SECURITY_MIRROR=${SECURITY_MIRROR:-$MIRROR-security}
}

# sources SUITE [backports]: the lines of a sources.list.
sources() {
	local signed='[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]'
	echo "deb $signed $MIRROR $1 main"
	echo "deb $signed $MIRROR $1-updates main"
	echo "deb $signed $SECURITY_MIRROR $1-security main"
	[ "${2:-}" != backports ] || echo "deb $signed $MIRROR $1-backports main"
}

# host_acquire: how the host reaches its mirror (proxy, certificate and date checks).
host_acquire() {
	apt-config dump | grep -E '^Acquire::(Check-|http::|https::|Retries)' || true
}
