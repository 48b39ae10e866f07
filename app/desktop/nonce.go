package desktop

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
)

const (
	// armAfter is how long a page has been looked at before it can decide: a click that was meant for what stood there before,
	// and a key that is held down, do nothing.
	armAfter   = 800 * time.Millisecond
	armAfterMs = int(armAfter / time.Millisecond)
	// nonceLife is how long a page that was looked at can decide. Who comes back from a break looks again.
	nonceLife = 30 * time.Minute
	// maxNonces is more than anybody has looked at in half an hour; the oldest go first.
	maxNonces = 256
	// maxWrongWords is how often the word may be typed wrong.
	maxWrongWords = 10
)

// nonces are the looks at the page that a decision may follow on. One is random, belongs to one subject with one digest,
// arms itself after a while, is used once, and goes when nobody sees the page any more.
type nonces struct {
	now     func() time.Time // time.Now, which also counts what a changed clock does not
	visible func() bool

	mu    sync.Mutex
	given map[string]*look
	order []string
}

// look is one answer that the page got.
type look struct {
	subject, digest string
	word            string // to be typed; "" where nothing need be
	at, armed       time.Time
	unseen          bool // it was asked for while the window was minimised, and who brought it back is not told to us
	wrong           int
}

func newNonces(visible func() bool) *nonces {
	return &nonces{now: time.Now, visible: visible, given: map[string]*look{}}
}

// mint makes the nonce of a look at subject, as it is with digest.
func (n *nonces) mint(subject, digest, word string) string {
	random := make([]byte, 16)
	rand.Read(random) // ends the program rather than fail
	nonce := hex.EncodeToString(random)
	unseen := !n.visible()
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.now()
	n.given[nonce] = &look{subject: subject, digest: digest, word: word, at: now, armed: now, unseen: unseen}
	if n.order = append(n.order, nonce); len(n.order) > maxNonces {
		delete(n.given, n.order[0])
		n.order = n.order[1:]
	}
	return nonce
}

// spend takes a nonce for a decision. typed is what the person typed, where a word was asked for and this decision needs it.
func (n *nonces) spend(nonce, subject, digest, typed string, needsWord bool) error {
	if !n.visible() {
		return &control.Error{Code: control.CodeStale, Message: "nothing was decided because the window was hidden: review it again", See: itemCode(subject)}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	l := n.given[nonce]
	switch {
	case l == nil || l.subject != subject:
		return &control.Error{Code: control.CodeStale, Message: "this is not what you were shown: review it again", See: itemCode(subject)}
	case l.digest != digest:
		delete(n.given, nonce)
		return &control.Error{Code: control.CodeStale, Message: "it changed since it was shown: review it again", See: itemCode(subject)}
	}
	now := n.now()
	if l.unseen { // the first that is seen of a person who looks: from here on the delay counts
		l.unseen, l.armed = false, now
	}
	switch {
	case now.Sub(l.armed) < armAfter:
		return &control.Error{Code: control.CodeBadRequest, Message: "that was too fast to have read it: nothing was decided"}
	case now.Sub(l.at) > nonceLife:
		delete(n.given, nonce)
		return &control.Error{Code: control.CodeStale, Message: "it was shown too long ago: review it again", See: itemCode(subject)}
	}
	if needsWord && l.word != "" && subtle.ConstantTimeCompare([]byte(strings.TrimSpace(typed)), []byte(l.word)) != 1 {
		if l.wrong++; l.wrong >= maxWrongWords {
			delete(n.given, nonce)
		}
		return &control.Error{Code: control.CodeBadRequest, Message: "type " + l.word + " to continue: nothing was decided"}
	}
	delete(n.given, nonce)
	return nil
}

// rearm begins the delay anew: the window was raised, and the next click may be meant for what it came to lie over.
func (n *nonces) rearm() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, l := range n.given {
		l.armed, l.unseen = n.now(), false
	}
}

// forget drops all: nobody sees the page any more, or it was loaded anew.
func (n *nonces) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	clear(n.given)
	n.order = nil
}

// itemSubject is the subject of a look at an inbox item, settingSubject of one at a loosened setting, fileSubject of one at a
// change of a client's file.
func itemSubject(code string) string { return "item\x00" + code }

func settingSubject(key, value, server string) string {
	return strings.Join([]string{"setting", key, value, server}, "\x00")
}

func fileSubject(what, client, path string, names []string) string {
	parts := append([]string{what, client, path, strconv.Itoa(len(names))}, names...)
	for i, p := range parts {
		parts[i] = strconv.Quote(p)
	}
	return "file\x00" + strings.Join(parts, " ")
}

// itemCode is the code of the inbox item that a subject names, "" for another subject.
func itemCode(subject string) string {
	if code, ok := strings.CutPrefix(subject, itemSubject("")); ok {
		return code
	}
	return ""
}

// plainName is a server's name that can be typed as it is read.
var plainName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,24}$`)

// wordFor is what a person types before something Critical is let through: the server's name, or four digits where that
// could be read in two ways.
func wordFor(server string) string {
	if plainName.MatchString(server) {
		return server
	}
	n, _ := rand.Int(rand.Reader, big.NewInt(9000)) // likewise
	return strconv.FormatInt(n.Int64()+1000, 10)
}
