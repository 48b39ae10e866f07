//go:build !linux && !darwin

package control

func readProcess(int) (process, error) { return process{}, errUnproved }

func argumentsOf(int) ([]string, error) { return nil, errUnproved }
