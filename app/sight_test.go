package app

import (
	"strings"
	"testing"
)

func TestARowSaysHowManyResponsesOfItsServerAreHeld(t *testing.T) {
	p := newPlace(t)
	notes, mail := p.wrap("notes", "npx", "notes"), p.wrap("mail", "npx", "mail")
	for n := range 7 {
		notes.hold(numbered(t, "read_note", n))
	}
	mail.hold(numbered(t, "read_mail", 1))
	rows, err := p.ServerRows()
	if err != nil || len(rows) != 2 {
		t.Fatalf("%+v, %v", rows, err)
	}
	if rows[0].Held != 1 || !strings.Contains(rows[0].Light.Words, "1 response held") || rows[1].Held != 7 || !strings.Contains(rows[1].Light.Words, "7 responses held") {
		t.Errorf("mail %d %+v, notes %d %+v", rows[0].Held, rows[0].Light, rows[1].Held, rows[1].Light)
	}
}
