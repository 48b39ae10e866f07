package clientconfig

// lock does nothing yet: writers there are told apart by comparing the file before the rename alone.
func (b *Backups) lock() (unlock func(), err error) { return func() {}, nil }
