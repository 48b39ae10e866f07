package proxy

import (
	"slices"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
)

// greeted tells the hub what a greeting lost on its way to the client and would not have lost after an approval: a client reads the greeting
// once, so only its restart brings that back.
func (s *handshake) greeted(v *declared.View, line []byte, result frame.Span, g declared.Greeting) {
	var lost []string
	if g.Instructions != nil && !instructs(v, g) {
		lost = append(lost, "instructions")
	}
	if !v.Open() {
		lost = append(lost, s.shortenedInfo(line, result)...)
		lost = append(lost, s.shortenedCapabilities(line, result)...)
		lost = append(lost, s.shortenedMembers(line, result)...)
	}
	slices.Sort(lost)
	lost = slices.Compact(lost)
	s.cfg.Gate.Shortened(control.Shortened{Members: lost[:min(len(lost), control.MaxShortened)]})
}

// shortenedInfo names the members of a serverInfo that bareInfo leaves out.
func (s *handshake) shortenedInfo(line []byte, result frame.Span) (lost []string) {
	info, ok := frame.Find(line, result, "serverInfo")
	if !ok {
		info, ok = frame.Find(line, result, "_meta", serverInfoKey)
	}
	if !ok || !s.harmless(info.Of(line)) {
		return nil
	}
	frame.Members(line, info, func(key string, m frame.Member) bool {
		switch key {
		case "name", "version":
			if word, ok := frame.String(line, m.Value); ok && !isWord(word, programWords, 64) {
				lost = append(lost, "serverInfo."+key)
			}
		case "title", "description", "websiteUrl", "icons":
			lost = append(lost, "serverInfo."+key)
		}
		return true
	})
	return lost
}

// shortenedCapabilities names the capabilities that bareCapabilities leaves out, whole or in part, as far as their names are words. What is lost of
// one has no name here: it would be the server's.
func (s *handshake) shortenedCapabilities(line []byte, result frame.Span) (lost []string) {
	capabilities, ok := frame.Find(line, result, "capabilities")
	if !ok || !s.harmless(capabilities.Of(line)) {
		return nil
	}
	known := knownExtensions(line, result)
	frame.Members(line, capabilities, func(name string, c frame.Member) bool {
		if name == "extensions" {
			frame.Members(line, c.Value, func(extension string, e frame.Member) bool {
				if passes, ok := known[extension]; !ok || !onlyFlags(line, e.Value, func(flag string) bool { _, ok := passes[flag]; return ok }) {
					lost = append(lost, "capabilities.extensions")
				}
				return true
			})
			return true
		}
		passes, ok := knownCapabilities[name]
		whole := ok && onlyFlags(line, c.Value, func(flag string) bool { return slices.Contains(passes, flag) })
		if !whole && isWord(name, letters, 32) {
			lost = append(lost, "capabilities."+name)
		}
		return true
	})
	return lost
}

// onlyFlags reports whether a value is an object of nothing but flags that pass, true or false.
func onlyFlags(line []byte, value frame.Span, passes func(flag string) bool) bool {
	only := frame.Type(line, value) == '{'
	frame.Members(line, value, func(flag string, m frame.Member) bool {
		set := string(m.Value.Of(line))
		only = only && passes(flag) && (set == "true" || set == "false")
		return only
	})
	return only
}

// greetingMembers are the members of a greeting that are passed on, written by us, or named elsewhere.
var greetingMembers = []string{"protocolVersion", "supportedVersions", "capabilities", "serverInfo", "instructions", "resultType", "ttlMs", "cacheScope", "_meta"}

// shortenedMembers names the other members of a greeting, as far as their names are words.
func (s *handshake) shortenedMembers(line []byte, result frame.Span) (lost []string) {
	frame.Members(line, result, func(key string, m frame.Member) bool {
		if !slices.Contains(greetingMembers, key) && isWord(key, letters, 32) && s.harmless(m.Value.Of(line)) {
			lost = append(lost, key)
		}
		return true
	})
	return lost
}
