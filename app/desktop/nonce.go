package desktop

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
)

const (
	// armAfter is how long a page must be on screen before it can decide: a click meant for what was there before, or a key held down,
	// does nothing.
	armAfter   = 800 * time.Millisecond
	armAfterMs = int(armAfter / time.Millisecond)
	// nonceLife is how long a page can decide after it was shown. After a break the person looks again.
	nonceLife = 30 * time.Minute
	// maxNonces is more than anyone looks at in half an hour; beyond it the oldest are dropped.
	maxNonces = 256
	// maxWrongWords is how often the word may be typed wrong.
	maxWrongWords = 10
)

// nonces bind decisions to looks at the page. A nonce is random, belongs to one subject and digest, is armed after a delay, works once,
// and is dropped when nobody sees the page any more.
type nonces struct {
	now     func() time.Time // time.Now, whose monotonic part ignores changes to the clock
	visible func() bool

	mu    sync.Mutex
	given map[string]*look
	order []string
}

// look is one response that the page got.
type look struct {
	subject, digest string
	word            string // to be typed; "" if nothing need be
	at, armed       time.Time
	unseen          bool // made while the window was minimised: we don't hear when it is brought back
	wrong           int
}

func newNonces(visible func() bool) *nonces {
	return &nonces{now: time.Now, visible: visible, given: map[string]*look{}}
}

// mint makes a nonce for a look at subject with this digest.
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

// spend uses a nonce for a decision. typed is what the person typed, if the look has a word and this decision needs it.
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
	if l.unseen { // the first sign that a person is looking: the delay starts here
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

// rearm restarts the delay: the window was raised, and the next click may be meant for what it now covers.
func (n *nonces) rearm() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, l := range n.given {
		l.armed, l.unseen = n.now(), false
	}
}

// forget drops all nonces: nobody sees the page any more, or it was loaded again.
func (n *nonces) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	clear(n.given)
	n.order = nil
}

// itemSubject is the subject of a look at an inbox item, settingSubject that of loosening a setting, fileSubject that of changing a
// client's file.
func itemSubject(code string) string { return "item\x00" + code }

func settingSubject(q control.SettingQuery) string {
	return fmt.Sprintf("setting\x00%q %q %q %q", q.Key, q.Value, q.Server, q.Tool)
}

func fileSubject(what, client, path string, names []string) string {
	parts := append([]string{what, client, path, strconv.Itoa(len(names))}, names...)
	for i, p := range parts {
		parts[i] = strconv.Quote(p)
	}
	return "file\x00" + strings.Join(parts, " ")
}

// itemCode is the code of the inbox item that a subject names, "" for other subjects.
func itemCode(subject string) string {
	if code, ok := strings.CutPrefix(subject, itemSubject("")); ok {
		return code
	}
	return ""
}

// plainName matches a server's name that can be typed as it is read.
var plainName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,24}$`)

// wordFor is what a person types to allow something Critical: the server's name, or four digits if the name could be misread.
func wordFor(server string) string {
	if plainName.MatchString(server) {
		return server
	}
	n, _ := rand.Int(rand.Reader, big.NewInt(9000)) // likewise
	return strconv.FormatInt(n.Int64()+1000, 10)
}
