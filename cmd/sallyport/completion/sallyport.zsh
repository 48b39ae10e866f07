#compdef sallyport
# Completion of sallyport for zsh. To load it: source <(sallyport completion zsh), or put it into a folder of $fpath as _sallyport.
_sallyport() {
	local -a lines
	lines=("${(@f)$(${words[1]} __complete zsh "${(@)words[2,CURRENT]}" 2>/dev/null)}")
	if [[ ${lines[1]} == :files ]]; then
		_files
		return
	fi
	lines=(${lines:#})
	(( ${#lines} )) && _describe -t sallyport 'sallyport' lines
}
if [[ ${funcstack[1]} == _sallyport ]]; then
	_sallyport "$@"
else
	compdef _sallyport sallyport
fi
