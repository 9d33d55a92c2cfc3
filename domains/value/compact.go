package value

import "bytes"

// member is where AppendCompact has put a member of an object.
type member struct{ name, value, end int }

// AppendCompact reads any value and appends it in its shortest form, which every reader takes: numbers keep their
// spelling, and NaN and infinities become null; of a repeated name the last value is kept, in the first one's place; what
// is no UTF-8, and surrogates without their other half, become U+FFFD.
func (d *Decoder) AppendCompact(dst []byte) ([]byte, error) {
	c, err := d.next()
	if err != nil {
		return dst, err
	}
	switch c {
	case '"':
		raw, plain, err := d.quoted()
		return d.appendText(dst, raw, plain), err
	case '[':
		return d.compactList(dst)
	case '{':
		return d.compactObject(dst)
	}
	word, err := d.literal()
	if isSpecial(word) {
		d.Nulled++
		return append(dst, "null"...), nil
	}
	return append(dst, word...), err
}

func (d *Decoder) appendText(dst, raw []byte, plain bool) []byte {
	if plain {
		return append(append(append(dst, '"'), raw...), '"')
	}
	text, whole := unescape(nil, raw)
	if !whole {
		d.Mended++
	}
	return appendText(dst, WellFormed(string(text)))
}

func (d *Decoder) compactList(dst []byte) ([]byte, error) {
	if err := d.open('['); err != nil {
		return dst, err
	}
	dst = append(dst, '[')
	for first := true; ; first = false {
		more, err := d.more(']', first)
		switch {
		case err != nil:
			return dst, err
		case !more:
			return append(dst, ']'), nil
		case !first:
			dst = append(dst, ',')
		}
		if dst, err = d.AppendCompact(dst); err != nil {
			return dst, err
		}
	}
}

func (d *Decoder) compactObject(dst []byte) ([]byte, error) {
	if err := d.open('{'); err != nil {
		return dst, err
	}
	dst = append(dst, '{')
	start, outer := len(dst), len(d.members)
	for first := true; ; first = false {
		more, err := d.more('}', first)
		switch {
		case err != nil:
			return dst, err
		case !more:
			dst = d.mend(dst, start, d.members[outer:])
			d.members = d.members[:outer]
			return append(dst, '}'), nil
		case !first:
			dst = append(dst, ',')
		}
		raw, plain, err := d.key()
		if err != nil {
			return dst, err
		}
		m := member{name: len(dst)}
		dst = append(d.appendText(dst, raw, plain), ':')
		m.value = len(dst)
		if err := d.colon(); err != nil {
			return dst, err
		}
		if dst, err = d.AppendCompact(dst); err != nil {
			return dst, err
		}
		m.end = len(dst)
		d.members = append(d.members, m)
	}
}

// mend resolves repeated names among the members of an object, which begin at start.
func (d *Decoder) mend(dst []byte, start int, list []member) []byte {
	if !repeats(dst, list) {
		return dst
	}
	d.Mended++
	last := map[string][]byte{}
	for _, m := range list {
		last[string(dst[m.name:m.value])] = dst[m.value:m.end]
	}
	var out []byte
	for _, m := range list {
		name := dst[m.name:m.value]
		if v, left := last[string(name)]; left {
			out = append(append(append(out, ','), name...), v...)
			delete(last, string(name))
		}
	}
	return append(dst[:start], out[1:]...)
}

// repeats reports whether two members have one name.
func repeats(dst []byte, list []member) bool {
	if len(list) > 16 {
		names := make(map[string]bool, len(list))
		for _, m := range list {
			names[string(dst[m.name:m.value])] = true
		}
		return len(names) < len(list)
	}
	for i, m := range list {
		for _, o := range list[:i] {
			if bytes.Equal(dst[m.name:m.value], dst[o.name:o.value]) {
				return true
			}
		}
	}
	return false
}
