package rules

// Level is how serious a finding is. The window shows Medium and Low as "Review".
type Level string

const (
	Critical Level = "critical"
	High     Level = "high"
	Medium   Level = "medium"
	Low      Level = "low"
)

// Rank orders levels: Critical 4, High 3, Medium 2, Low 1, anything else 0.
func (l Level) Rank() int {
	switch l {
	case Critical:
		return 4
	case High:
		return 3
	case Medium:
		return 2
	case Low:
		return 1
	}
	return 0
}

// LevelOf is the inherent level of a rule of the catalogue, "" for an unknown name. A match may count less in its context.
func LevelOf(name string) Level {
	for _, r := range catalogue {
		if r.Name == name {
			return r.Level
		}
	}
	return ""
}

// TitleOf is the title of a rule of the catalogue, "" for an unknown name.
func TitleOf(name string) string {
	for _, r := range catalogue {
		if r.Name == name {
			return r.Title
		}
	}
	return ""
}
