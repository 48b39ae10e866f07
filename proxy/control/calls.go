package control

import "context"

// One method a call, named as Handler's.

// Register makes this connection a wrapper's. pushed gets every later State and must not block; it may be called before
// Register returns.
func (c *Client) Register(ctx context.Context, r Register, pushed func(State)) (State, error) {
	c.mu.Lock()
	if c.pushed != nil {
		c.mu.Unlock()
		return State{}, &Error{Code: CodeBadRequest, Message: "registered already"}
	}
	c.pushed = pushed
	early, wait := c.early, c.registering
	c.early = nil
	c.mu.Unlock()
	if early != nil {
		pushed(*early)
	}
	if wait == nil {
		s, err := ask[State](ctx, c, "register", r)
		return whole(s), err
	}
	var s State
	err := wait(ctx, &s)
	return whole(s), err
}

func (c *Client) Report(ctx context.Context, r Report) (State, error) {
	s, err := ask[State](ctx, c, "report", r)
	return whole(s), err
}

func (c *Client) Launch(ctx context.Context, r LaunchReport) (State, error) {
	s, err := ask[State](ctx, c, "launch", r)
	return whole(s), err
}

func (c *Client) Records(ctx context.Context, r []Record) (Acked, error) {
	return ask[Acked](ctx, c, "records", Records{Records: r})
}

// Stderr is a notification: nothing answers it.
func (c *Client) Stderr(ctx context.Context, chunk []byte) error {
	return c.notify(ctx, "stderr", Stderr{Chunk: chunk})
}

func (c *Client) Attention(ctx context.Context, client string) (Waiting, error) {
	return ask[Waiting](ctx, c, "attention", Attention{Client: client})
}

func (c *Client) Status(ctx context.Context) (Status, error) {
	return ask[Status](ctx, c, "status", nothing{})
}

func (c *Client) Servers(ctx context.Context) ([]Server, error) {
	return ask[[]Server](ctx, c, "servers", nothing{})
}

func (c *Client) Inbox(ctx context.Context) ([]InboxItem, error) {
	return ask[[]InboxItem](ctx, c, "inbox", nothing{})
}

func (c *Client) Item(ctx context.Context, code string) (ItemDetail, error) {
	return ask[ItemDetail](ctx, c, "item", named{Name: code})
}

func (c *Client) Decide(ctx context.Context, d Decide) (Decided, error) {
	return ask[Decided](ctx, c, "decide", d)
}

func (c *Client) Block(ctx context.Context, b Block) (Blocked, error) {
	return ask[Blocked](ctx, c, "block", b)
}

func (c *Client) Activity(ctx context.Context, q ActivityQuery) (Activity, error) {
	return ask[Activity](ctx, c, "activity", q)
}

func (c *Client) Record(ctx context.Context, id string) (Record, error) {
	return ask[Record](ctx, c, "record", named{Name: id})
}

func (c *Client) Verify(ctx context.Context) (Verified, error) {
	return ask[Verified](ctx, c, "verify", nothing{})
}

func (c *Client) Settings(ctx context.Context, q SettingQuery) ([]Setting, error) {
	return ask[[]Setting](ctx, c, "settings", q)
}

func (c *Client) SetSetting(ctx context.Context, q SettingQuery) (Setting, error) {
	return ask[Setting](ctx, c, "set_setting", q)
}

func (c *Client) Log(ctx context.Context, q LogQuery) (Log, error) {
	return ask[Log](ctx, c, "log", q)
}

func (c *Client) Protect(ctx context.Context, p Protect) (Protected, error) {
	return ask[Protected](ctx, c, "protect", p)
}

func (c *Client) Unprotect(ctx context.Context, p Protect) (Protected, error) {
	return ask[Protected](ctx, c, "unprotect", p)
}

func (c *Client) Coverage(ctx context.Context, q CoverageQuery) (Coverage, error) {
	return ask[Coverage](ctx, c, "coverage", q)
}

func (c *Client) Backups(ctx context.Context) ([]Backup, error) {
	return ask[[]Backup](ctx, c, "backups", nothing{})
}

func (c *Client) RestoreBackup(ctx context.Context, r RestoreBackup) (Protected, error) {
	return ask[Protected](ctx, c, "restore_backup", r)
}

// Show asks a hub with a window to raise it, at a route of the page or "" for where it is.
func (c *Client) Show(ctx context.Context, route string) error {
	return c.call(ctx, "show", named{Name: route}, nil)
}

// StepDown asks the hub to make room. nil means that it will; it is gone when Done is closed and its lock is free.
func (c *Client) StepDown(ctx context.Context) error {
	return c.call(ctx, "step_down", nothing{}, nil)
}

// flush returns when the hub has read all notifications that were sent before.
func (c *Client) flush(ctx context.Context) error {
	return c.call(ctx, "flush", nothing{}, nil)
}

func ask[Result any](ctx context.Context, c *Client, method string, params any) (Result, error) {
	var result Result
	err := c.call(ctx, method, params, &result)
	return result, err
}

// nothing is the parameters of a call that has none.
type nothing struct{}

// named is the parameters of a call about one thing that has a code or an id.
type named struct {
	Name string `json:"name"`
}
