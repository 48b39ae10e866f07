package pin

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/sallyport/sallyport/proxy/frame"
)

// SkillsExtension is the extension of the protocol by which servers offer skills, and under which they announce it.
const SkillsExtension = "io.modelcontextprotocol/skills"

// skillFile is what a skill's address ends with: the file that the model reads first.
const skillFile = "/SKILL.md"

// SkillEntry is what the entry of a skill binds: its files, each with digest and size. The skill's address is the one of its SKILL.md.
type SkillEntry struct {
	URI         string
	Name        string
	Description string
	Dynamic     bool // its files are made anew at each read: nothing binds them
	Files       []SkillFile
	grants      []grant
}

// SkillFile is one file of a skill: its address, and the SHA-256 and length of its raw bytes.
type SkillFile struct {
	URI    string
	Digest [sha256.Size]byte
	Size   int64
}

// Holds reports whether content is this file.
func (f SkillFile) Holds(content []byte) bool {
	return int64(len(content)) == f.Size && sha256.Sum256(content) == f.Digest
}

// Root is the address of the skill's folder, without a slash at its end.
func (s *SkillEntry) Root() string { return SkillRoot(s.URI) }

// Main is its SKILL.md; not ok if nothing binds it.
func (s *SkillEntry) Main() (f SkillFile, ok bool) {
	for _, f := range s.Files {
		if f.URI == s.URI {
			return f, true
		}
	}
	return SkillFile{}, false
}

// SkillRoot is the folder of a skill with this address, "" for an address that is no skill's.
func SkillRoot(uri string) string {
	root, ok := strings.CutSuffix(uri, skillFile)
	if !ok || strings.HasSuffix(root, "/") {
		return ""
	}
	return root
}

// Why an entry is not one that a client may load (Skills extension, "Skill Entries").
var (
	errSkillAddress  = errors.New("its address does not lead to a SKILL.md in a folder")
	errSkillFront    = errors.New("it has no name or no description")
	errSkillFiles    = errors.New("it does not list its files with their digests and sizes")
	errSkillMain     = errors.New("its list of files leaves out its SKILL.md")
	errSkillTwice    = errors.New("it lists a file twice")
	errSkillOutside  = errors.New("it lists a file outside its own folder")
	errSkillNotEntry = errors.New("it can be read in two ways")
)

// ReadSkill reads the entry of a skill. An error means that the entry binds nothing: the skill stays blocked.
func ReadSkill(raw []byte) (*SkillEntry, error) {
	if check(raw) != nil {
		return nil, errSkillNotEntry
	}
	s := &SkillEntry{URI: stringAt(raw, "uri"), Name: stringAt(raw, "frontmatter", "name"), Description: stringAt(raw, "frontmatter", "description")}
	switch {
	case SkillRoot(s.URI) == "" || !plainAddress(s.URI):
		return nil, errSkillAddress
	case s.Name == "" || s.Description == "":
		return nil, errSkillFront
	}
	front, _ := frame.Find(raw, frame.Root(raw), "frontmatter")
	s.grants = grantsIn(front.Of(raw))
	files, ok := frame.Find(raw, frame.Root(raw), "resources")
	switch {
	case ok && frame.Type(raw, files) == '"' && stringAt(raw, "resources") == "dynamic":
		s.Dynamic = true
		return s, nil
	case !ok || frame.Type(raw, files) != '[':
		return nil, errSkillFiles
	}
	return s, s.readFiles(files.Of(raw))
}

func (s *SkillEntry) readFiles(list []byte) error {
	listed := map[string]bool{}
	for _, one := range elements(list) {
		f, ok := readSkillFile(one)
		switch {
		case !ok:
			return errSkillFiles
		case listed[f.URI]:
			return errSkillTwice
		case !strings.HasPrefix(f.URI, s.Root()+"/") || !plainAddress(f.URI):
			return errSkillOutside
		}
		listed[f.URI] = true
		s.Files = append(s.Files, f)
	}
	if !listed[s.URI] {
		return errSkillMain
	}
	return nil
}

// readSkillFile reads one file of an entry's list.
func readSkillFile(raw []byte) (f SkillFile, ok bool) {
	f.URI = stringAt(raw, "uri")
	hexed, isSHA := strings.CutPrefix(stringAt(raw, "digest"), "sha256:")
	sum, err := hex.DecodeString(hexed)
	size, sized := frame.Find(raw, frame.Root(raw), "size")
	if f.URI == "" || !isSHA || err != nil || len(sum) != sha256.Size || strings.ToLower(hexed) != hexed || !sized {
		return f, false
	}
	copy(f.Digest[:], sum)
	n, err := strconv.ParseUint(string(size.Of(raw)), 10, 63)
	f.Size = int64(n)
	return f, err == nil && n <= math.MaxInt64
}

// stringAt is the string at a path, "" if there is none that every parser reads the same.
func stringAt(raw []byte, path ...string) string {
	span, ok := frame.Find(raw, frame.Root(raw), path...)
	if !ok {
		return ""
	}
	s, wellFormed := frame.String(raw, span)
	if !wellFormed {
		return ""
	}
	return strings.Clone(s)
}

// plainAddress reports whether an address has one spelling only: a server that took another for the same file could be asked for it by that.
func plainAddress(uri string) bool {
	folder, file, ok := strings.Cut(FoldedAddress(uri), "://")
	return ok && folder != "" && file != "" && !strings.HasSuffix(uri, "/") && !strings.ContainsAny(uri, "?#\\\x00") && !hasDots(uri)
}

func hasDots(uri string) bool {
	decoded, err := url.PathUnescape(uri)
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(decoded, "://")
	rest = strings.TrimPrefix(rest, "/") // no host
	for part := range strings.SplitSeq(rest, "/") {
		if part == "" || part == "." || part == ".." {
			return true
		}
	}
	return false
}

// FoldedAddress is the same for all ways to write an address that a server could take for one: without query, fragment and dots, its escapes
// undone, in lower case. It says where an address may lead, never what may pass.
func FoldedAddress(uri string) string {
	uri, _, _ = strings.Cut(uri, "#")
	uri, _, _ = strings.Cut(uri, "?")
	for range 3 { // an escape of an escape
		decoded, err := url.PathUnescape(uri)
		if err != nil || decoded == uri {
			break
		}
		uri = decoded
	}
	uri = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(uri), `\`, "/"))
	scheme, rest, ok := strings.Cut(uri, ":")
	if !ok {
		return uri
	}
	return scheme + "://" + strings.TrimPrefix(path.Clean("/"+strings.TrimLeft(rest, "/")), "/")
}
