# For cases that are written in Python: iob_python reads one from stdin, with
# iob.py at hand.
# shellcheck shell=bash

. "$IOB_LIB/guest.sh"

iob_python() {
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=/tree/selftests/cases/interface python3 - "$@"
}
