//go:build unix && !darwin

package control

func (s screen) shows() bool { return s.value("DISPLAY") != "" || s.value("WAYLAND_DISPLAY") != "" }
