//go:build unix && !darwin

package control

import (
	"errors"
	"path/filepath"
)

// maxSocketPath is sun_path less its final zero: 107 bytes work, 108 fail with "bind: invalid argument".
const maxSocketPath = 107

func platformHome(getenv func(string) string) (Home, error) {
	// The XDG base directory specification has relative values ignored.
	folder := func(variable, fallback string) string {
		if dir := getenv(variable); filepath.IsAbs(dir) {
			return filepath.Join(dir, "sallyport")
		}
		if home := getenv("HOME"); fallback != "" && filepath.IsAbs(home) {
			return filepath.Join(home, fallback, "sallyport")
		}
		return ""
	}
	config, data := folder("XDG_CONFIG_HOME", ".config"), folder("XDG_DATA_HOME", ".local/share")
	if config == "" || data == "" {
		return Home{}, errors.New("find the home: HOME is not set: set it, or SALLYPORT_HOME")
	}
	runtime := folder("XDG_RUNTIME_DIR", "")
	if runtime == "" {
		runtime = data
	}
	return homeIn(config, data, runtime), nil
}
