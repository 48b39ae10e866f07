package policy

import "time"

// Wrapper holds the settings that a wrapper needs for its server.
type Wrapper struct {
	OwnTools       string        // once, always or waiting: which wrapper lists our tools
	TrustClean     bool          // first use: allow items without a finding of Medium or above
	Recheck        time.Duration // maximum age of the last check at a call; 0 checks at every call. Unused if RecheckOff
	RecheckOff     bool
	RecheckTimeout time.Duration
	Resources      bool          // pin each resource
	Launch         string        // off, notify or block
	Plaintext      bool          // a remote server on another computer may be reached over http
	Idle           time.Duration // how long a remote server may send nothing
	MaxMessage     int           // bytes
	MaxInspect     int           // bytes of a response that are inspected
	HoldBeyond     bool          // hold larger ones
	Mode           string        // of tools: allow, ask or off
	Flow           string        // what is done about where an argument came from: off, note or ask
	Classes        string        // of a tool, as tools.class has them: see ClassesOf
	Interaction    string        // allow, guard, ask or deny
	Descriptions   string        // review, redact or block
	Sanitizer      string        // off, standard or strict
	ANSI           string        // visible, strip or off
	Redact         string        // off, detect or redact
	RedactStrict   bool          // also any long run of base64
	Payloads       bool          // records keep arguments and responses
	Spotlight      string        // off, on or ask
	Validation     string        // of output by its schema: off, warn or strict
	ValidateBytes  int64         // of structured content, and
	ValidateDepth  int           // its levels, at most
	BlockMissing   bool          // strict: structured content must be there

	Guards       string        // providers beside the built-in one on this computer, with commas between; "" for none
	GuardsAway   string        // those on another computer that are given this server's text
	GuardsUnsent string        // those on another computer that are not
	GuardTimeout time.Duration // how long a response waits for them
	GuardHold    bool          // hold what they could not check
}

// ForWrapper converts values for a wrapper. Absent or unreadable ones get the default.
func ForWrapper(v Values) Wrapper {
	recheck, on := v.duration("pins.recheck")
	timeout, _ := v.duration("pins.recheck_timeout")
	idle, _ := v.duration("remote.idle")
	guards := ForGuardrail(v)
	here, away, unsent := guards.divided()
	return Wrapper{
		OwnTools:       v.safe("own_tools"),
		TrustClean:     v.safe("pins.first_use") == "trust-clean",
		Recheck:        recheck,
		RecheckOff:     !on,
		RecheckTimeout: timeout,
		Resources:      v.safe("pins.resources") == "on",
		Launch:         v.safe("pins.launch"),
		Plaintext:      v.safe("remote.plaintext") == "on",
		Idle:           idle,
		MaxMessage:     int(v.bytes("limits.message")),
		MaxInspect:     int(v.bytes("inspect.max_bytes")),
		HoldBeyond:     v.safe("inspect.on_limit") == "hold",
		Mode:           v.safe("tools.mode"),
		Flow:           v.safe("flow.policy"),
		Classes:        v.safe("tools.class"),
		Interaction:    v.safe("interaction.policy"),
		Descriptions:   v.safe("inspect.descriptions"),
		Sanitizer:      v.safe("sanitizer.profile"),
		ANSI:           v.safe("sanitizer.ansi"),
		Redact:         v.safe("redact.mode"),
		RedactStrict:   v.safe("redact.profile") == "strict",
		Payloads:       v.safe("activity.payloads") == "on",
		Spotlight:      v.safe("spotlight"),
		Validation:     v.safe("output_validation.mode"),
		ValidateBytes:  v.bytes("output_validation.max_bytes"),
		ValidateDepth:  v.number("output_validation.max_depth"),
		BlockMissing:   v.safe("output_validation.missing_structured_content") == "block",
		Guards:         here,
		GuardsAway:     away,
		GuardsUnsent:   unsent,
		GuardTimeout:   guards.Timeout,
		GuardHold:      guards.Hold,
	}
}

// Hub holds the settings that the hub itself needs.
type Hub struct {
	CLIApproval  bool
	AutoProtect  bool // wrap new entries of a protected file at once
	Plaintext    bool // remote servers on other computers may be reached over http
	ActivityKeep time.Duration
	ActivitySize int64         // bytes
	Retention    time.Duration // how long the text of a held response is kept
	Rules        string        // path of a rule file, "" for none
}

// ForHub converts values for the hub, as ForWrapper does.
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
		Plaintext:    v.safe("remote.plaintext") == "on",
		ActivityKeep: keep,
		ActivitySize: v.bytes("activity.max_size"),
		Retention:    retention,
		Rules:        rules,
	}
}
