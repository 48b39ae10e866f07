package review

import (
	"slices"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/pin"
)

// skill shows what a skill is: orders to the model, as a text. Its other files are read when the model reads them.
func (p *page) skill(part control.PartDetail) {
	if slices.ContainsFunc(part.Findings, func(f inspect.Finding) bool { return f.Rule == pin.SkillMismatch }) {
		p.Printf("  it is not what the skill's entry says, so it can't be allowed\n")
	}
	if part.Text == "" {
		return
	}
	p.Printf("  what the model is told to do (SKILL.md):\n")
	p.Quote("  ", terminal.Piece{Text: legible.Escape(part.Text)})
}

// withoutText is a part without the change that is its whole text: skill shows it.
func withoutText(part control.PartDetail) control.PartDetail {
	part.Changes = slices.DeleteFunc(slices.Clone(part.Changes), func(c pin.Change) bool { return part.Text != "" && c.Op == pin.Added && c.After == part.Text })
	return part
}
