package removal

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// User is a user of a machine, as its own files have them.
type User struct {
	Name   string `json:"name"`
	UID    int    `json:"uid"`
	GID    int    `json:"gid"`
	Groups []int  `json:"groups"` // without GID
	Home   string `json:"home"`   // below the root folder
}

// maxAccounts is far more than a file of accounts has.
const maxAccounts = 16 << 20

// Users are the users in etc/passwd below a root folder. Accounts of a directory service aren't there.
func Users(root string) ([]User, error) {
	rows, err := accounts(root, "passwd", 7)
	if err != nil {
		return nil, err
	}
	groups, err := accounts(root, "group", 4)
	if err != nil {
		groups = nil // a file keeps its group only if that is its owner's own
	}
	var users []User
	for _, row := range rows {
		u := User{Name: row[0], Home: row[5], Groups: []int{}}
		uid, err1 := strconv.ParseUint(row[2], 10, 31)
		gid, err2 := strconv.ParseUint(row[3], 10, 31)
		if u.UID, u.GID = int(uid), int(gid); err1 != nil || err2 != nil || !filepath.IsAbs(u.Home) {
			continue
		}
		for _, group := range groups {
			gid, err := strconv.ParseUint(group[2], 10, 31)
			if err == nil && int(gid) != u.GID && slices.Contains(strings.Split(group[3], ","), u.Name) {
				u.Groups = append(u.Groups, int(gid))
			}
		}
		if !slices.ContainsFunc(users, func(o User) bool { return o.UID == u.UID && o.Home == u.Home }) {
			users = append(users, u)
		}
	}
	return users, nil
}

// accounts are the lines of a file in etc that have this many fields.
func accounts(root, name string, fields int) (rows [][]string, err error) {
	path := filepath.Join("etc", name)
	file, err := os.OpenInRoot(root, path)
	if err != nil {
		return nil, fmt.Errorf("read the accounts in %s: %w", filepath.Join(root, path), err)
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxAccounts))
	if err != nil {
		return nil, fmt.Errorf("read the accounts in %s: %w", filepath.Join(root, path), err)
	}
	for line := range strings.Lines(string(raw)) {
		if row := strings.Split(strings.TrimSuffix(line, "\n"), ":"); len(row) == fields {
			rows = append(rows, row)
		}
	}
	return rows, nil
}
