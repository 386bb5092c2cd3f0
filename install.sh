#!/bin/sh
# Makes this machine a Peg & Pip table. `sudo ./install.sh`; see `./install.sh --help`.
set -eu
cd "$(dirname "$0")"
if ! command -v python3 >/dev/null; then
    case " $* " in
    *" --dry-run "* | *" --help "* | *" -h "*)
        echo "install the package python3 (without it the rest can't be told)"
        exit 0
        ;;
    esac
    [ "$(id -u)" = 0 ] || { echo "install.sh: run it with sudo." >&2; exit 2; }
    apt-get update -q && apt-get install -q -y --no-install-recommends python3
fi
PYTHONDONTWRITEBYTECODE=1 exec python3 -m companion.appliance.install "$@"
