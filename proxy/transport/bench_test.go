//go:build linux

package transport

import (
	"context"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/proc/table"
	"github.com/sallyport/sallyport/proxy/sandbox"
)

// BenchmarkStart measures from the decision to start to the server's first byte: without us, through a guard, through a guard that was
// prepared meanwhile, and in a sandbox. It reports the median: the mean includes the machine's other work.
func BenchmarkStart(b *testing.B) {
	server := []string{"/bin/echo", "ready"}
	direct := func(took func()) {
		cmd := exec.Command(server[0], server[1:]...)
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		firstByte(b, out)
		took()
		cmd.Wait()
	}
	guarded := func(g *Prepared, box *sandbox.Sandbox, took func()) {
		p, err := g.Start(context.Background(), Command{Argv: server, Sandbox: box}, nil, nil)
		if err != nil {
			b.Fatal(err)
		}
		firstByte(b, p.Stdout)
		took()
		p.Kill()
	}
	prepare := func() *Prepared {
		g, err := Prepare()
		if err != nil {
			b.Fatal(err)
		}
		return g
	}
	hide := []string{b.TempDir(), b.TempDir()}
	// Interleaved, so that all see the same machine.
	var times [5][]time.Duration
	for b.Loop() {
		for i := range times {
			var g *Prepared
			if i >= 2 {
				g = prepare()
				settled(b, g)
			}
			begin := time.Now()
			took := func() { times[i] = append(times[i], time.Since(begin)) }
			switch i {
			case 0:
				direct(took)
			case 1:
				guarded(prepare(), nil, took)
			case 2:
				guarded(g, nil, took)
			case 3:
				guarded(g, &sandbox.Sandbox{Hide: hide}, took)
			case 4:
				guarded(g, &sandbox.Sandbox{Hide: hide, Strict: true}, took)
			}
		}
	}
	for i, name := range []string{"direct", "guarded", "prepared", "shield", "strict"} {
		slices.Sort(times[i])
		b.ReportMetric(float64(times[i][len(times[i])/2].Microseconds()), name+"-p50-µs")
	}
}

// BenchmarkGuardMemory measures what a guard adds to an idle server: resident pages, and those it does not share.
func BenchmarkGuardMemory(b *testing.B) {
	for b.Loop() {
		p, err := Start(context.Background(), Command{Argv: []string{"cat"}}, nil, nil)
		if err != nil {
			b.Fatal(err)
		}
		stat, err := table.Read(p.PID())
		if err != nil {
			b.Fatal("no server")
		}
		for _, field := range []string{"Rss", "Pss", "Private_Dirty"} {
			b.ReportMetric(rollup(b, stat.Parent, field), field+"-KiB")
		}
		p.Kill()
	}
}

func firstByte(b *testing.B, from io.Reader) {
	b.Helper()
	if _, err := io.ReadFull(from, make([]byte, 1)); err != nil {
		b.Fatal(err)
	}
}

// settled waits until the guard has set its name: then it is ready for its order.
func settled(b *testing.B, g *Prepared) {
	b.Helper()
	for {
		name, err := os.ReadFile("/proc/" + strconv.Itoa(g.PID) + "/comm")
		if err != nil {
			b.Fatal(err)
		}
		if string(name) == "sallyport-guard\n" {
			return
		}
		<-time.After(100 * time.Microsecond)
	}
}

func rollup(b *testing.B, pid int, field string) float64 {
	b.Helper()
	file, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(file)) {
		if fields := strings.Fields(line); fields[0] == field+":" {
			kib, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kib
		}
	}
	b.Fatalf("no %s", field)
	return 0
}
