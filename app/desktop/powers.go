package desktop

import (
	"github.com/sallyport/sallyport/proxy/powers"
)

// Can is what a new server's tools can do. All of its words are ours.
type Can struct {
	Statements []Statement `json:"statements"`
	Source     string      `json:"source"`   // whose word it is
	Disputed   int         `json:"disputed"` // tools with a claim that contradicts their name
}

// Statement is one thing that a server can do, and how many of its tools can.
type Statement struct {
	Of    string `json:"of"` // commands, changes, messages, payments, reads, unsaid, outside
	Words string `json:"words"`
	Tools int    `json:"tools"`
}

// Does is what one tool can do.
type Does struct {
	Effect   string   `json:"effect" ts_type:"'changes' | 'reads' | 'unsaid'"`
	Basis    string   `json:"basis" ts_type:"'claim' | 'names' | ''"`
	Deletes  string   `json:"deletes" ts_type:"'yes' | 'no' | 'unsaid'"`
	Repeat   string   `json:"repeat" ts_type:"'yes' | 'no' | 'unsaid'"`  // repeating it is harmless
	Outside  string   `json:"outside" ts_type:"'yes' | 'no' | 'unsaid'"` // its claim
	Touches  []string `json:"touches"`                                   // commands, files, data, messages, browser, payments, secrets, outside
	Disputes []string `json:"disputes"`                                  // in our words
}

func canDo(s *powers.Summary) *Can {
	if s == nil {
		return nil
	}
	out := &Can{Statements: []Statement{}, Source: s.Source(), Disputed: s.Disputed}
	for _, st := range s.Statements {
		out.Statements = append(out.Statements, Statement{Of: st.Of, Words: st.Words, Tools: st.Tools})
	}
	return out
}

func does(t *powers.Tool) *Does {
	if t == nil {
		return nil
	}
	out := &Does{
		Effect: string(t.Effect), Basis: string(t.Basis), Deletes: string(t.Deletes), Repeat: string(t.Repeat), Outside: string(t.Outside), Touches: []string{}, Disputes: []string{},
	}
	for _, touch := range t.Touches {
		out.Touches = append(out.Touches, string(touch))
	}
	for _, d := range t.Disputes {
		out.Disputes = append(out.Disputes, d.Words())
	}
	return out
}
