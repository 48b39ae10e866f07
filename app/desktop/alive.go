package desktop

// Alive says that the engine answers. The page asks it every other second while it is seen, so it does nothing but wait its
// turn in the hub: one that hangs does not answer, and one that is ending says so.
func (p *Page) Alive() error {
	h, err := p.engine()
	if err != nil {
		return err
	}
	select {
	case <-h.Done():
		return errNoHub
	default:
	}
	h.StoreOK()
	return nil
}
