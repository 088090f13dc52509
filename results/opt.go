package results

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// MarshalJSON gives null for a value that was not measured. NaN and infinities
// are an error, as JSON has no such numbers.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if !o.OK {
		return []byte("null"), nil
	}
	return json.Marshal(o.V)
}

// UnmarshalJSON reads null as "not measured". A missing key leaves the zero Opt,
// which means the same.
func (o *Opt[T]) UnmarshalJSON(data []byte) error {
	*o = Opt[T]{}
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return nil
	}
	if err := json.Unmarshal(data, &o.V); err != nil {
		return err
	}
	o.OK = true
	return nil
}

// String gives the value, or "null".
func (o Opt[T]) String() string {
	if !o.OK {
		return "null"
	}
	return fmt.Sprint(o.V)
}
