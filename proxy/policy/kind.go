package policy

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

const off = "off"

// choice is one of a few words, safest first.
type choice []string

// taste is one of a few words, none safer than another.
type taste []string

func (t taste) parse(value string) (string, error) { return choice(t).parse(value) }

func (t taste) risk(canonical string) (float64, error) {
	_, err := choice(t).risk(canonical)
	return 0, err
}

func (c choice) parse(value string) (string, error) {
	for _, word := range c {
		if strings.EqualFold(value, word) {
			return word, nil
		}
	}
	return "", fmt.Errorf("%.40q is not one of %s", value, strings.Join(c, ", "))
}

func (c choice) risk(canonical string) (float64, error) {
	for i, word := range c {
		if word == canonical {
			return float64(i), nil
		}
	}
	return 0, fmt.Errorf("%.40q is unknown", canonical)
}

// toggle is on or off; safeOn says which is the safe one.
type toggle struct{ safeOn bool }

func (toggle) parse(value string) (string, error) {
	switch strings.ToLower(value) {
	case "on", "true", "yes", "1":
		return "on", nil
	case off, "false", "no", "0":
		return off, nil
	}
	return "", fmt.Errorf("%.40q is not one of on, off", value)
}

func (t toggle) risk(canonical string) (float64, error) {
	if (canonical == "on") == t.safeOn {
		return 0, nil
	}
	return 1, nil
}

// span is a duration: Go's spelling, or a bare number of seconds.
type span struct {
	min, max  time.Duration
	off       bool // can be switched off
	offRisk   float64
	longSafer bool
}

func (d span) parse(value string) (string, error) {
	if strings.EqualFold(value, off) {
		if d.off {
			return off, nil
		}
		return "", fmt.Errorf("it can't be off; %s", d.allowed())
	}
	length, err := time.ParseDuration(value)
	if err != nil {
		seconds, numErr := strconv.ParseFloat(value, 64)
		if numErr != nil || math.IsNaN(seconds) || math.Abs(seconds) > 1e9 {
			return "", fmt.Errorf("%.40q is not a duration; %s", value, d.allowed())
		}
		length = time.Duration(math.Round(seconds * float64(time.Second)))
	}
	if length < d.min || length > d.max {
		return "", fmt.Errorf("%s is out of range; %s", length, d.allowed())
	}
	return short(length), nil
}

func (d span) allowed() string {
	words := fmt.Sprintf("use %s to %s (a bare number is seconds)", short(d.min), short(d.max))
	if d.off {
		words += ", or off"
	}
	return words
}

func (d span) risk(canonical string) (float64, error) {
	if canonical == off {
		return d.offRisk, nil
	}
	length, err := time.ParseDuration(canonical)
	if err != nil {
		return 0, err
	}
	if d.longSafer {
		return -float64(length), nil
	}
	return float64(length), nil
}

// size is a number of bytes: 67108864, 64MiB, 64M, 64 MB. Canonical in the largest binary unit that divides it.
type size struct {
	min, max    int64
	largerSafer bool
}

var units = []struct {
	suffix string
	factor int64
}{
	{"gib", 1 << 30}, {"mib", 1 << 20}, {"kib", 1 << 10},
	{"gb", 1e9}, {"mb", 1e6}, {"kb", 1e3},
	{"g", 1 << 30}, {"m", 1 << 20}, {"k", 1 << 10}, {"b", 1}, {"", 1},
}

func (b size) parse(value string) (string, error) {
	n, ok := parseBytes(value)
	if !ok {
		return "", fmt.Errorf("%.40q is not a size; %s", value, b.allowed())
	}
	if n < b.min || n > b.max {
		return "", fmt.Errorf("%s is out of range; %s", formatBytes(n), b.allowed())
	}
	return formatBytes(n), nil
}

func (b size) allowed() string {
	return fmt.Sprintf("use %s to %s, in bytes or with KiB, MiB, GiB", formatBytes(b.min), formatBytes(b.max))
}

func (b size) risk(canonical string) (float64, error) {
	n, ok := parseBytes(canonical)
	if !ok {
		return 0, fmt.Errorf("%.40q is not a size", canonical)
	}
	if b.largerSafer {
		return -float64(n), nil
	}
	return float64(n), nil
}

// number is a whole number, safer if it is smaller.
type number struct{ min, max int }

func (n number) parse(value string) (string, error) {
	i, err := strconv.Atoi(value)
	if err != nil {
		return "", fmt.Errorf("%.40q is not a whole number; %s", value, n.allowed())
	}
	if i < n.min || i > n.max {
		return "", fmt.Errorf("%d is out of range; %s", i, n.allowed())
	}
	return strconv.Itoa(i), nil
}

func (n number) allowed() string { return fmt.Sprintf("use %d to %d", n.min, n.max) }

func (n number) risk(canonical string) (float64, error) { return strconv.ParseFloat(canonical, 64) }

func parseBytes(value string) (int64, bool) {
	lower := strings.ToLower(strings.TrimSpace(value))
	for _, unit := range units {
		digits, ok := strings.CutSuffix(lower, unit.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || n < 0 || n > math.MaxInt64/unit.factor {
			return 0, false
		}
		return n * unit.factor, true
	}
	return 0, false
}

func formatBytes(n int64) string {
	for _, unit := range []struct {
		suffix string
		factor int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n > 0 && n%unit.factor == 0 {
			return strconv.FormatInt(n/unit.factor, 10) + unit.suffix
		}
	}
	return strconv.FormatInt(n, 10)
}

// short drops the zero parts that Duration.String keeps: "2160h" for "2160h0m0s".
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
