package dynamixel

import "slices"

// tableEnd is one past the last address of a control table, and indirectMin the
// first that an indirect address may point to.
const (
	tableEnd    = 662
	indirectMin = ramStart
)

// row is one line of a model's table.
func row(r Register, lo, hi, def int32) Entry {
	return Entry{Register: r, Min: lo, Max: hi, Default: def}
}

// table adds to a model's own rows what all models have, ordered by address.
func table(own ...Entry) []Entry {
	t := append(common(), own...)
	for n := range Indirects {
		data := IndirectData(n)
		t = append(t,
			row(IndirectAddress(n), indirectMin, tableEnd-1, int32(data.Addr)),
			row(data, 0, 255, 0))
	}
	slices.SortFunc(t, func(a, b Entry) int { return int(a.Addr) - int(b.Addr) })
	return t
}
