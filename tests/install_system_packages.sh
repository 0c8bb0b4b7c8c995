#!/bin/sh
# Installs the Debian packages that the tests use, where it may; says what is missing where it may not.
set -eu
packages="libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 poppler-utils chromium
fonts-dejavu-core fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji"

missing=""
for package in $packages; do
    if ! dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed"; then
        missing="$missing $package"
    fi
done
[ -z "$missing" ] && exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "not a Debian machine; the tests want what these packages hold:$missing" >&2
    exit 0
fi
run=""
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        run="sudo -n"
    else
        echo "can't install system packages without root; please run: sudo apt-get install$missing" >&2
        exit 0
    fi
fi
export DEBIAN_FRONTEND=noninteractive
$run apt-get update -qq
# shellcheck disable=SC2086
$run apt-get install -y -qq --no-install-recommends $missing >/dev/null
