package main

import (
	"fmt"
	"os"

	"github.com/sallyport/sallyport/app/clientconfig"
)

// examineClients looks at the files of the clients that are there: whether each can be read, and whether what looks like our
// wrapper in it is. An entry that runs without us is no fault of the installation; `status` counts those.
func examineClients(system clientconfig.System) []checked {
	const check = "client"
	program, err := os.Executable()
	if err != nil {
		return nil // said of the program already
	}
	var results []checked
	for _, place := range clientconfig.Locate(system) {
		switch place.State {
		case clientconfig.Found:
			results = append(results, examineClient(place, program)...)
		case clientconfig.Denied:
			results = append(results, wrong(check, "SP-202", fmt.Sprintf("%s: %v", place.Name, place.Err), "Allow Sallyport to read the file, then try again. Until then it can't tell what is guarded."))
		case clientconfig.Unreadable:
			results = append(results, wrong(check, "SP-203", fmt.Sprintf("%s: %v", place.Name, place.Err), "Check what is at this path. Sallyport won't change it."))
		}
	}
	if len(results) == 0 {
		results = append(results, checked{Check: check, Found: "no client's settings file found"})
	}
	return results
}

func examineClient(place clientconfig.Location, program string) []checked {
	const check = "client"
	raw, err := clientconfig.Read(place.Path)
	var file *clientconfig.File
	if err == nil {
		file, err = clientconfig.Parse(raw, place.Format)
	}
	if err != nil {
		return []checked{wrong(check, "SP-203", fmt.Sprintf("%s: %s: %v", place.Name, place.Path, err), "Fix the file, then try again. Sallyport won't change it, and the client may not read it either.")}
	}
	var results []checked
	guarded := 0
	by := clientconfig.Installation{Path: program, Client: place.Client}
	for _, entry := range file.Entries {
		class := clientconfig.Classify(entry, by, nil)
		if class.Kind == clientconfig.Wrapped {
			guarded++
		}
		if class.Kind != clientconfig.LooksWrapped {
			continue
		}
		code, next := "SP-216", "Check the entry in an editor, or put the guard back: sallyport protect"
		switch class.Reason {
		case clientconfig.MissingFile:
			code, next = "SP-218", "Run protect from where Sallyport is installed now, or run unprotect. Until then the client can't start this server."
		case clientconfig.MovedHome:
			code, next = "SP-217", "Remove that variable from the entry's env: it would send the server to another hub or another screen."
		}
		results = append(results, wrong(check, code, fmt.Sprintf("%s: entry %q: %s", place.Name, entry.Name, class.Why), next))
	}
	return append(results, checked{Check: check, Found: fmt.Sprintf("%s, %s, %d of %d guarded", place.Name, place.Path, guarded, len(file.Entries))})
}
