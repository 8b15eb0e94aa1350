package target

import (
	"maps"
	"slices"
	"strings"
)

// dictionary is one of OpenCV's predefined sets of ArUco markers.
type dictionary struct {
	code int // cv::aruco::PREDEFINED_DICTIONARY_NAME
	bits int // of a marker's side, without its black border
	size int // how many markers it has
}

// dictionaries by name; codes are OpenCV's (aruco/dictionary.hpp).
var dictionaries = map[string]dictionary{
	"4x4_50": {0, 4, 50}, "4x4_100": {1, 4, 100}, "4x4_250": {2, 4, 250}, "4x4_1000": {3, 4, 1000},
	"5x5_50": {4, 5, 50}, "5x5_100": {5, 5, 100}, "5x5_250": {6, 5, 250}, "5x5_1000": {7, 5, 1000},
	"6x6_50": {8, 6, 50}, "6x6_100": {9, 6, 100}, "6x6_250": {10, 6, 250}, "6x6_1000": {11, 6, 1000},
}

func dictionaryNames() string {
	return strings.Join(slices.Sorted(maps.Keys(dictionaries)), ", ")
}

// smallestDictionary is the least of 4x4 bits with n markers; the more markers,
// the more alike they are.
func smallestDictionary(n int) string {
	for _, name := range []string{"4x4_50", "4x4_100", "4x4_250"} {
		if dictionaries[name].size >= n {
			return name
		}
	}
	return "4x4_1000"
}
