package kv

// Contiguous reserves a request's prompt and its whole output when it is admitted,
// rounded up to blocks, and shares nothing. It is the policy of engines before
// paging. Its blocks need not be adjacent: on llama.cpp it is the reservation that
// limits the batch, not the address.
type Contiguous struct{ requests }

var _ Cache = (*Contiguous)(nil)

// NewContiguous returns an empty cache.
func NewContiguous(cfg Config) (*Contiguous, error) {
	r, err := newRequests(cfg)
	if err != nil {
		return nil, err
	}
	return &Contiguous{r}, nil
}

// Room implements [Cache].
func (c *Contiguous) Room(r Request) Verdict {
	if v := c.CanEver(r); v.Decision != Fits {
		return v
	}
	if c.ids.Free() == 0 {
		return Verdict{NotNow, LacksSeqs, 1, 0}
	}
	if need, free := c.pool.BlocksFor(len(r.Prompt)+r.MaxTokens), c.pool.Free(); need > free {
		return Verdict{NotNow, LacksBlocks, need, free}
	}
	return Verdict{}
}

// Admit implements [Cache].
func (c *Contiguous) Admit(r Request) (Grant, Verdict) {
	if v := c.CanEver(r); v.Decision != Fits {
		return Grant{}, v
	}
	seq, err := c.ids.Take()
	if err != nil {
		return Grant{}, Verdict{NotNow, LacksSeqs, 1, 0}
	}
	total := len(r.Prompt) + r.MaxTokens
	if err := c.slots[seq].table.Append(total); err != nil {
		v := Verdict{NotNow, LacksBlocks, c.pool.BlocksFor(total), c.pool.Free()}
		if err := c.ids.Give(seq); err != nil {
			return Grant{}, Verdict{NotNow, LacksSeqs, 1, 0}
		}
		return Grant{}, v
	}
	return c.open(seq, r, 0), Verdict{}
}

// Reserve implements [Cache]: the room is there already.
func (c *Contiguous) Reserve(l Lease, tokens int) error {
	s, err := c.get(l)
	if err != nil {
		return err
	}
	if tokens > s.limit {
		return ErrBeyondPromise
	}
	return nil
}

// Release implements [Cache]. Nothing is kept.
func (c *Contiguous) Release(l Lease, _ []int32) error {
	s, err := c.get(l)
	if err != nil {
		return nil
	}
	if err := c.close(s); err != nil {
		return err
	}
	return c.vacate(l.seq)
}
