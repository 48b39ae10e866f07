package desktop

import (
	"github.com/sallyport/sallyport/proxy/powers"
)

// Can is what a new server's tools can do. All of its words are ours.
type Can struct {
	powers.Summary
	Source string `json:"source"` // who says so
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
	out := &Can{Summary: *s, Source: s.Source()}
	out.Statements = some(out.Statements)
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
