package inspect

// RuleLevel is how grave a rule of the catalogue is by its nature, "" for a name that it does not have. A match may weigh less
// where it stands.
func RuleLevel(name string) Level {
	for _, r := range catalogue {
		if r.name == name {
			return r.level
		}
	}
	return ""
}

// RuleTitle is what a rule of the catalogue says when it matches, "" for a name that it does not have.
func RuleTitle(name string) string {
	for _, r := range catalogue {
		if r.name == name {
			return r.title
		}
	}
	return ""
}
