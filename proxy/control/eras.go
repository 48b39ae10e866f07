package control

import "github.com/sallyport/sallyport/proxy/vocab"

// Eras are the protocol versions that a server's process speaks, by era. An era that is not known is nil; one that the server is known not
// to speak is empty.
type Eras = vocab.Eras

// EraWords says for which clients a server declares something in an era, "" for both eras.
func EraWords(era string) string {
	switch era {
	case vocab.EraLegacy:
		return "clients that speak MCP 2025-11-25 or earlier"
	case vocab.EraModern:
		return "clients that speak MCP 2026-07-28 or later"
	default:
		return ""
	}
}

// CleanEras keeps what may be repeated to people and clients: of each era the newest versions, each once, oldest first.
func CleanEras(e Eras) Eras {
	return Eras{Legacy: cleanVersions(e.Legacy), Modern: cleanVersions(e.Modern)}
}

// cleanVersions returns nil for versions that can't be repeated: they say nothing, least of all that the era is not spoken.
func cleanVersions(versions []string) []string {
	if len(versions) == 0 {
		return versions
	}
	return VersionsOf(versions, "").Offered
}

// MergeEras adds what was learned later. An era that was answered has the versions of both, unless one of them says that it is not spoken:
// then the later counts.
func MergeEras(before, later Eras) Eras {
	merge := func(before, later []string) []string {
		switch {
		case later == nil:
			return before
		case len(later) == 0 || len(before) == 0:
			return later
		}
		return cleanVersions(append(before[:len(before):len(before)], later...))
	}
	later = CleanEras(later)
	return Eras{Legacy: merge(before.Legacy, later.Legacy), Modern: merge(before.Modern, later.Modern)}
}

// Eras tells the hub in which eras the server answered, or that it does not speak one, now or when the hub is back. It never waits. What
// was told before stays, see MergeEras.
func (l *Link) Eras(e Eras) {
	l.eras.keep(func(before Eras) Eras { return MergeEras(before, e) })
}
