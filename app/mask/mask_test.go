package mask

import (
	"strings"
	"testing"
)

func TestAnErrorAboutAFileIsReadWhole(t *testing.T) {
	for _, line := range []string{
		`start "/etc/passwd": permission denied: the file is not executable`,
		"open /run/secrets/db-token: no such file or directory",
		"cat: ./.secret: is a directory",
		"fork/exec /opt/app/get_token: exec format error",
		`open 'C:\Users\ann\api.token': access is denied`,
		"open .credentials: permission denied",
	} {
		if got := Text(line, nil); got != line {
			t.Errorf("%q became %q", line, got)
		}
	}
}

// A value is masked by its name, however the name is written and however ordinary the value is.
func TestWhatIsNoErrorAboutAFileStaysMasked(t *testing.T) {
	for _, line := range []string{
		"password: hunter",
		"db-password: hunter",
		"spring.datasource.password: hunter is fine",
		"/prod/db/password: hunter",
		"/prod/db/password: hunter is fine",
		"/prod/db/password=hunter",
		"/prod/db/password : hunter",
		`"/prod/db/password": "hunter is fine"`,
		`{"token": "hunter"}`,
		`{"a/token":"hunter"}`,
		"--password=hunter",
		"DB_PASSWORD=hunter",
		"export API_TOKEN=hunter",
		"config/app.secret: Hunter is fine",
		"config/app.secret: hunter",
	} {
		if got := Text(line, nil); strings.Contains(strings.ToLower(got), "hunter") || !strings.Contains(got, Mark) {
			t.Errorf("%q became %q", line, got)
		}
	}
	// the first word of an error is masked too, unless a path precedes it and a sentence follows
	for line, want := range map[string]string{
		"password: permission denied":       "password: *** denied",
		"db.password: permission denied":    "db.password: *** denied",
		"/prod/db/password: permission":     "/prod/db/password: ***",
		"/prod/db/password: permission1 is": "/prod/db/password: *** is",
		"/prod/db/password=permission is":   "/prod/db/password=*** is",
		"/prod/db/password:permission is":   "/prod/db/password:*** is",
		`"/db/password": "permission is"`:   `"/db/password": "*** is"`,
	} {
		if got := Text(line, nil); got != want {
			t.Errorf("%q became %q", line, got)
		}
	}
}
