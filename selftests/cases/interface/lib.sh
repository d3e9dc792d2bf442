# For cases whose body is a Python program beside them (see selftests/lib/case.py).
# shellcheck shell=bash

. "$IOB_LIB/guest.sh"
. "$IOB_LIB/python.sh"
