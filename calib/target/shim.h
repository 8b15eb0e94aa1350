#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// A ChArUco board in OpenCV's terms: squares a side, lengths in any one unit,
// the code of a predefined dictionary.
typedef struct {
	int squares_x, squares_y, dictionary;
	float square, marker;
} tr_charuco;

// Each returns a negative number and a text in err when OpenCV throws.

// Finds the board in a grey picture. Writes at most (squares_x-1)*(squares_y-1)
// corners as id, counted along the rows from the top left one, and x, y. markers gets how many of the dictionary's markers were
// seen, foreign how many of those are not on the board. Returns the corners.
int tr_charuco_find(const tr_charuco *b, const unsigned char *grey, int w, int h,
	int *ids, float *xy, int *markers, int *foreign, char *err, size_t err_len);

// Writes the corners of marker i (its top left one first, then clockwise) as x,
// y in the board's unit, y down from the board's top edge, and the marker's
// cells with its border, 1 for black, row by row. Returns the cells of a side.
int tr_charuco_marker(const tr_charuco *b, int i, float *xy, unsigned char *black,
	char *err, size_t err_len);

#ifdef __cplusplus
}
#endif
