package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/inspect"
)

// The case of inspection: how many bytes of a response are inspected in a second of processor time. The clock would count what other programs
// do meanwhile. Each shape is inspected by a process of its own, whose time the system knows.
const onlyInspection = "inspection"

// scanned is how many bytes of JSON Lines are scanned.
const scanned = 16 << 20

// inspection are its results, in bytes a second of processor time.
type inspection struct {
	shapes     map[string]float64
	scan, gzip float64 // JSON Lines; NaN where there is no gzip
}

// inspectShape inspects a shape so many times: what a process of the benchmark does.
func inspectShape(args []string) error {
	if len(args) != 2 {
		return errors.New("inspect SHAPE TIMES")
	}
	name := args[0]
	n, err := strconv.Atoi(args[1])
	at := slices.IndexFunc(shapes, func(s shape) bool { return s.name == name })
	if err != nil || at < 0 {
		return fmt.Errorf("inspect %q", args)
	}
	raw, watch := shapes[at].make(), new(inspect.Watch)
	if less := lessWork[name]; less != nil {
		done := 0
		for range n {
			done += less(raw)
		}
		runtime.KeepAlive(done)
		return nil
	}
	for range n {
		if v := watch.Answer(raw, inspect.Terms{}); v.Fault != "" {
			return fmt.Errorf("%s: %s", name, v.Fault)
		}
	}
	return nil
}

func (b *bench) inspection(r *results) error {
	fmt.Fprintln(b.progress, "inspection")
	of := &inspection{shapes: map[string]float64{}, gzip: math.NaN()}
	rates, times := map[string][]float64{}, map[string]int{}
	for round := range b.rounds {
		for _, s := range shapes {
			if round == 0 {
				times[s.name] = 2
				once, err := b.inspectingTakes(s, 2)
				if err != nil {
					return err
				}
				times[s.name] = 2 + int(b.slice/max(once/2, time.Millisecond/4))
			}
			took, err := b.inspectingTakes(s, times[s.name])
			if err != nil {
				return err
			}
			rates[s.name] = append(rates[s.name], float64(shapeSize)*float64(times[s.name])/max(took, time.Millisecond).Seconds())
		}
	}
	for name, all := range rates {
		of.shapes[name] = (&series{rates: all}).rate()
	}
	if err := b.scanning(of); err != nil {
		return err
	}
	r.inspection = of
	return nil
}

// inspectingTakes is the processor time of inspecting a shape so many times, without that of making it.
func (b *bench) inspectingTakes(s shape, times int) (time.Duration, error) {
	before, err := used(b.ctx, nil, b.self, "inspect", s.name, "0")
	if err != nil {
		return 0, err
	}
	all, err := used(b.ctx, nil, b.self, "inspect", s.name, strconv.Itoa(times))
	return all - before, err
}

// used is the processor time of a command. Status 3 is a finding.
func used(ctx context.Context, env []string, argv ...string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = env
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 3 {
		return 0, fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// scanning measures `scan --as jsonl` beside gzip -1, which reads the same file.
func (b *bench) scanning(of *inspection) error {
	h, err := b.homeOf("sallyport")
	if err != nil {
		return err
	}
	path := filepath.Join(b.dir, "rows.jsonl")
	if err := writeLines(path); err != nil {
		return err
	}
	gzip, _ := exec.LookPath("gzip")
	var scans, zips []float64
	for range b.rounds {
		took, err := used(b.ctx, h.env, h.binary, "scan", "--as", "jsonl", path)
		if err != nil {
			return err
		}
		scans = append(scans, scanned/took.Seconds())
		if gzip == "" {
			continue
		}
		if took, err = used(b.ctx, nil, gzip, "-1", "-c", path); err != nil {
			return err
		}
		zips = append(zips, scanned/took.Seconds())
	}
	of.scan = (&series{rates: scans}).rate()
	if len(zips) > 0 {
		of.gzip = (&series{rates: zips}).rate()
	}
	return nil
}

// writeLines writes texts of one to two thousand bytes, a line each: prose, and rows of a table.
func writeLines(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriter(f)
	texts := []string{prose(shapeSize), string(jsonRows())}
	written := 0
	for n := 0; written < scanned; n++ {
		text := texts[n%len(texts)]
		at := n * 1499 % (len(text) - 2000)
		line, err := json.Marshal(map[string]string{"id": strconv.Itoa(n), "text": text[at : at+1000+n%1000]})
		if err != nil {
			return err
		}
		written += len(line) + 1
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

// markdown prints bytes a second, and how much slower the hostile shapes are than rows and than prose.
func (of *inspection) markdown(out *strings.Builder) {
	mega := func(rate float64) string { return number(rate / 1e6) }
	fmt.Fprint(out, "Inspection of a response of 1 MB by processor time, which other load on the machine makes longer too. “Slower” is the time beside that of rows and of prose.\n\n"+
		"| response | MB a second | to reach | | slower than rows | than prose |\n|---|---|---|---|---|---|\n")
	rows, plain := of.shapes[rowsShape], of.shapes[proseShape]
	worst, slowest := 0.0, ""
	for _, s := range shapes {
		rate, target := of.shapes[s.name], "– | –"
		if least := map[string]float64{rowsShape: 250e6, proseShape: 300e6, pictureShape: 1e9}[s.name]; least > 0 {
			target = "at least " + mega(least) + " | " + verdict(rate, least, true)
		}
		if slower := min(rows, plain) / rate; s.hostile && slower > worst {
			worst, slowest = slower, s.name
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s |\n", s.name, mega(rate), target, ratio(rows/rate), ratio(plain/rate))
	}
	fmt.Fprintf(out, "\nThe slowest of the hostile ones, %s, takes %s as long as the slower of rows and prose: at most 10 × is %s.\n\n", slowest, ratio(worst), verdict(worst, 10, false))
	if !math.IsNaN(of.gzip) {
		fmt.Fprintf(out, "`scan --as jsonl` reads %s MB of texts in a second of processor time, `gzip -1` %s MB of the same file: at least 0.5 × is %s with %s.\n\n",
			mega(of.scan), mega(of.gzip), verdict(of.scan/of.gzip, 0.5, true), ratio(of.scan/of.gzip))
	}
}
