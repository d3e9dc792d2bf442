# For cases with a Python program beside them; sourced after guest.sh:
#	. "$IOB_LIB/python.sh"
# What Python compiles stays in memory for the next case.
# shellcheck shell=bash

export PYTHONPATH=$IOB_TREE/selftests PYTHONPYCACHEPREFIX=/run/python

# case_python FILE [ARGUMENT...]: run FILE of this case's folder
case_python() { python3 "${0%/*}/$1" "${@:2}"; }
