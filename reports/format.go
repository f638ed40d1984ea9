package reports

import (
	"gradsync/reports/notebook"
)

// nbsp keeps a number and its unit on one line.
const nbsp = "\u00a0"

// number prints x for a reader: digits decimals where digits > 0, else up to
// four significant digits, with a true minus sign and no trailing zeros.
func number(x float64, digits int) string {
	if digits > 0 {
		return notebook.Number(x, &digits)
	}
	return notebook.Number(x, nil)
}

// withUnit appends unit; words that are no unit ("-", "count") are left out.
func withUnit(s, unit string) string {
	switch unit {
	case "", "-", "count", "ratio":
		return s
	}
	return s + nbsp + unit
}

// seconds prints a duration that a person waited.
func seconds(s float64) said {
	switch {
	case s < 60:
		return notebook.Bothf("%s"+nbsp+"s", "%s"+nbsp+"秒", number(s, 1))
	case s < 3600:
		return notebook.Bothf("%d"+nbsp+"min %02d"+nbsp+"s", "%d 分 %02d 秒", int(s)/60, int(s)%60)
	}
	return notebook.Bothf("%d"+nbsp+"h %02d"+nbsp+"min", "%d 小时 %02d 分", int(s)/3600, int(s)/60%60)
}

// bytesOf prints a size in binary units.
func bytesOf(n int64) string {
	if n >= 1<<30 {
		return number(float64(n)/(1<<30), 2) + nbsp + "GiB"
	}
	return number(float64(n)/(1<<20), 0) + nbsp + "MiB"
}
