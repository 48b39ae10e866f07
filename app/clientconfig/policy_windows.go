package clientconfig

import (
	"errors"
	"strconv"

	"golang.org/x/sys/windows/registry"
)

func managed(System) []policySource {
	const path = `SOFTWARE\Policies\Claude`
	var sources []policySource
	for _, root := range []struct {
		name string
		key  registry.Key
	}{{`HKLM\` + path, registry.LOCAL_MACHINE}, {`HKCU\` + path, registry.CURRENT_USER}} {
		sources = append(sources, policySource{root.name, func(key string) (string, bool, error) { return registryValue(root.key, path, key) }})
	}
	return sources
}

func registryValue(root registry.Key, path, name string) (string, bool, error) {
	key, err := registry.OpenKey(root, path, registry.QUERY_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	defer key.Close()
	text, _, err := key.GetStringValue(name)
	if errors.Is(err, registry.ErrUnexpectedType) {
		var number uint64
		if number, _, err = key.GetIntegerValue(name); err == nil {
			text = strconv.FormatUint(number, 10)
		}
	}
	if errors.Is(err, registry.ErrNotExist) {
		return "", false, nil
	}
	return text, err == nil, err
}
