//go:build linux

package tray

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/introspect"

	"github.com/sallyport/sallyport/app/tray/panel"
)

// spoken is the other side of a scene, call by call.
type spoken struct {
	t    *testing.T
	conn *dbus.Conn
	name string
}

func (s *scene) spoken() spoken {
	s.t.Helper()
	return spoken{s.t, panel.Connect(s.t, s.address), fmt.Sprintf("%s-%d-1", itemFace, os.Getpid())}
}

func (s spoken) menu(method string, args ...any) *dbus.Call {
	return s.conn.Object(s.name, menuPath).Call(menuFace+"."+method, 0, args...)
}

func TestAPanelIsToldOfEachChangeAndOfNothingElse(t *testing.T) {
	s := newScene(t)
	p := s.spoken()
	signals := make(chan *dbus.Signal, 64)
	p.conn.Signal(signals)
	if err := p.conn.AddMatchSignal(dbus.WithMatchSender(p.name)); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		state State
		want  string
	}{
		{two, "NewTitle NewToolTip NewIcon ItemsPropertiesUpdated LayoutUpdated"},
		{two, ""},
		{State{Mood: Critical, Waiting: two.Waiting, Coverage: two.Coverage, Tooltip: two.Tooltip}, "NewIcon"},
		{State{Mood: Critical, Waiting: two.Waiting[:1], Coverage: two.Coverage, Tooltip: two.Tooltip}, "ItemsPropertiesUpdated LayoutUpdated"},
	} {
		s.tray.Set(step.state)
		for _, want := range strings.Fields(step.want) {
			got := next(t, signals, want)
			for got.Sender == "org.freedesktop.DBus" { // about names
				got = next(t, signals, want)
			}
			if !strings.HasSuffix(got.Name, "."+want) {
				t.Fatalf("told %s, want %s", got.Name, want)
			}
			if want == "ItemsPropertiesUpdated" && len(step.state.Waiting) == 1 {
				var changed []properties
				if err := dbus.Store(got.Body[:1], &changed); err != nil || len(changed) != 2 || changed[0].ID != rowInbox+1 || changed[1].ID != rowItems+2 {
					t.Errorf("changed %v (%v)", changed, err)
				}
			}
		}
	}
	if err := p.menu("AboutToShow", int32(0)).Err; err != nil { // answered behind all signals
		t.Fatal(err)
	}
	for len(signals) > 0 {
		if got := <-signals; got.Sender != "org.freedesktop.DBus" {
			t.Errorf("told %s besides", got.Name)
		}
	}
}

func TestWhatAPanelMayAskOfTheMenu(t *testing.T) {
	s := newScene(t)
	s.tray.Set(two)
	p := s.spoken()

	var rows []properties
	if err := p.menu("GetGroupProperties", []int32{3, 3, 99, 5}, []string{}).Store(&rows); err != nil || len(rows) != 2 || rows[1].Properties["label"].Value() != "⚠ my__notes — new server" {
		t.Errorf("rows %v (%v)", rows, err)
	}
	if err := p.menu("GetGroupProperties", []int32{}, []string{}).Store(&rows); err != nil || len(rows) != rowCount {
		t.Errorf("%d rows (%v)", len(rows), err)
	}
	var value dbus.Variant
	if err := p.menu("GetProperty", int32(1), "enabled").Store(&value); err != nil || value.Value() != false {
		t.Errorf("the words are enabled: %v (%v)", value, err)
	}
	for _, wrong := range []*dbus.Call{
		p.menu("GetProperty", int32(1), "colour"), p.menu("GetProperty", int32(rowCount+1), "label"), p.menu("GetLayout", int32(-1), int32(-1), []string{}),
		p.menu("Event", int32(0), "clicked"), p.menu("Event", int32(-1), "clicked", dbus.MakeVariant(""), uint32(0)),
	} {
		if wrong.Err == nil {
			t.Errorf("%s%v was answered", wrong.Method, wrong.Args)
		}
	}
	var revision uint32
	var one layout
	if err := p.menu("GetLayout", int32(3), int32(-1), []string{}).Store(&revision, &one); err != nil || one.ID != 3 || len(one.Children) != 0 {
		t.Errorf("row %v (%v)", one, err)
	}
	if err := p.menu("GetLayout", int32(0), int32(0), []string{}).Store(&revision, &one); err != nil || one.ID != 0 || len(one.Children) != 0 {
		t.Errorf("menu %v (%v)", one, err)
	}
	var update bool
	if err := p.menu("AboutToShow", int32(0)).Store(&update); err != nil || update {
		t.Errorf("the menu is not ready to be shown (%v)", err)
	}

	// What is told of the menu is no click.
	var unknown []int32
	none := dbus.MakeVariant("")
	if err := p.menu("EventGroup", []event{{0, "opened", none, 0}, {4, "hovered", none, 0}, {99, "clicked", none, 0}, {5, "clicked", none, 0}, {1, "clicked", none, 0}}).Store(&unknown); err != nil || !slices.Equal(unknown, []int32{99}) {
		t.Errorf("unknown rows %v (%v)", unknown, err)
	}
	s.opens("#/inbox/7CK4")
	if len(s.opened) > 0 {
		t.Errorf("opened %q besides", <-s.opened)
	}
}

func TestBothObjectsDescribeThemselves(t *testing.T) {
	s := newScene(t)
	p := s.spoken()
	for _, test := range []struct {
		path    dbus.ObjectPath
		face    string
		methods int
	}{
		{itemPath, itemFace, 2},
		{menuPath, menuFace, 7},
	} {
		node, err := introspect.Call(p.conn.Object(p.name, test.path))
		if err != nil || len(node.Interfaces) < 2 {
			t.Fatalf("%s: %v", test.path, err)
		}
		face := node.Interfaces[0]
		if face.Name != test.face || len(face.Methods) != test.methods {
			t.Errorf("%s says %s with %d methods", test.path, face.Name, len(face.Methods))
		}
		call := p.conn.Object(p.name, test.path).Call(propsFace+".GetAll", 0, test.face)
		if call.Err != nil {
			t.Fatal(call.Err)
		}
		all := call.Body[0].(map[string]dbus.Variant) // not stored: that forgets types
		if len(all) != len(face.Properties) {
			t.Errorf("%s has %d properties and describes %d", test.path, len(all), len(face.Properties))
		}
		for _, described := range face.Properties {
			if got := all[described.Name].Signature().String(); got != described.Type {
				t.Errorf("%s is %q and is described as %q", described.Name, got, described.Type)
			}
		}
		if _, err := p.conn.Object(p.name, test.path).GetProperty(test.face + ".Nothing"); err == nil {
			t.Errorf("%s has a property Nothing", test.path)
		}
	}
}
