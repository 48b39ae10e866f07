# Completion of sallyport for bash. To load it: source <(sallyport completion bash)
_sallyport() {
	local line
	COMPREPLY=()
	while IFS= read -r line; do
		if [[ $line == :files ]]; then
			compopt -o default 2>/dev/null
			COMPREPLY=()
			return
		fi
		COMPREPLY+=("$line")
	done < <("${COMP_WORDS[0]}" __complete bash "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	# A flag that ends in an equals sign takes its value at once.
	[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
	return 0
}
complete -F _sallyport sallyport
