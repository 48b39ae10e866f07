package powers

import "slices"

// Words for things in the names of tools and inputs.
const (
	fileWords   wordSet = " file files filename directory directories folder folders dir filesystem "
	fileInputs  wordSet = " filepath file files filepaths filename filenames directory dir folder folderpath absolutepath fileabsolutepath inputpath outputpath outputdir sourcepath destinationpath repopath "
	pathInputs  wordSet = " path paths "
	remoteHints wordSet = " owner repo url endpoint method host bucket namespace projectid " // next to one of these, a path is not on this computer

	webWords  wordSet = " website websites webpage internet webhook crawl scrape navigate curl wget "
	webInputs wordSet = " url urls webhookurl websiteurl weburl "
	// webVerbs rule out a tool that stays on this computer.
	webVerbs wordSet = " crawl scrape curl wget internet webhook website websites webpage "

	shellWords  wordSet = " shell bash terminal powershell cmd exec "
	codeWords   wordSet = " command commands script scripts code python javascript js sh process program "
	codeInputs  wordSet = " command commands cmd shellcommand script code expression function "
	dataWords   wordSet = " sql database databases db table tables collection collections "
	dataInputs  wordSet = " sql table tablename database databasename dbname statement cypher "
	sendInputs  wordSet = " to recipient recipients cc bcc subject channelid chatid phonenumber "
	postedWords wordSet = " message messages email emails mail sms dm chat notification notifications gmail slack inbox "
	otherPosts  wordSet = " console queue commit log logs " // posts that are not messages to a person
	pageWords   wordSet = " browser tab tabs screenshot click hover "
	moneyWords  wordSet = " pay payment payments purchase invoice invoices refund refunds payout payouts "
	secretWords wordSet = " secret secrets password passwords credential credentials passphrase keychain "
)

// touchesOf returns what a tool works on, most serious first, and whether its name rules out a tool that stays inside.
func touchesOf(words []string, inputs []input) (touches []Touch, outside bool) {
	word := func(in wordSet) bool { return slices.ContainsFunc(words, in.has) }
	asked := func(in wordSet) bool {
		return slices.ContainsFunc(inputs, func(i input) bool { return in.has(i.name) && len(i.choices) == 0 })
	}
	add := func(t Touch, is bool) {
		if is {
			touches = append(touches, t)
		}
	}
	add(Commands, word(shellWords) && !word(readVerbs) || word(runVerbs) && (word(codeWords) || asked(codeInputs)))
	add(Files, word(fileWords) || asked(fileInputs) || asked(pathInputs) && !asked(remoteHints))
	add(Data, word(dataWords) || asked(dataInputs))
	add(Messages, word(postedWords) && !word(otherPosts) || word(sendVerbs) && asked(sendInputs))
	add(Browser, word(pageWords))
	add(Payments, word(moneyWords))
	add(Secrets, word(secretWords))
	fetch := len(words) == 1 && words[0] == "fetch"
	web := word(webWords) || asked(webInputs) || fetch || word(" web ") && word(" search fetch browse ")
	add(Outside, web)
	return touches, fetch || word(webVerbs) || web && word(" fetch download ")
}
