package frame

// field is a member of the envelope.
type field uint8

const (
	fieldNone field = iota
	fieldVersion
	fieldID
	fieldMethod
	fieldParams
	fieldResult
	fieldError
	fieldName          // of params
	fieldMeta          // of params
	fieldClaim         // of a client's params._meta
	fieldResultType    // of result
	fieldInputRequests // of result
	fieldCount
)

// message reads the whole line as one JSON-RPC message.
func (s *scanner) message() *Problem {
	raw := s.raw
	i := skipSpace(raw, 0)
	if i == len(raw) {
		return parseProblem("an empty line", i)
	}
	if p := firstByte(raw, i); p != nil {
		return p
	}
	if raw[i] == '[' {
		return invalidProblem("a batch; Sallyport passes none in any version of the protocol (SP-223)", i)
	}
	if p := s.document(placeEnvelope); p != nil {
		return p
	}
	if raw[i] != '{' {
		return invalidProblem("not an object", i)
	}
	return s.envelope(i)
}

// envelope applies JSON-RPC's rules to the members that were found. at is where the object starts.
func (s *scanner) envelope(at int) *Problem {
	version, method := s.spans[fieldVersion], s.spans[fieldMethod]
	params, result, failure := s.spans[fieldParams], s.spans[fieldResult], s.spans[fieldError]
	switch {
	case version.Empty():
		return invalidProblem("no jsonrpc member", at)
	case !s.stringIs(version, "2.0"):
		return invalidProblem(`jsonrpc is not "2.0"`, version.Start)
	case !result.Empty() && !failure.Empty():
		return invalidProblem("both result and error", failure.Start)
	case !method.Empty() && !(result.Empty() && failure.Empty()):
		return invalidProblem("method together with result or error", method.Start)
	case method.Empty() && result.Empty() && failure.Empty():
		return invalidProblem("none of method, result, error", at)
	}
	if method.Empty() {
		return nil
	}
	if !params.Empty() && s.raw[params.Start] != '{' && s.raw[params.Start] != '[' {
		return invalidProblem("params is neither object nor array", params.Start)
	}
	if s.raw[method.Start] != '"' {
		return invalidProblem("method is not a string", method.Start)
	}
	content := s.raw[method.Start+1 : method.End-1]
	if hasEscape(content) {
		s.methodBuffer, _ = appendUnescaped(s.methodBuffer[:0], content, replaceLone)
		content = s.methodBuffer
	}
	s.method = content[:len(content):len(content)]
	return nil
}

func (s *scanner) stringIs(v Span, text string) bool {
	content, ok := quoted(v.Of(s.raw))
	return ok && KeyIs(content, text)
}

// unescaped is a key that has escapes or is not ASCII, decoded.
func (s *scanner) unescaped(key []byte) []byte {
	s.decoded[0] = appendKey(s.decoded[0][:0], key, false)
	return s.decoded[0]
}

// folded is a decoded key under case folding.
func (s *scanner) folded(key []byte) []byte {
	s.decoded[1] = append(s.decoded[1][:0], key...)
	s.decoded[1] = foldInPlace(s.decoded[1], 0)
	return s.decoded[1]
}

// envelopeField maps a key to a member of the envelope. ok is false for a known key in another case.
func (s *scanner) envelopeField(key []byte, tr traits) (f field, ok bool) {
	if tr != 0 {
		key = s.unescaped(key)
	}
	switch string(key) {
	case "jsonrpc":
		return fieldVersion, true
	case "id":
		return fieldID, true
	case "method":
		return fieldMethod, true
	case "params":
		return fieldParams, true
	case "result":
		return fieldResult, true
	case "error":
		return fieldError, true
	}
	switch string(s.folded(key)) {
	case "jsonrpc", "id", "method", "params", "result", "error":
		return fieldNone, false
	}
	return fieldNone, true
}

// paramsKey returns the place of the value of a key directly in params. ok is false for a known key, in any protocol version, in another
// case.
func (s *scanner) paramsKey(key []byte, tr traits) (child place, ok bool) {
	if tr != 0 {
		key = s.unescaped(key)
	}
	switch string(key) {
	case "arguments":
		if s.dir == FromClient {
			return placeExact, true
		}
		return placeOther, true
	case "context":
		if s.dir == FromClient {
			return placeContext, true
		}
		return placeOther, true
	case "_meta":
		if s.dir == FromClient {
			return placeMeta, true
		}
		return placeOther, true
	case "name", "uri": // the usual ones are found first
		return placeOther, true
	}
	switch string(key) {
	case "action", "argument", "capabilities", "clientInfo", "content", "createdAt", "cursor", "data", "description",
		"elicitationId", "error", "includeContext", "inputResponses", "lastUpdatedAt", "level", "logger", "maxTokens", "message", "messages",
		"metadata", "mode", "model", "modelPreferences", "notifications", "pollInterval", "progress", "progressToken",
		"protocolVersion", "reason", "ref", "requestId", "requestState", "requestedSchema", "roots", "status", "statusMessage",
		"stopSequences", "systemPrompt", "task", "taskId", "temperature", "toolChoice", "tools", "total", "ttl", "uris", "url":
		return placeOther, true
	}
	switch string(s.folded(key)) {
	case "_meta", "action", "argument", "arguments", "capabilities", "clientinfo", "content", "context", "createdat", "cursor", "data",
		"description", "elicitationid", "error", "includecontext", "inputresponses", "lastupdatedat", "level", "logger", "maxtokens",
		"message", "messages", "metadata", "mode", "model", "modelpreferences", "name", "notifications", "pollinterval", "progress",
		"progresstoken", "protocolversion", "reason", "ref", "requestid", "requeststate", "requestedschema", "roots", "status",
		"statusmessage", "stopsequences", "systemprompt", "task", "taskid", "temperature", "toolchoice", "tools", "total", "ttl", "uri",
		"uris", "url":
		return placeOther, false
	}
	return placeOther, true
}

// contextKey returns the place of the value of a key directly in a client's params.context.
func (s *scanner) contextKey(key []byte, tr traits) place {
	if tr != 0 {
		key = s.unescaped(key)
	}
	if string(key) == "arguments" {
		return placeExact
	}
	return placeOther
}

// ClaimKey is the key under which a request of the modern era says its protocol version, in params._meta (specification of 2026-07-28, "_meta").
const ClaimKey = "io.modelcontextprotocol/protocolVersion"

// claims reports whether a key of a client's params._meta is ClaimKey. ok is false if it is, but in another case.
func (s *scanner) claims(key []byte, tr traits) (claims, ok bool) {
	if tr == 0 && len(key) != len(ClaimKey) {
		return false, true
	}
	if tr != 0 {
		key = s.unescaped(key)
	}
	if string(key) == ClaimKey {
		return true, true
	}
	return false, string(s.folded(key)) != foldedClaimKey
}

var foldedClaimKey = FoldedKey([]byte(ClaimKey))

// resultField maps a key of a server's result to what is looked for there, in any case: some parsers ignore it.
func (s *scanner) resultField(key []byte, tr traits) field {
	if tr == 0 && len(key) != len("resultType") && len(key) != len("inputRequests") {
		return fieldNone
	}
	if tr != 0 {
		key = s.unescaped(key)
	}
	switch string(s.folded(key)) {
	case "resulttype":
		return fieldResultType
	case "inputrequests":
		return fieldInputRequests
	}
	return fieldNone
}
