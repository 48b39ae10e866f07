package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// footprint is the memory of a chain without the server, in KiB: the wrapper and its helpers.
type footprint struct {
	processes int
	rss, pss  int
	highWater int
	measured  bool
}

// idle adds up the current memory of a chain's processes.
func idle(pid int) (footprint, error) {
	f := footprint{measured: true}
	processes, err := ours(pid)
	if err != nil {
		return f, err
	}
	for _, p := range processes {
		f.processes++
		rss, err := field(p, "smaps_rollup", "Rss:")
		if err != nil {
			return f, err
		}
		pss, err := field(p, "smaps_rollup", "Pss:")
		if err != nil {
			return f, err
		}
		f.rss, f.pss = f.rss+rss, f.pss+pss
	}
	return f, nil
}

func highWater(pid int) (int, error) {
	processes, err := ours(pid)
	sum := 0
	for _, p := range processes {
		kib, err := field(p, "status", "VmHWM:")
		if err != nil {
			return 0, err
		}
		sum += kib
	}
	return sum, err
}

// ours are a process and its descendants, without the echo server.
func ours(pid int) ([]int, error) {
	children := map[int][]int{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	for _, path := range stats {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue // gone meanwhile
		}
		// The name in parentheses may contain anything; the parent is the second field after it.
		_, rest, _ := strings.Cut(string(raw[strings.LastIndexByte(string(raw), ')')+1:]), " ")
		fields := strings.Fields(rest)
		if len(fields) < 2 {
			continue
		}
		parent, _ := strconv.Atoi(fields[1])
		child, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		children[parent] = append(children[parent], child)
	}
	var found []int
	var walk func(int)
	walk = func(p int) {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p))
		args := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
		if err == nil && !(len(args) == 2 && args[1] == "echo") {
			found = append(found, p)
		}
		for _, child := range children[p] {
			walk(child)
		}
	}
	walk(pid)
	if len(found) == 0 {
		return nil, errors.New("the chain is gone")
	}
	return found, nil
}

// field reads a figure in kB from a file in /proc.
func field(pid int, file, name string) (int, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			return strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
		}
	}
	return 0, fmt.Errorf("no %s in /proc/%d/%s", name, pid, file)
}
