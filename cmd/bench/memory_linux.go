package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/sallyport/sallyport/proxy/proc"
	"github.com/sallyport/sallyport/proxy/proc/table"
)

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
	if err := table.Each(func(pid int) error {
		if p, err := table.Read(pid); err == nil { // else it is gone
			children[p.Parent] = append(children[p.Parent], pid)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	var found []int
	var walk func(int)
	walk = func(p int) {
		if args, err := proc.Args(p); err == nil && !(len(args) == 2 && args[1] == "echo") {
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
	text, err := proc.Text(pid, file)
	if err != nil {
		return 0, err
	}
	words, err := proc.Line(text, name)
	if err != nil || len(words) == 0 {
		return 0, fmt.Errorf("no %s in /proc/%d/%s", name, pid, file)
	}
	return strconv.Atoi(words[0])
}
