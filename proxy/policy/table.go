package policy

import (
	"slices"
	"time"
)

// All is the table, in the order people see it.
func All() []Setting { return slices.Clone(table) }

// table is never written to.
var table = []Setting{
	{
		Key: "own_tools", Default: "once", Scope: Global, kind: taste{"once", "always", "waiting"},
		Values: "once, always, waiting", Safer: "neither",
		Doc: "Which servers list Sallyport's own two tools. once: one server of each running client, so that the client has each tool once. " +
			"always: every server. waiting: one server, and only while something waits for a decision. Calls to them are answered through every server.",
	},
	{
		Key: "pins.first_use", Default: "review", Scope: Server, kind: choice{"review", "trust-clean"},
		Values: "review, trust-clean", Safer: "review",
		Doc: "What happens to a server that is seen for the first time. review: all of it is blocked until you have looked. " +
			"trust-clean: items without a finding of Medium or above are allowed and shown as \"trusted on first use, never read\".",
	},
	{
		Key: "pins.recheck", Default: "30s", Scope: Server,
		kind:   span{min: 0, max: 24 * time.Hour, off: true, offRisk: 1e18},
		Values: "a duration from 0 (every call) to 24h, or off", Safer: "shorter",
		Doc: "How old the last look at a server's declarations may be when a call comes; past it they are fetched again beside the " +
			"call, and its answer waits for the comparison. A change that the server does not announce is found no later than this.",
	},
	{
		// The answer never passes unchecked, whatever the length. But calls go out while the listing is awaited: a
		// server that stalls its listing goes on receiving arguments for this long.
		Key: "pins.recheck_timeout", Default: "10s", Scope: Server,
		kind:   span{min: time.Millisecond, max: 10 * time.Minute},
		Values: "a duration from 1ms to 10m", Safer: "shorter",
		Doc: "How long an answer waits for that comparison before it is refused. While it waits, calls still reach the server, so " +
			"longer is less safe; shorter refuses the answers of servers that list slowly.",
	},
	{
		Key: "pins.resources", Default: off, Scope: Server, kind: toggle{safeOn: true},
		Values: "on, off", Safer: "on",
		Doc: "Whether every single resource is pinned and needs an approval, not only resource templates. Where it is off, one item, resource:*, stands for all of them on a server that offers nothing else.",
	},
	{
		// The default stays off until docs/sandbox.md says that nobody's server breaks.
		Key: "sandbox", Default: off, Scope: Server, kind: choice{"strict", "shield", off},
		Values: "strict, shield, off", Safer: "strict",
		Doc: "What a server's program is kept from, from its next start on. shield: Sallyport's files and socket, the clients' configuration files, " +
			"other programs' processes, and what would run things outside for it (the session bus, the display, container engines). strict: the " +
			"network and the home folder too. Linux only, with bubblewrap; where it cannot be had, the server is not started.",
	},
	{
		Key: "pins.launch", Default: "notify", Scope: Server, kind: choice{"block", "notify", off},
		Values: "off, notify, block", Safer: "block",
		Doc: "What happens when a server's command runs another program than you allowed: another executable or script, or another version of its package. " +
			"notify: the change is an inbox item and the server runs, unless a variable that loads code has a value you haven't allowed or PATH finds another executable. block: it is not started until you have decided. " +
			"Another folder, and a variable that is gone, are inbox items and keep nothing from running. It counts from the next start of a server.",
	},
	{
		Key: "inspect.max_bytes", Default: "64MiB", Scope: Server, kind: size{min: 4 << 10, max: 1 << 30, largerSafer: true},
		Values: "a size from 4KiB to 1GiB", Safer: "larger",
		Doc: "The largest answer that is looked at for threats. What is larger goes the way inspect.on_limit says.",
	},
	{
		Key: "inspect.on_limit", Default: "hold", Scope: Server, kind: choice{"hold", "allow"},
		Values: "hold, allow", Safer: "hold",
		Doc: "What happens to an answer that is larger than what is looked at. hold: it is held back until you have decided. allow: it passes, and the timeline says that nobody looked at it.",
	},
	{
		Key: "inspect.rules", Default: off, Scope: Global, kind: file{},
		Values: "the whole path of a file, or off", Safer: "a file (to name another, or none, is a decision)",
		Doc: "A file with further rules for what is looked for in definitions and answers. It only adds findings. One that does not load is refused, and the rules that held go on holding.",
	},
	{
		Key: "interaction.policy", Default: "guard", Scope: Server, kind: choice{"deny", "ask", "guard", "allow"},
		Values: "allow, guard, ask, deny", Safer: "deny",
		Doc: "What happens when a server asks Claude or you for something (sampling, elicitation). guard: a request with a finding of High or above is refused and waits in the inbox. " +
			"ask: the first of each kind needs an approval. deny: all are refused. allow: all pass, and findings are recorded.",
	},
	{
		Key: "quarantine.retention", Default: "24h", Scope: Global, kind: span{min: time.Minute, max: 30 * 24 * time.Hour},
		Values: "a duration from 1m to 720h", Safer: "shorter",
		Doc: "How long the text of an answer that was held back is kept for your decision. The record of it stays.",
	},
	{
		Key: "sanitizer.ansi", Default: "visible", Scope: Server, kind: choice{"strip", "visible", off},
		Values: "visible, strip, off", Safer: "strip",
		Doc: "What happens to terminal escape sequences and control characters in what a server sends. visible: they become letters that can be read. strip: they are taken out. off: they pass.",
	},
	{
		Key: "redact.mode", Default: "detect", Scope: Server, kind: choice{"redact", "detect", off},
		Values: "off, detect, redact", Safer: "redact",
		Doc: "What happens to secrets (keys, passwords, tokens, private keys) in what a server answers. detect: they are recorded and shown, and the answer stays as it is. " +
			"redact: a mark such as [PASSWORD_REDACTED] stands where the secret stood; a file that Claude reads so and writes back has lost it. off: they are not looked for.",
	},
	{
		Key: "redact.profile", Default: "precise", Scope: Server, kind: choice{"strict", "precise"},
		Values: "precise, strict", Safer: "strict",
		Doc: "What is taken for a secret. precise: known forms of keys, and values under the name of a secret. strict: any 40 characters of base64 too, hashes of commits among them.",
	},
	{
		Key: "limits.message", Default: "64MiB", Scope: Server, kind: size{min: 4 << 10, max: 1 << 30},
		Values: "a size from 4KiB to 1GiB", Safer: "smaller",
		Doc: "The largest message that is let through, in either direction. A larger one is answered with an error and the session goes on.",
	},
	{
		Key: "approvals.cli", Default: off, Scope: Global, Window: true, kind: toggle{},
		Values: "on, off", Safer: "off",
		Doc: "Whether a hub without a window, started with --allow-cli-approval, takes decisions from the command line. Only the window can switch it on.",
	},
	{
		Key: "clients.auto_protect", Default: "on", Scope: Global, kind: toggle{safeOn: true},
		Values: "on, off", Safer: "on",
		Doc: "Whether a new entry in a client's file that you protected is wrapped at once. off: it is reported and waits for you. " +
			"An entry that you left out or took out stays so either way.",
	},
	{
		Key: "activity.keep", Default: "2160h", Scope: Global,
		kind:   span{min: time.Second, max: 100 * 365 * 24 * time.Hour, longSafer: true},
		Values: "a duration from 1s to 876000h", Safer: "longer",
		Doc: "How long records of calls are kept in the activity timeline (2160h is 90 days). Decisions and drift stay until activity.max_size needs their room.",
	},
	{
		Key: "activity.max_size", Default: "256MiB", Scope: Global, kind: size{min: 64 << 10, max: 1 << 40, largerSafer: true},
		Values: "a size from 64KiB to 1024GiB", Safer: "larger",
		Doc: "How much the activity timeline may take. Past it the oldest records go; decisions and drift go last.",
	},
}

// Lookup is the row of a key.
func Lookup(key string) (Setting, bool) {
	for _, s := range table {
		if s.Key == key {
			return s, true
		}
	}
	return Setting{}, false
}
