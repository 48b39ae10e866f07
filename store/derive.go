package store

// Derive makes a key for one purpose from the key that seals this home. Whoever has it learns neither the seal's key nor
// the keys of other purposes.
func (s *Store) Derive(purpose, of string) []byte {
	return seal(s.key, []byte("derived key"), []byte(purpose), []byte(of))
}
