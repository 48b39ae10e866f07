package pin

import (
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect"
)

// frontmatter compares what a skill says about itself. What asks for rights comes in words.
func (d *differ) frontmatter(at place, before, after []byte) {
	if before != nil && kindOf(before) != '{' || after != nil && kindOf(after) != '{' {
		return
	}
	for _, m := range pairs(before, after) {
		to := at.at(inspect.Member(at.path, m.key), quote(m.key))
		words := grantWords[grantKey(m.key)]
		switch {
		case same(m.before, m.after):
		case m.key == "name", m.key == "description":
			d.text(to.path, m.key, m.before, m.after)
		case words == "":
			d.value(to, m.before, m.after, data)
		case m.after == nil:
			d.note(to.path, "no longer "+words, m.before, nil)
		default:
			if !d.describing {
				words = "now " + words
			}
			if small(m.after) {
				words += ": " + short(m.after)
			}
			d.note(to.path, words, m.before, m.after)
		}
	}
}

// listedFile is a file as two entries of a skill list it; nil if one does not.
type listedFile struct {
	uri           string
	before, after *SkillFile
	rawB, rawA    []byte
}

// skillFiles compares the files of a skill by their addresses: their order has no meaning.
func (d *differ) skillFiles(at place, before, after []byte) {
	files, ok := filesOf(before, after)
	if !ok {
		if raw := after; raw != nil && string(raw) == `"dynamic"` {
			d.note(at.path, d.verb(op(before, after), "files that are made anew at every read, so nothing binds them"), before, after)
		}
		return
	}
	for _, f := range files {
		if same(f.rawB, f.rawA) {
			continue
		}
		words := "file " + quote(f.uri)
		switch {
		case f.before == nil:
			words = d.verb(Added, words+", "+bytesWords(f.after.Size))
		case f.after == nil:
			words = d.verb(Removed, words)
		case f.before.Digest == f.after.Digest && f.before.Size == f.after.Size:
			words += ": what the entry says about it changed"
		default:
			words += " has other content"
		}
		d.note(at.path, words, f.rawB, f.rawA)
	}
}

// filesOf pairs the files of two lists, in the order of the later one, then the removed ones; not ok if one is no list of files.
func filesOf(before, after []byte) (files []listedFile, ok bool) {
	index := map[string]int{}
	for side, list := range [][]byte{after, before} {
		if list == nil {
			continue
		}
		if kindOf(list) != '[' {
			return nil, false
		}
		for _, raw := range elements(list) {
			f, ok := readSkillFile(raw)
			if !ok {
				return nil, false
			}
			i, known := index[f.URI]
			if !known {
				i = len(files)
				index[f.URI] = i
				files = append(files, listedFile{uri: f.URI})
			}
			if side == 0 {
				files[i].after, files[i].rawA = &f, raw
			} else {
				files[i].before, files[i].rawB = &f, raw
			}
		}
	}
	return files, true
}

func bytesWords(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// CompareTexts lists what changed between the text of a skill that was approved and the one read now, like Compare.
func CompareTexts(approved, seen string) []Change {
	switch {
	case approved == seen || seen == "":
		return nil
	case approved == "":
		return DescribeText(seen)
	}
	d := differ{}
	c := Change{Path: skillText, Op: Changed, Words: textWords + " changed", Before: approved, After: seen}
	if len(approved)+len(seen) <= maxWordText {
		var complete bool
		if c.Text, complete = compareWords(approved, seen); !complete {
			c.Words += "; too long for a word-by-word comparison"
		}
	}
	d.add(c)
	return d.done()
}

// textWords name the text of a skill.
const textWords = "what it tells Claude"

// DescribeText is the text of a skill that nobody has approved yet, as Describe would list it.
func DescribeText(text string) []Change {
	if text == "" {
		return nil
	}
	return []Change{{Path: skillText, Op: Added, Words: textWords, After: text}}
}

// SkillTitle is how people know a skill: the name of its folder.
func SkillTitle(uri string) string {
	root := SkillRoot(uri)
	return root[strings.LastIndexByte(root, '/')+1:]
}
