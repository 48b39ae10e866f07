package policy

import "time"

// Wrapper is what a wrapper needs of the settings in force for its server.
type Wrapper struct {
	OwnTools       string        // once, always or waiting: who lists our tools
	TrustClean     bool          // first use: allow what has no finding of Medium or above
	Recheck        time.Duration // how old the last look may be at a call; 0 is every call. Not used if RecheckOff
	RecheckOff     bool
	RecheckTimeout time.Duration
	Resources      bool   // pin each resource
	Launch         string // off, notify or block
	MaxMessage     int    // bytes
	Sandbox        string // off, shield or strict: what the server's program runs under
	MaxInspect     int    // bytes of an answer that are looked at
	HoldBeyond     bool   // hold what is larger
	Interaction    string // allow, guard, ask or deny
	ANSI           string // visible, strip or off
	Redact         string // off, detect or redact
	RedactStrict   bool   // any long run of base64 too
}

// ForWrapper reads values as a wrapper needs them. What is absent or cannot be read is the default.
func ForWrapper(v Values) Wrapper {
	recheck, on := v.duration("pins.recheck")
	timeout, _ := v.duration("pins.recheck_timeout")
	return Wrapper{
		OwnTools:       v.safe("own_tools"),
		TrustClean:     v.safe("pins.first_use") == "trust-clean",
		Recheck:        recheck,
		RecheckOff:     !on,
		RecheckTimeout: timeout,
		Resources:      v.safe("pins.resources") == "on",
		Launch:         v.safe("pins.launch"),
		MaxMessage:     int(v.bytes("limits.message")),
		Sandbox:        v.safe("sandbox"),
		MaxInspect:     int(v.bytes("inspect.max_bytes")),
		HoldBeyond:     v.safe("inspect.on_limit") == "hold",
		Interaction:    v.safe("interaction.policy"),
		ANSI:           v.safe("sanitizer.ansi"),
		Redact:         v.safe("redact.mode"),
		RedactStrict:   v.safe("redact.profile") == "strict",
	}
}

// Hub is what the hub itself needs of the settings.
type Hub struct {
	CLIApproval  bool
	AutoProtect  bool // wrap new entries of a protected file at once
	ActivityKeep time.Duration
	ActivitySize int64         // bytes
	Retention    time.Duration // of the text of a held answer
	Rules        string        // path of a rule file, "" for none
}

// ForHub reads values as the hub needs them, as ForWrapper does.
func ForHub(v Values) Hub {
	keep, _ := v.duration("activity.keep")
	retention, _ := v.duration("quarantine.retention")
	rules := v.safe("inspect.rules")
	if rules == off {
		rules = ""
	}
	return Hub{
		CLIApproval:  v.safe("approvals.cli") == "on",
		AutoProtect:  v.safe("clients.auto_protect") == "on",
		ActivityKeep: keep,
		ActivitySize: v.bytes("activity.max_size"),
		Retention:    retention,
		Rules:        rules,
	}
}
