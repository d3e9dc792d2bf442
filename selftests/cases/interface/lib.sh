# For cases whose body is a Python program beside them.
# shellcheck shell=bash

. "$IOB_LIB/guest.sh"

# case_python FILE [ARGUMENT...]: run FILE of this case's folder with selftests/lib at hand.
# What Python compiles stays in memory for the next case.
case_python() {
	PYTHONPATH=$IOB_TREE/selftests PYTHONPYCACHEPREFIX=/run/python \
		python3 "${0%/*}/$1" "${@:2}"
}
