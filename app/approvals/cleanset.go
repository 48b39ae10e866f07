package approvals

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
)

const (
	// cleanSetLife is how long a set that was shown can be allowed.
	cleanSetLife = time.Hour
	// maxCleanSets is more than anybody looks at in an hour; the oldest go first.
	maxCleanSets = 64
)

// cleanSets are the sets of new servers that were shown, by digest. They are kept in memory: after a restart a person looks again.
type cleanSets struct {
	shown []cleanSet // oldest first
}

// cleanSet is what one decision can allow: the items that were listed, each with the digest it had then.
type cleanSet struct {
	digest  string
	at      time.Time
	members []cleanMember
}

type cleanMember struct {
	code, digest string
	server       string // its name then, to name it when it is left out
}

// digest covers every item of the set, in an order that does not depend on the inbox.
func digestOfSet(members []cleanMember) string {
	lines := make([]string, len(members))
	for i, m := range members {
		lines[i] = m.code + " " + m.digest
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte("sallyport clean set 1\n" + strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}

// keep remembers that a set was shown, and returns its digest.
func (c *cleanSets) keep(members []cleanMember, now time.Time) string {
	digest := digestOfSet(members)
	c.shown = slices.DeleteFunc(c.shown, func(s cleanSet) bool { return s.digest == digest || now.Sub(s.at) >= cleanSetLife })
	c.shown = append(c.shown, cleanSet{digest: digest, at: now, members: members})
	if over := len(c.shown) - maxCleanSets; over > 0 {
		c.shown = slices.Delete(c.shown, 0, over)
	}
	return digest
}

// find is the set that was shown under a digest in the last hour.
func (c *cleanSets) find(digest string, now time.Time) (cleanSet, error) {
	for _, s := range c.shown {
		if s.digest == digest && now.Sub(s.at) < cleanSetLife {
			return s, nil
		}
	}
	return cleanSet{}, office.Answer(control.CodeNotFound, "no list with this digest was shown in the last hour; run `sallyport approve --clean` again")
}
