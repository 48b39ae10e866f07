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
			results = append(results, wrong(check, "SP-202", fmt.Sprintf("%s: %v", place.Name, place.Err), "Allow it, and look again; until then nobody can say what is guarded there."))
		case clientconfig.Unreadable:
			results = append(results, wrong(check, "SP-203", fmt.Sprintf("%s: %v", place.Name, place.Err), "Look at what stands there; Sallyport leaves it as it is."))
		}
	}
	if len(results) == 0 {
		results = append(results, checked{Check: check, Found: "no client's file was found"})
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
		return []checked{wrong(check, "SP-203", fmt.Sprintf("%s: %s: %v", place.Name, place.Path, err), "Mend the file; until then Sallyport leaves it as it is, and the client may, too.")}
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
		code, next := "SP-216", "Look at it with your editor, or put the guard back: sallyport protect"
		switch class.Reason {
		case clientconfig.MissingFile:
			code, next = "SP-218", "Call protect from where Sallyport is installed now, or unprotect; until then the client cannot start this server."
		case clientconfig.MovedHome:
			code, next = "SP-217", "Take that variable out of the entry's env: it leads to another hub, or another screen, than yours."
		}
		results = append(results, wrong(check, code, fmt.Sprintf("%s: entry %q: %s", place.Name, entry.Name, class.Why), next))
	}
	return append(results, checked{Check: check, Found: fmt.Sprintf("%s, %s, %d of %d guarded", place.Name, place.Path, guarded, len(file.Entries))})
}
