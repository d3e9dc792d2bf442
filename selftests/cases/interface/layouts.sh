# For the cases layouts*: the same work for each way of knowing private structs.
# shellcheck shell=bash

. "$IOB_TREE/selftests/cases/interface/lib.sh"

# layout_modes "STRUCT|STRUCT.MEMBER" PROGRAM ARGUMENT...: PROGRAM gets a mode, then the arguments:
#	proved		as the kernel's BTF has them
#	displaced	the same, and what is compiled is wrong
#	used		there is no BTF
#	wrong		there is no BTF, and what is compiled is wrong
# LAYOUT_MODES has those that the kernel can have, LAYOUT_PARAMETERS more words for the module.
layout_modes() {
	local displaced=$1 program=$2 mode parameters
	shift 2
	for mode in ${LAYOUT_MODES:-proved displaced used wrong}; do
		read -ra parameters <<<"${LAYOUT_PARAMETERS:-}"
		case $mode in used | wrong) parameters+=(btf=0) ;; esac
		case $mode in displaced | wrong) parameters+=("displaced=$displaced") ;; esac
		iob_load "${parameters[@]}"
		case_python "$program" "$mode" "$@"
		iob_unload
	done
}
