package control

// passedOn is the list of the TypeScript and the Python SDK (getDefaultEnvironment, get_default_environment).
func passedOn() []string {
	return []string{
		"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PROCESSOR_ARCHITECTURE", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE",
	}
}
