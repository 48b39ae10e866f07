package policy

import (
	"slices"
	"time"
)

func All() []Setting { return slices.Clone(table) }

// table is never written to.
var table = []Setting{
	{
		Key: "own_tools", Default: "once", Scope: Global, kind: taste{"once", "always", "waiting"},
		Values: "once, always, waiting", Safer: "neither",
		Doc: "Which servers list Sallyport's own two tools. once: one server of each running client, so that the client sees each tool once. " +
			"always: every server. waiting: one server, and only while an item needs your review. Calls to them work through every server.",
	},
	{
		Key: "pins.first_use", Default: "review", Scope: Server, kind: choice{"review", "trust-clean"},
		Values: "review, trust-clean", Safer: "review",
		Doc: "What happens to a new server. review: all of it is blocked until you review it. " +
			"trust-clean: items without a finding of Medium or above are allowed and shown as \"trusted on first use, never read\".",
	},
	{
		Key: "pins.recheck", Default: "30s", Scope: Server,
		kind:   span{min: 0, max: 24 * time.Hour, off: true, offRisk: 1e18},
		Values: "a duration from 0 (every call) to 24h, or off", Safer: "shorter",
		Doc: "How often Sallyport re-checks a server that doesn't announce changes. If the last check is older than this when a call comes, " +
			"Sallyport checks again during the call, and the response waits for the result. 0 checks at every call, off never.",
	},
	{
		// The response never passes unchecked, however long this is. But calls go out while Sallyport waits for the listing: a server that
		// stalls it keeps receiving arguments for this long.
		Key: "pins.recheck_timeout", Default: "10s", Scope: Server,
		kind:   span{min: time.Millisecond, max: 10 * time.Minute},
		Values: "a duration from 1ms to 10m", Safer: "shorter",
		Doc: "How long a response waits for that check before it is blocked. Meanwhile calls still reach the server, so " +
			"longer is less safe. A short time blocks the responses of servers that list slowly.",
	},
	{
		Key: "pins.resources", Default: off, Scope: Server, kind: toggle{safeOn: true},
		Values: "on, off", Safer: "on",
		Doc: "Whether you approve every single resource, not only resource templates. If off, a server that offers nothing but resources has one item for all of them, resource:*.",
	},
	{
		// The default stays off until docs/sandbox.md says that it breaks no server.
		Key: "sandbox", Default: off, Scope: Server, kind: choice{"strict", "shield", off},
		Values: "strict, shield, off", Safer: "strict",
		Doc: "What a server's program can't reach, from its next start. shield: Sallyport's files and socket, the clients' configuration files, " +
			"other programs' processes, and anything that could run programs for it outside (the session bus, the display, container engines). strict: the " +
			"network and the home folder too. Needs Linux and bubblewrap; without them the server is not started.",
	},
	{
		Key: "pins.launch", Default: "notify", Scope: Server, kind: choice{"block", "notify", off},
		Values: "off, notify, block", Safer: "block",
		Doc: "What happens when a server's command would start a different program than the one you allowed: a different executable or script, or another version of its package. " +
			"notify: the change goes to the inbox and the server runs, unless a variable that can load code has a value you haven't allowed or PATH finds another executable. block: the server is not started until you decide. " +
			"A different folder or a missing variable goes to the inbox but never stops the server. Applies from the next start of a server.",
	},
	{
		Key: "remote.plaintext", Default: off, Scope: Server, kind: toggle{},
		Values: "on, off", Safer: "off",
		Doc: "Whether a remote server on another computer may be reached over http://, where everybody on the way can read and change what is sent. On this computer http:// is always allowed.",
	},
	{
		Key: "remote.idle", Default: "15m", Scope: Server,
		kind:   span{min: 5 * time.Second, max: 24 * time.Hour},
		Values: "a duration from 5s to 24h", Safer: "shorter",
		Doc: "How long a request to a remote server may go without a byte from it before it gets an error.",
	},
	{
		Key: "auth.client_id", Default: off, Scope: Server, kind: named{clientID},
		Values: "a client id, or off", Safer: "neither",
		Doc: "The client id under which the issuer of a remote server knows you, if it does not let programs register by themselves. Set it for one server, since an id belongs to one issuer.",
	},
	{
		Key: "auth.client_secret", Default: off, Scope: Server, kind: named{keyPlace},
		Values: "env: with the name of a variable, keychain: with the name of an entry, or off", Safer: "neither",
		Doc: "Where the secret that belongs to auth.client_id is: in an environment variable of the hub, or in the keychain of this computer (sallyport secret set NAME). Never the secret itself.",
	},
	{
		Key: "auth.client_metadata_url", Default: off, Scope: Server, kind: named{metadataAddress},
		Values: "an https:// address, or off", Safer: "neither",
		Doc: "The address of a document that says who Sallyport is (OAuth client ID metadata document), for issuers that take one in place of a registration.",
	},
	{
		Key: "inspect.max_bytes", Default: "64MiB", Scope: Server, kind: size{min: 4 << 10, max: 1 << 30, largerSafer: true},
		Values: "a size from 4KiB to 1GiB", Safer: "larger",
		Doc: "The largest response that Sallyport checks for threats. Larger responses are handled by inspect.on_limit.",
	},
	{
		Key: "inspect.on_limit", Default: "hold", Scope: Server, kind: choice{"hold", "allow"},
		Values: "hold, allow", Safer: "hold",
		Doc: "What happens to a response that is too large to check. hold: it is held until you decide. allow: it passes unchecked, and the activity log says so.",
	},
	{
		Key: "inspect.rules", Default: off, Scope: Global, kind: file{},
		Values: "the full path of a file, or off", Safer: "a file (changing or removing it asks you first)",
		Doc: "A file with your own rules for definitions and responses. They only add findings. A file that doesn't load is rejected, and the earlier rules still apply.",
	},
	{
		Key: "output_validation.mode", Default: "warn", Scope: Tool, kind: choice{"strict", "warn", off},
		Values: "off, warn, strict", Safer: "strict",
		Doc: "What happens to a response that doesn't match the output schema that its tool declares and you allowed. warn: it passes, and the activity log says what doesn't match. " +
			"strict: it is blocked. off: Sallyport doesn't check.",
	},
	{
		Key: "output_validation.max_bytes", Default: "8MiB", Scope: Tool, kind: size{min: 1, max: 1 << 30},
		Values: "a size from 1 to 1GiB", Safer: "smaller",
		Doc: "The largest structured content that matches. A larger one counts as not matching, and the schema isn't applied to it.",
	},
	{
		Key: "output_validation.max_depth", Default: "64", Scope: Tool, kind: number{min: 0, max: 1000}, // frame.MaxDepth blocks a deeper message
		Values: "a number from 0 to 1000", Safer: "smaller",
		Doc: "How many levels of objects and lists structured content can have to match; a single value has 0. A deeper one counts as not matching, and the schema isn't applied to it.",
	},
	{
		Key: "output_validation.missing_structured_content", Default: "allow", Scope: Tool, kind: choice{"block", "allow"},
		Values: "allow, block", Safer: "block",
		Doc: "What happens in strict mode to a response without structured content, if its tool declares an output schema. allow: it passes; many tools send only text. block: it counts as not matching.",
	},
	{
		Key: "tools.mode", Default: "allow", Scope: Tool, kind: choice{off, "ask", "allow"},
		Values: "allow, ask, off", Safer: "off",
		Doc: "Whether Claude can call a tool that you allowed. allow: it can. ask: you decide on each call, in the inbox, and once you have allowed one, Claude makes it again. " +
			"off: the tool isn't listed, and a call is refused as if it didn't exist. What you allowed stays allowed.",
	},
	{
		Key: "flow.policy", Default: "ask", Scope: Tool, kind: choice{"ask", "note", off},
		Values: "off, note, ask", Safer: "ask",
		Doc: "What happens to a call that would carry something a server said to another place: a recipient, an account, a host or a name that came out of a response and that you never used, or an order that a response gave. " +
			"ask: you decide on the call, in the inbox. note: it runs, and the activity log says so. off: Sallyport doesn't look at where arguments come from.",
	},
	{
		Key: "tools.class", Default: "auto", Scope: Tool, kind: classes{},
		Values: "auto, none, or some of gives, takes, commits, changes access, reaches, with commas between", Safer: "more words",
		Doc: "What a call of a tool does that flow.policy looks at. gives: it passes something on. takes: it deletes or cancels. commits: it pays, orders or books. " +
			"changes access: it sets a password, key, role or permission. reaches: it contacts a host that its arguments name. auto: Sallyport reads it from the tool's claims, name and inputs.",
	},
	{
		Key: "interaction.policy", Default: "guard", Scope: Server, kind: choice{"deny", "ask", "guard", "allow"},
		Values: "allow, guard, ask, deny", Safer: "deny",
		Doc: "What happens when a server asks Claude or you for something (sampling, elicitation). guard: a request with a finding of High or above is blocked and goes to the inbox. " +
			"ask: the first request of each kind needs your approval. deny: all are blocked. allow: all pass, and findings are recorded.",
	},
	{
		Key: "quarantine.retention", Default: "24h", Scope: Global, kind: span{min: time.Minute, max: 30 * 24 * time.Hour},
		Values: "a duration from 1m to 720h", Safer: "shorter",
		Doc: "How long the text of a held response is kept for your decision. Its record stays.",
	},
	{
		Key: "inspect.descriptions", Default: "review", Scope: Server, kind: choice{"block", "redact", "review"},
		Values: "review, redact, block", Safer: "block",
		Doc: "What happens to suspicious words in what a server declares, whatever you allowed. review: your approval decides. redact: matches of rules that are critical or high in the " +
			"catalogue become [REDACTED]. block: an item with a critical one is left out and can't be called; high ones become [REDACTED]. Rules go by their words alone, so honest texts are hit too.",
	},
	{
		Key: "sanitizer.profile", Default: "standard", Scope: Server, kind: choice{"strict", "standard", off},
		Values: "off, standard, strict", Safer: "strict",
		Doc: "What the client gets of the definitions of tools, prompts and resources that you allowed. standard: everything except invisible characters, and names, texts and schemas " +
			"beyond any reasonable size. strict: only names, descriptions and input schemas, in few words; titles, annotations and output schemas are left out. off: definitions pass unchanged.",
	},
	{
		Key: "sanitizer.ansi", Default: "visible", Scope: Server, kind: choice{"strip", "visible", off},
		Values: "visible, strip, off", Safer: "strip",
		Doc: "What happens to terminal escape sequences and control characters in what a server sends. visible: they become readable text. strip: they are removed. off: they pass.",
	},
	{
		Key: "redact.mode", Default: "detect", Scope: Tool, kind: choice{"redact", "detect", off},
		Values: "off, detect, redact", Safer: "redact",
		Doc: "What happens to secrets (keys, passwords, tokens, private keys) in a server's responses. detect: they are recorded and shown, and the response stays unchanged. " +
			"redact: each is replaced by a mark such as [PASSWORD_REDACTED]; if Claude writes such a file back, the secret is lost. off: Sallyport doesn't look for them.",
	},
	{
		Key: "redact.profile", Default: "precise", Scope: Tool, kind: choice{"strict", "precise"},
		Values: "precise, strict", Safer: "strict",
		Doc: "What counts as a secret. precise: known formats of keys, and values with the name of a secret. strict: also any 40 characters of base64, so it may mistake commit hashes for secrets.",
	},
	{
		Key: "spotlight", Default: off, Scope: Tool, kind: choice{"on", "ask", off},
		Values: "off, on, ask", Safer: "on",
		Doc: "Whether Sallyport marks the texts of responses as foreign. It puts each one between two tags that name its source, and replaces words that make some clients " +
			"run a tool (__ot, mcp__NAME). off: only for a call with the argument __sanitize__ set to true. on: always. ask: unless a call sets __sanitize__ to false.",
	},
	{
		Key: "guardrail.provider", Default: ProviderBuiltin, Scope: Server, kind: providers{},
		Values: "builtin, and any of command, http, llamafirewall, with commas between", Safer: "a longer list (taking one off asks you first)",
		Doc: "Which guardrail providers check responses and new tools. builtin is Sallyport's own detector and always runs. command: a program of yours. http: a service at an address. " +
			"llamafirewall: LlamaFirewall, run by your own Python. Sallyport asks a provider twice before it switches it on. Each response then waits until all of them have judged it.",
	},
	{
		Key: "guardrail.command.argv", Default: off, Scope: Global, kind: named{argv},
		Values: "a JSON array of strings, the program first, or off", Safer: "neither",
		Doc: "The program behind the provider command. It gets one JSON object per line and writes one per line back. It runs as you, without a sandbox.",
	},
	{
		Key: "guardrail.http.url", Default: off, Scope: Global, kind: named{address},
		Values: "an address that starts with https://, or with http:// on this computer; or off", Safer: "neither",
		Doc: "The address of the provider http. To an address on another computer, Sallyport sends only the responses of servers with guardrail.remote on, and replaces secrets first.",
	},
	{
		Key: "guardrail.http.format", Default: "sallyport", Scope: Server, kind: taste{"sallyport", "openai"},
		Values: "sallyport, openai", Safer: "neither",
		Doc: "How the provider http is asked. sallyport: with Sallyport's own JSON object. openai: as a chat with a model, at /v1/chat/completions below the address.",
	},
	{
		Key: "guardrail.http.model", Default: off, Scope: Server, kind: named{modelName},
		Values: "the name of a model (such as llama-guard3:8b), or off", Safer: "neither",
		Doc: "Which model the provider http is asked for, in the format openai. off: the service decides.",
	},
	{
		Key: "guardrail.http.key", Default: off, Scope: Global, kind: named{keyPlace},
		Values: "env: with the name of a variable, keychain: with the name of an entry, or off", Safer: "neither",
		Doc: "Where the key for the provider http is: in an environment variable of the hub, or in the keychain of this computer (sallyport secret set NAME). Never the key itself.",
	},
	{
		Key: "guardrail.llamafirewall.python", Default: off, Scope: Global, kind: named{fullPath},
		Values: "the full path of a Python program, or off", Safer: "neither",
		Doc: "The Python that has LlamaFirewall installed, such as /home/me/llamafirewall/bin/python.",
	},
	{
		Key: "guardrail.timeout", Default: "2s", Scope: Server, kind: span{min: 100 * time.Millisecond, max: time.Minute, longSafer: true},
		Values: "a duration from 100ms to 1m", Safer: "longer",
		Doc: "How long a response waits for the guardrail providers. After that, guardrail.on_error decides.",
	},
	{
		Key: "guardrail.on_error", Default: "hold", Scope: Server, kind: choice{"hold", ProviderBuiltin},
		Values: "hold, builtin", Safer: "hold",
		Doc: "What happens to a response that a guardrail provider couldn't check. hold: it is held until you decide. builtin: Sallyport's own detector alone decides, and the activity log says which check did not run.",
	},
	{
		Key: "guardrail.remote", Default: off, Scope: Server, kind: toggle{},
		Values: "on, off", Safer: "off",
		Doc: "Whether the text of a server's responses and tools can be sent to a guardrail provider on another computer. Sallyport replaces secrets first. off: such a provider does not check that server.",
	},
	{
		Key: "limits.message", Default: "64MiB", Scope: Server, kind: size{min: 4 << 10, max: 1 << 30},
		Values: "a size from 4KiB to 1GiB", Safer: "smaller",
		Doc: "The largest message that passes, in either direction. A larger one gets an error, and the session continues.",
	},
	{
		Key: "approvals.cli", Default: off, Scope: Global, Window: true, kind: toggle{},
		Values: "on, off", Safer: "off",
		Doc: "Whether a hub without a window, started with --allow-cli-approval, takes decisions from the command line. You can only turn this on in the window.",
	},
	{
		Key: "clients.auto_protect", Default: "on", Scope: Global, kind: toggle{safeOn: true},
		Values: "on, off", Safer: "on",
		Doc: "Whether Sallyport guards a new entry in a file you protected right away. off: it goes to the inbox first. " +
			"Entries you left out stay left out either way.",
	},
	{
		Key: "activity.keep", Default: "2160h", Scope: Global,
		kind:   span{min: time.Second, max: 100 * 365 * 24 * time.Hour, longSafer: true},
		Values: "a duration from 1s to 876000h", Safer: "longer",
		Doc: "How long records of calls are kept in the activity log (2160h is 90 days). Decisions and drift stay until activity.max_size is reached.",
	},
	{
		Key: "activity.payloads", Default: off, Scope: Server, kind: toggle{},
		Values: "on, off", Safer: "off",
		Doc: "Whether records of calls, reads and prompts keep the arguments and the response, up to 64 KiB of each. Passwords and keys that Sallyport " +
			"recognizes are replaced by marks; everything else is on this computer in clear, until activity.keep or activity.max_size removes it.",
	},
	{
		Key: "activity.max_size", Default: "256MiB", Scope: Global, kind: size{min: 64 << 10, max: 1 << 40, largerSafer: true},
		Values: "a size from 64KiB to 1024GiB", Safer: "larger",
		Doc: "The largest size of the activity log. When it is reached, the oldest records are deleted first, decisions and drift last.",
	},
}

func Lookup(key string) (Setting, bool) {
	for _, s := range table {
		if s.Key == key {
			return s, true
		}
	}
	return Setting{}, false
}
