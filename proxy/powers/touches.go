package powers

import "slices"

// What things are called, in the names of tools and in those of their inputs.
var (
	fileWords   = set("file files filename directory directories folder folders dir filesystem")
	fileInputs  = set("filepath file files filepaths filename filenames directory dir folder folderpath absolutepath fileabsolutepath inputpath outputpath outputdir sourcepath destinationpath repopath")
	pathInputs  = set("path paths")
	remoteHints = set("owner repo url endpoint method host bucket namespace projectid") // beside them, a path is none of this computer

	webWords  = set("website websites webpage internet webhook crawl scrape navigate curl wget")
	webInputs = set("url urls webhookurl websiteurl weburl")
	// webVerbs leave no room for a tool that stays on this computer.
	webVerbs = set("crawl scrape curl wget internet webhook website websites webpage")

	shellWords  = set("shell bash terminal powershell cmd exec")
	codeWords   = set("command commands script scripts code python javascript js sh process program")
	codeInputs  = set("command commands cmd shellcommand script code expression function")
	dataWords   = set("sql database databases db table tables collection collections")
	dataInputs  = set("sql table tablename database databasename dbname statement cypher")
	sendInputs  = set("to recipient recipients cc bcc subject channelid chatid phonenumber")
	postedWords = set("message messages email emails mail sms dm chat notification notifications gmail slack inbox")
	otherPosts  = set("console queue commit log logs") // whose messages nobody sent to a person
	pageWords   = set("browser tab tabs screenshot click hover")
	moneyWords  = set("pay payment payments purchase invoice invoices refund refunds payout payouts")
	secretWords = set("secret secrets password passwords credential credentials passphrase keychain")
)

// touchesOf is what a tool works on, gravest first, and whether its name leaves no room for a tool that stays inside.
func touchesOf(words []string, inputs []input) (touches []Touch, outside bool) {
	word := func(in map[string]bool) bool { return slices.ContainsFunc(words, func(w string) bool { return in[w] }) }
	asked := func(in map[string]bool) bool {
		return slices.ContainsFunc(inputs, func(i input) bool { return in[i.name] && len(i.choices) == 0 })
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
	web := word(webWords) || asked(webInputs) || fetch || word(set("web")) && word(set("search fetch browse"))
	add(Outside, web)
	return touches, fetch || word(webVerbs) || web && word(set("fetch download"))
}
