package control

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// readProcess reads /proc/PID/stat. The command's name stands in parentheses and may hold spaces and parentheses itself,
// chosen by the process; what comes after the last one is the kernel's.
func readProcess(pid int) (process, error) {
	raw, err := readBounded("/proc/"+strconv.Itoa(pid)+"/stat", 4096)
	if err != nil {
		return process{}, err
	}
	return parseStat(pid, raw)
}

func parseStat(pid int, raw []byte) (process, error) {
	end := bytes.LastIndexByte(raw, ')')
	if end < 0 {
		return process{}, fmt.Errorf("process %d: no name in its stat line", pid)
	}
	fields := strings.Fields(string(raw[end+1:]))
	if len(fields) < 20 { // state is field 3 of proc(5), the parent 4, its threads 20, the start time 22
		return process{}, fmt.Errorf("process %d: its stat line is cut", pid)
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return process{}, fmt.Errorf("process %d: its parent: %w", pid, err)
	}
	threads, err := strconv.Atoi(fields[17]) // the first may have ended while others run on: then the state is "Z" as well
	if err != nil {
		return process{}, fmt.Errorf("process %d: its threads: %w", pid, err)
	}
	start, err := strconv.ParseUint(fields[19], 10, 64)
	if err != nil {
		return process{}, fmt.Errorf("process %d: its start: %w", pid, err)
	}
	return process{pid: pid, parent: parent, start: start, dead: (fields[0] == "Z" || fields[0] == "X") && threads <= 1}, nil
}

func argumentsOf(pid int) ([]string, error) {
	raw, err := readBounded("/proc/"+strconv.Itoa(pid)+"/cmdline", 1<<16) // the words that matter come first
	if err != nil || len(raw) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00"), nil
}

func readBounded(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}
