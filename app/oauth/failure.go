package oauth

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// What a caller decides on. Each error of this package is a *Failure and one of these.
var (
	ErrSeveral        = errors.New("the server can be signed in to at several places") // the person chooses one of Plan.Issuers
	ErrNoMetadata     = errors.New("the server does not say where to sign in")
	ErrWrong          = errors.New("a rule is broken")                 // trying again does not help
	ErrNoRegistration = errors.New("a client id must be entered")      // the issuer registers no one by itself
	ErrUnreachable    = errors.New("the issuer can't be used now")     // nothing has changed; try again later
	ErrIssuer         = errors.New("the issuer refused")               // Words may say why
	ErrDenied         = errors.New("the sign-in was declined")         // on the issuer's page
	ErrInvalidGrant   = errors.New("the sign-in is over")              // the code or refresh token is used up, expired or revoked
	ErrInvalidClient  = errors.New("the issuer no longer knows us")    // a new sign-in registers anew
	ErrNoResponse     = errors.New("the browser brought no response")  // within the time that the caller gave
	ErrListen         = errors.New("the browser can't be listened to") // on this computer
)

// Failure is an error with its reason in our words.
type Failure struct {
	Why   string // one line: what, why, what to do
	Words string // what the issuer said, to be shown as foreign text: at most 300 characters, no control characters; "" for nothing
	kind  error
}

func (f *Failure) Error() string { return f.Why }
func (f *Failure) Unwrap() error { return f.kind }

func failed(kind error, format string, args ...any) *Failure {
	return &Failure{Why: fmt.Sprintf(format, args...), kind: kind}
}

// maxWords is how many characters of an issuer's words are kept.
const maxWords = 300

// inert is a foreign text as it can be shown: without what moves a cursor, turns text around or can't be seen, and without the secrets that were
// sent, which an issuer may repeat.
func inert(text string, secrets ...string) string {
	text = strings.ToValidUTF8(text, "")
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "…")
		}
	}
	var b strings.Builder
	count, blank := 0, false
	for _, c := range text {
		switch {
		case unicode.IsSpace(c):
			blank = count > 0
			continue
		case !unicode.IsPrint(c):
			continue
		}
		if blank {
			b.WriteByte(' ')
			count++
			blank = false
		}
		if count >= maxWords {
			break
		}
		b.WriteRune(c)
		count++
	}
	return strings.TrimSpace(b.String())
}
