package control

import (
	"bytes"
	"flag"
	"reflect"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/golden"
)

var updateGolden = flag.Bool("update", false, "write the golden file anew: what older wrappers and hubs speak changes with it")

// spoken are the parameters and the answer of each call, by method.
var spoken = map[string][2]any{
	"register":       {Register{}, State{}},
	"report":         {Report{}, State{}},
	"launch":         {LaunchReport{}, State{}},
	"sign_in":        {SignIn{}, SignedIn{}},
	"login":          {Login{}, LoginBegun{}},
	"login_end":      {named{}, SignInStatus{}},
	"logout":         {named{}, SignInStatus{}},
	"sign_ins":       {SignInQuery{}, []SignInStatus{}},
	"records":        {Records{}, Acked{}},
	"attention":      {Attention{}, Waiting{}},
	"hold":           {Held{}, Kept{}},
	"take":           {Take{}, Taken{}},
	"interaction":    {Interaction{}, Kept{}},
	"call":           {Call{}, CallAnswer{}},
	"unseen":         {Unseen{}, nothing{}},
	"eras":           {Eras{}, nothing{}},
	"shortened":      {Shortened{}, nothing{}},
	"keep_tasks":     {Tasks{}, Acked{}},
	"known_tasks":    {TaskQuery{}, KnownTasks{}},
	"guard":          {Guard{}, Guarded{}},
	"status":         {nothing{}, Status{}},
	"servers":        {nothing{}, []Server{}},
	"inbox":          {nothing{}, []InboxItem{}},
	"item":           {named{}, ItemDetail{}},
	"decide":         {Decide{}, Decided{}},
	"clean":          {CleanQuery{}, CleanSet{}},
	"allow_clean":    {CleanQuery{}, CleanDecided{}},
	"block":          {Block{}, Blocked{}},
	"release":        {Release{}, ReleaseAnswer{}},
	"held_set":       {HeldQuery{}, HeldSet{}},
	"discard_held":   {DiscardHeld{}, DiscardedHeld{}},
	"exceptions":     {nothing{}, []Exception{}},
	"except":         {Except{}, []Exception{}},
	"end_exception":  {named{}, Exception{}},
	"values":         {ValuesHeard{}, nothing{}},
	"allowed_calls":  {nothing{}, []AllowedCall{}},
	"forget_call":    {named{}, AllowedCall{}},
	"activity":       {ActivityQuery{}, Activity{}},
	"record":         {named{}, Record{}},
	"summary":        {SummaryQuery{}, Summary{}},
	"verify":         {nothing{}, Verified{}},
	"settings":       {SettingQuery{}, []Setting{}},
	"set_setting":    {SettingQuery{}, Setting{}},
	"log":            {LogQuery{}, Log{}},
	"replace_secret": {named{}, nothing{}},
	"guards":         {nothing{}, []GuardProvider{}},
	"test_guard":     {GuardTest{}, GuardVerdict{}},
	"protect":        {Protect{}, Protected{}},
	"unprotect":      {Protect{}, Protected{}},
	"coverage":       {CoverageQuery{}, Coverage{}},
	"backups":        {nothing{}, []Backup{}},
	"restore_backup": {RestoreBackup{}, Protected{}},
	"show":           {named{}, nothing{}},
	"step_down":      {nothing{}, nothing{}},
	"flush":          {nothing{}, nothing{}},
}

// besides is what is written on the socket or in the spool and belongs to no call.
var besides = map[string]any{
	"hello":          Hello{},
	"challenge":      Challenge{},
	"welcome":        Welcome{},
	"stderr":         Stderr{},
	"line":           message{},
	"error":          Error{},
	"spool header":   spoolHeader{},
	"spool held":     heldFile{},
	"spool sealed":   sealedPart{},
	"spool detail":   sealedDetail{},
	"spool task":     spooledTask{},
	"spool versions": Versions{},
}

func TestEveryMessageOfTheSocketIsWrittenAndReadAsByTheLastVersion(t *testing.T) {
	pinned := map[string]any{}
	for method, both := range spoken {
		pinned[method+" asks"], pinned[method+" answers"] = both[0], both[1]
	}
	for name, value := range besides {
		pinned[name] = value
	}
	written := golden.Values{}
	for name, value := range pinned {
		for kind, v := range map[string]any{"empty": value, "full": golden.Full(value)} {
			raw, err := encodeRaw(v)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			written[name+" "+kind] = raw
		}
	}
	golden.Check(t, "testdata/socket.golden", written, *updateGolden)
	for name, raw := range golden.Read(t, "testdata/socket.golden") {
		read, err := golden.Again(pinned[strings.TrimSuffix(strings.TrimSuffix(name, " full"), " empty")], raw)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again, err := encodeRaw(read); err != nil || !bytes.Equal(again, raw) {
			t.Errorf("%s is read otherwise: %v\nwas %s\nnow %s", name, err, raw, again)
		}
	}
}

// A call that nobody pinned, or whose parameters are of another type than was pinned, is found by asking every method.
func TestEveryMethodOfTheSocketIsPinned(t *testing.T) {
	for method := range methods {
		if _, ok := spoken[method]; !ok {
			t.Errorf("%s is missing in the golden file", method)
		}
	}
	for method := range spoken {
		if _, ok := methods[method]; !ok {
			t.Errorf("%s is no method", method)
		}
	}
	handler := reflect.TypeFor[Handler]()
	answers := map[reflect.Type]bool{}
	for _, both := range spoken {
		answers[reflect.TypeOf(both[0])], answers[reflect.TypeOf(both[1])] = true, true
	}
	for _, other := range besides {
		answers[reflect.TypeOf(other)] = true
	}
	notSpoken := map[reflect.Type]bool{reflect.TypeFor[Peer](): true, reflect.TypeFor[Foreign](): true, reflect.TypeFor[Displaced](): true}
	for i := range handler.NumMethod() {
		method := handler.Method(i)
		var all []reflect.Type
		for j := range method.Type.NumIn() {
			all = append(all, method.Type.In(j))
		}
		for j := range method.Type.NumOut() {
			all = append(all, method.Type.Out(j))
		}
		for _, typ := range all {
			structs := typ.Kind() == reflect.Struct || typ.Kind() == reflect.Slice
			if structs && !answers[typ] && !notSpoken[typ] {
				t.Errorf("%s has a %v, which is not in the golden file", method.Name, typ)
			}
		}
	}
}
