package store

// Derive makes a key for one purpose from the key that seals this home. It reveals neither the sealing key nor the keys for other purposes.
func (s *Store) Derive(purpose, of string) []byte {
	return seal(s.key, []byte("derived key"), []byte(purpose), []byte(of))
}
