//go:build linux

package bus

import (
	"context"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/sallyport/sallyport/app/tray/panel"
)

// seen is what a doctor with or without a screen sees at a bus.
func seen(t *testing.T, address, screen string) (string, bool) {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir()) // godbus looks for a bus there, too
	t.Setenv("DISPLAY", screen)
	t.Setenv("WAYLAND_DISPLAY", "")
	ctx, done := context.WithTimeout(context.Background(), 30*time.Second)
	defer done()
	return Look(ctx)
}

func TestAServiceIsMissedOnlyWhereThereIsAScreen(t *testing.T) {
	empty := panel.Bus(t)
	for _, c := range []struct{ name, address, screen, words string }{
		{"no bus", "unix:path=/no/such/bus", "", "no session bus found"},
		{"no bus on a screen", "unix:path=/no/such/bus", ":1", "no session bus found"},
		{"a bus without a service", empty, "", "no notification service is running"},
		{"a bus without a service on a screen", empty, ":1", "no notification service is running"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if words, missing := seen(t, c.address, c.screen); words != c.words || missing != (c.screen != "") {
				t.Errorf("said %q, missing %v", words, missing)
			}
		})
	}
}

func TestAServiceIsNamedAsItNamesItself(t *testing.T) {
	address := panel.Bus(t)
	conn := panel.Connect(t, address)
	shown := 0
	err := conn.ExportMethodTable(map[string]any{
		"GetServerInformation": func() (name, vendor, version, spec string, e *dbus.Error) {
			return "dunst", "knopwob", "1.9.0", "1.2", nil
		},
		"Notify": func() *dbus.Error { shown++; return nil },
	}, path, service)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName(service, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	if words, missing := seen(t, address, ":1"); words != "shown by dunst 1.9.0" || missing || shown != 0 {
		t.Errorf("said %q, missing %v, and %d notes were shown", words, missing, shown)
	}
}

func TestABusThatIsSilentIsGivenUp(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", panel.Bus(t))
	t.Setenv("DISPLAY", ":1")
	ctx, done := context.WithCancel(context.Background())
	done()
	if words, missing := Look(ctx); !missing {
		t.Errorf("said %q", words)
	}
}
