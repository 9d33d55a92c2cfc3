package value

// Clip is the declared form of a value for people, cut at that many characters.
func Clip(v Value, most int) string {
	text := []rune(string(AppendDump(nil, v, Declared)))
	if len(text) > most {
		return string(text[:most-1]) + "…"
	}
	return string(text)
}
