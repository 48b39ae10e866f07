# Completion of sallyport for fish. To load it: sallyport completion fish | source
function __sallyport_complete
	set -l words (commandline -opc)
	set -l lines ($words[1] __complete fish $words[2..-1] (commandline -ct) 2>/dev/null)
	if test "$lines[1]" = :files
		__fish_complete_path (commandline -ct)
		return
	end
	for line in $lines
		echo $line
	end
end
complete -c sallyport -f -a '(__sallyport_complete)'
