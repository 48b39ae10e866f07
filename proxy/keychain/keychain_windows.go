package keychain

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// maxEntry is what one entry holds, in bytes: CRED_MAX_CREDENTIAL_BLOB_SIZE.
const maxEntry = 5 * 512

const whatHelps = "on Windows it needs a session that somebody signed in to"

var (
	advapi32      = windows.NewLazySystemDLL("advapi32.dll")
	credWrite     = advapi32.NewProc("CredWriteW")
	credRead      = advapi32.NewProc("CredReadW")
	credDelete    = advapi32.NewProc("CredDeleteW")
	credEnumerate = advapi32.NewProc("CredEnumerateW")
	credFree      = advapi32.NewProc("CredFree")
)

const (
	generic      = 1 // CRED_TYPE_GENERIC
	localMachine = 2 // CRED_PERSIST_LOCAL_MACHINE: this user, on this machine only
)

// credential is CREDENTIALW of wincred.h.
type credential struct {
	Flags          uint32
	Type           uint32
	TargetName     *uint16
	Comment        *uint16
	LastWritten    windows.Filetime
	BlobSize       uint32
	Blob           *byte
	Persist        uint32
	AttributeCount uint32
	Attributes     uintptr
	TargetAlias    *uint16
	UserName       *uint16
}

func (s Store) target(name string) string { return "sallyport:" + s.home + ":" + s.kind + ":" + name }

func (s Store) state(ctx context.Context) error {
	_, err := s.list(ctx)
	return err
}

func (s Store) set(_ context.Context, name, value string) error {
	target, err := windows.UTF16PtrFromString(s.target(name))
	if err != nil {
		return err
	}
	user, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return err
	}
	blob := []byte(value)
	c := credential{Type: generic, TargetName: target, UserName: user, BlobSize: uint32(len(blob)), Blob: &blob[0], Persist: localMachine}
	return called(credWrite.Call(uintptr(unsafe.Pointer(&c)), 0))
}

func (s Store) get(_ context.Context, name string) (string, error) {
	target, err := windows.UTF16PtrFromString(s.target(name))
	if err != nil {
		return "", err
	}
	var c *credential
	if err := called(credRead.Call(uintptr(unsafe.Pointer(target)), generic, 0, uintptr(unsafe.Pointer(&c)))); err != nil {
		return "", err
	}
	defer credFree.Call(uintptr(unsafe.Pointer(c)))
	return string(unsafe.Slice(c.Blob, c.BlobSize)), nil
}

func (s Store) delete(_ context.Context, name string) error {
	target, err := windows.UTF16PtrFromString(s.target(name))
	if err != nil {
		return err
	}
	return called(credDelete.Call(uintptr(unsafe.Pointer(target)), generic, 0))
}

func (s Store) list(context.Context) (names []string, err error) {
	filter, err := windows.UTF16PtrFromString(s.target("*"))
	if err != nil {
		return nil, err
	}
	var count uint32
	var all **credential
	err = called(credEnumerate.Call(uintptr(unsafe.Pointer(filter)), 0, uintptr(unsafe.Pointer(&count)), uintptr(unsafe.Pointer(&all))))
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer credFree.Call(uintptr(unsafe.Pointer(all)))
	for _, c := range unsafe.Slice(all, count) {
		if name, is := strings.CutPrefix(windows.UTF16PtrToString(c.TargetName), s.target("")); is {
			names = append(names, name)
		}
	}
	return names, nil
}

// unlock has nothing to do: a session that somebody signed in to has its credentials.
func (Store) unlock(context.Context) error { return ErrLocked }

func called(result, _ uintptr, err error) error {
	switch {
	case result != 0:
		return nil
	case errors.Is(err, windows.ERROR_NOT_FOUND):
		return ErrNotFound
	case errors.Is(err, windows.ERROR_NO_SUCH_LOGON_SESSION):
		return ErrAbsent
	}
	return fmt.Errorf("%w (%w)", ErrRefused, err)
}
