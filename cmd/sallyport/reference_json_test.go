package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// printedJSON is what each command prints with --json, in the order of --help.
var printedJSON = []struct {
	command string
	prints  any
	note    string
}{
	{"probe", probeReport{}, ""},
	{"probe --config", list[probeReport]{}, ""},
	{"protect", protectedReport{}, ""},
	{"protect --dry-run", control.Protected{}, "Also where no server was started to read what it declares."},
	{"unprotect", control.Protected{}, ""},
	{"backups list", list[control.Backup]{}, ""},
	{"backups restore", control.Protected{}, ""},
	{"status", statusReport{}, ""},
	{"servers", list[control.Server]{}, ""},
	{"inbox", list[control.InboxItem]{}, ""},
	{"show", control.ItemDetail{}, ""},
	{"approve", control.Decided{}, "Where it decides nothing (exit code 3), the item as `show` prints it."},
	{"approve --clean", control.CleanDecided{}, "Where it decides nothing, the list it would have asked about: a `CleanSet`."},
	{"approve --clean (nothing decided)", control.CleanSet{}, ""},
	{"reject", control.Decided{}, "Where it decides nothing (exit code 3), the item as `show` prints it."},
	{"block", control.Blocked{}, ""},
	{"release", control.ReleaseAnswer{}, "Where it decides nothing (exit code 3), the item as `show` prints it."},
	{"discard", control.ReleaseAnswer{}, ""},
	{"discard --all", discardReport{}, "Where it decides nothing (exit code 3), only `items`."},
	{"except", list[control.Exception]{}, ""},
	{"exceptions list", list[control.Exception]{}, ""},
	{"exceptions end", list[control.Exception]{}, ""},
	{"flow list", list[control.AllowedCall]{}, ""},
	{"flow forget", list[control.AllowedCall]{}, ""},
	{"activity list", control.Activity{}, "With `--follow`, one `Record` a line."},
	{"activity show", vocab.Record{}, "`activity export --format jsonl` writes one a line. With filters the line of the next row comes first."},
	{"activity export (with filters)", filteredExport{}, "The first line."},
	{"activity summary", control.Summary{}, ""},
	{"activity verify", control.Verified{}, ""},
	{"settings list", list[control.Setting]{}, ""},
	{"settings get", control.Setting{}, ""},
	{"settings set", control.Setting{}, ""},
	{"guardrail list", list[control.GuardProvider]{}, ""},
	{"guardrail test", control.GuardVerdict{}, "`reason` is the provider's own text."},
	{"auth login", control.SignInStatus{}, "Where it decides nothing (exit code 3), a `LoginPlan`."},
	{"auth login (nothing decided)", control.LoginPlan{}, ""},
	{"auth status", list[control.SignInStatus]{}, "No token is in it."},
	{"auth logout", control.SignInStatus{}, ""},
	{"secret list", storedSecrets{}, "`kept` and `new` are `keychain` or `file` (`secrets.sealed`). A value is never printed."},
	{"scan --format json", scanReport{}, ""},
	{"scan --as jsonl", scannedLine{}, "One a line, in the order of the input."},
	{"scan --format sarif", sarifLog{}, "SARIF 2.1.0, for code-scanning tools."},
	{"doctor", list[checked]{}, ""},
}

// A shape is in docs/reference/json.md if it is in printedJSON, and it is in printedJSON if the code prints it.
func TestEveryPrintedShapeIsInTheReference(t *testing.T) {
	listed := map[string]bool{}
	for _, row := range printedJSON {
		listed[shapeName(reflect.TypeOf(row.prints))] = true
	}
	printed := map[string]bool{}
	for _, name := range typesPrinted(t) {
		printed[name] = true
		if !listed[name] {
			t.Errorf("something prints a %s as JSON, and printedJSON has none", name)
		}
	}
	for name := range listed {
		if !printed[name] {
			t.Errorf("printedJSON has a %s, which nothing prints", name)
		}
	}
}

func TestEveryCommandWithJSONIsInTheReference(t *testing.T) {
	parser, err := newParser(&commandLine{}, streams{strings.NewReader(""), io.Discard, io.Discard}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range visible(parser.Model.Node) {
		if len(node.Children) > 0 || !slices.ContainsFunc(node.Flags, func(f *kong.Flag) bool { return f.Name == "json" }) {
			continue
		}
		name := strings.TrimPrefix(node.FullPath(), "sallyport ")
		if !slices.ContainsFunc(printedJSON, func(row struct {
			command string
			prints  any
			note    string
		}) bool {
			return row.command == name
		}) {
			t.Errorf("%s has --json, and printedJSON does not say what it prints", name)
		}
	}
}

// typesPrinted are the types of what the package gives to writeJSON or print, or has a decision show.
func typesPrinted(t *testing.T) (names []string) {
	t.Helper()
	checked := typeChecked(t)["cmd/sallyport"]
	prints := func(e ast.Expr) {
		names = append(names, types.TypeString(types.Unalias(checked.info.Types[e].Type), func(p *types.Package) string { return p.Name() }))
	}
	for _, file := range checked.files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				return n.Recv == nil || n.Name.Name != "print" && n.Name.Name != "undecided" // these pass on what they are given
			case *ast.CallExpr:
				switch called := n.Fun.(type) {
				case *ast.Ident:
					if called.Name == "writeJSON" {
						prints(n.Args[1])
					}
				case *ast.SelectorExpr:
					if called.Sel.Name == "print" {
						prints(n.Args[1])
					}
				}
			case *ast.KeyValueExpr:
				if key, is := n.Key.(*ast.Ident); is && key.Name == "shown" {
					prints(n.Value)
				}
			}
			return true
		})
	}
	return names
}

// shapeName is a type as go/types writes it with package names.
func shapeName(of reflect.Type) string {
	name := of.String()
	if inner, is := strings.CutPrefix(name, "main.list["); is {
		return "main.list[" + strings.Replace(inner[strings.LastIndexByte(inner, '/')+1:], "sallyport.", "main.", 1)
	}
	return name
}

func TestTheReferenceOfJSONSaysWhatTheCodePrints(t *testing.T) {
	var b strings.Builder
	b.WriteString(generated + `
# JSON of the command line

With ` + "`--json`" + ` a command prints one JSON document on one line, and nothing else on standard output. Lists are ` + "`{\"items\": […]}`" + `, empty ones too.
Members can be added in a later version: skip what you don't know. Control and invisible characters of text that came from a server are escaped.
What the exit code says is in [commands.md](commands.md).

| command | prints | |
|---|---|---|
`)
	shapes := newShapes(t)
	for _, row := range printedJSON {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", row.command, shapes.name(reflect.TypeOf(row.prints)), row.note)
	}
	b.WriteString("\nThe shapes, one table each. A member marked *optional* is left out where it is empty.\n")
	shapes.write(&b)
	compareReference(t, "json.md", b.String())
}

// shapes writes types as JSON shows them, with the comments of their source.
type shapes struct {
	t       *testing.T
	written map[reflect.Type]bool
	queue   []reflect.Type
	sources map[string]sourceTypes
}

// sourceTypes are the comments of one package: of a type under its name, of a field under TYPE.FIELD, of a type's constants their values.
type sourceTypes struct {
	comment map[string]string
	values  map[string][]string
}

func newShapes(t *testing.T) *shapes {
	return &shapes{t: t, written: map[reflect.Type]bool{}, sources: map[string]sourceTypes{}}
}

// name is a type in a table, and queues it to be written if it has a table of its own.
func (s *shapes) name(of reflect.Type) string {
	switch {
	case of == reflect.TypeFor[time.Time]():
		return "time (RFC 3339)"
	case of.Kind() == reflect.Pointer:
		return s.name(of.Elem())
	case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Uint8:
		if of.Name() == "RawMessage" || of.Name() == "Value" {
			return "any JSON"
		}
		return "base64"
	case of.Kind() == reflect.Slice:
		return "list of " + s.name(of.Elem())
	case of.Kind() == reflect.Map:
		return "object: " + s.name(of.Key()) + " → " + s.name(of.Elem())
	case of.Kind() == reflect.Interface:
		return "any JSON"
	case of.Kind() == reflect.Struct && strings.HasPrefix(of.Name(), "list["):
		return "`{\"items\": […]}`, each " + s.name(of.Field(0).Type.Elem())
	case of.Kind() == reflect.Struct:
		if !s.written[of] {
			s.written[of] = true
			s.queue = append(s.queue, of)
		}
		return "[" + title(of) + "](#" + strings.ToLower(title(of)) + ")"
	case of.Kind() == reflect.String:
		if values := s.source(of).values[of.Name()]; len(values) > 0 {
			return "`" + strings.Join(values, "`, `") + "`"
		}
		return "string"
	case of.Kind() == reflect.Bool:
		return "true or false"
	}
	return "number"
}

func title(of reflect.Type) string { return strings.ToUpper(of.Name()[:1]) + of.Name()[1:] }

// write is a section for each type that was named, and for those their fields name.
func (s *shapes) write(b *strings.Builder) {
	for len(s.queue) > 0 {
		of := s.queue[0]
		s.queue = s.queue[1:]
		fmt.Fprintf(b, "\n## %s\n\n", title(of))
		if told := s.source(of).comment[of.Name()]; told != "" {
			fmt.Fprintf(b, "%s\n\n", told)
		}
		b.WriteString("| member | is | |\n|---|---|---|\n")
		s.fields(b, of, map[string]bool{})
	}
}

// fields is a row for each member. One that a type has and what it embeds has too is the type's own.
func (s *shapes) fields(b *strings.Builder, of reflect.Type, above map[string]bool) {
	mine := maps.Clone(above)
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		mine[name] = true
	}
	for i := range of.NumField() {
		field := of.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			s.fields(b, field.Type, mine)
			continue
		case !field.IsExported() || name == "-" || above[name]:
			continue
		case name == "":
			name = field.Name
		}
		is := s.name(field.Type)
		if strings.Contains(options, "omit") {
			is += ", *optional*"
		}
		told := strings.ReplaceAll(s.source(of).comment[of.Name()+"."+field.Name], "|", `\|`)
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, is, told)
	}
}

// source reads the comments of the package of a type.
func (s *shapes) source(of reflect.Type) sourceTypes {
	if known, is := s.sources[of.PkgPath()]; is {
		return known
	}
	read := sourceTypes{map[string]string{}, map[string][]string{}}
	s.sources[of.PkgPath()] = read
	folder := "."
	if path, ours := strings.CutPrefix(of.PkgPath(), module); ours && path != "cmd/sallyport" {
		folder = filepath.Join("../..", filepath.FromSlash(path))
	} else if !ours && of.PkgPath() != "main" {
		return read
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(paths) == 0 {
		s.t.Fatalf("no source of %s: %v", of, err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			if group, is := declaration.(*ast.GenDecl); is {
				read.add(group)
			}
		}
	}
	return read
}

func (read sourceTypes) add(group *ast.GenDecl) {
	for _, spec := range group.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			read.comment[spec.Name.Name] = oneLine(cmpDoc(spec.Doc, group.Doc))
			if of, is := spec.Type.(*ast.StructType); is {
				for _, field := range of.Fields.List {
					for _, name := range field.Names {
						read.comment[spec.Name.Name+"."+name.Name] = oneLine(cmpDoc(field.Comment, field.Doc))
					}
				}
			}
		case *ast.ValueSpec:
			if of, is := spec.Type.(*ast.Ident); is && group.Tok == token.CONST {
				for _, value := range spec.Values {
					if literal, is := value.(*ast.BasicLit); is && literal.Kind == token.STRING && literal.Value != `""` {
						read.values[of.Name] = append(read.values[of.Name], strings.Trim(literal.Value, "\"`"))
					}
				}
			}
		}
	}
}

func cmpDoc(first, second *ast.CommentGroup) *ast.CommentGroup {
	if first != nil {
		return first
	}
	return second
}

// oneLine is a comment on one line.
func oneLine(group *ast.CommentGroup) string { return strings.Join(strings.Fields(group.Text()), " ") }
