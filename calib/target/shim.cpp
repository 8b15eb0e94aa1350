#include "shim.h"

#include <cstring>
#include <exception>
#include <opencv2/aruco/charuco.hpp>
#include <vector>

namespace {

int fail(const std::exception &e, char *err, size_t n) {
	std::strncpy(err, e.what(), n - 1);
	err[n - 1] = 0;
	return -1;
}

cv::Ptr<cv::aruco::CharucoBoard> board(const tr_charuco *b) {
	return cv::aruco::CharucoBoard::create(b->squares_x, b->squares_y, b->square, b->marker,
		cv::aruco::getPredefinedDictionary(b->dictionary));
}

// Whether the board's y runs down from its top edge: a matter of OpenCV's
// version. A marker's first corner is its top left one, its last the one below.
bool y_down(const cv::aruco::Board &b) { return b.objPoints.at(0).at(3).y > b.objPoints.at(0).at(0).y; }

}  // namespace

int tr_charuco_find(const tr_charuco *b, const unsigned char *grey, int w, int h,
	int *ids, float *xy, int *markers, int *foreign, char *err, size_t err_len) {
	try {
		const cv::Mat picture(h, w, CV_8UC1, const_cast<unsigned char *>(grey));
		auto pattern = board(b);
		std::vector<std::vector<cv::Point2f>> found;
		std::vector<int> found_ids;
		cv::aruco::detectMarkers(picture, pattern->dictionary, found, found_ids);
		*markers = static_cast<int>(found_ids.size());
		*foreign = 0;
		for (int id : found_ids)
			if (id >= static_cast<int>(pattern->ids.size())) ++*foreign;
		if (found_ids.empty()) return 0;
		std::vector<cv::Point2f> corners;
		std::vector<int> corner_ids;
		cv::aruco::interpolateCornersCharuco(found, found_ids, picture, pattern, corners, corner_ids);
		for (size_t i = 0; i < corner_ids.size(); ++i) {
			const int cols = b->squares_x - 1, row = corner_ids[i] / cols;
			ids[i] = corner_ids[i] % cols + cols * (y_down(*pattern) ? row : b->squares_y - 2 - row);
			xy[2 * i] = corners[i].x;
			xy[2 * i + 1] = corners[i].y;
		}
		return static_cast<int>(corner_ids.size());
	} catch (const std::exception &e) {
		return fail(e, err, err_len);
	}
}

int tr_charuco_marker(const tr_charuco *b, int i, float *xy, unsigned char *black,
	char *err, size_t err_len) {
	try {
		auto pattern = board(b);
		const bool down = y_down(*pattern);
		const float height = b->squares_y * b->square;
		for (int k = 0; k < 4; ++k) {
			const cv::Point3f &p = pattern->objPoints.at(i).at(k);
			xy[2 * k] = p.x;
			xy[2 * k + 1] = down ? p.y : height - p.y;
		}
		const int side = pattern->dictionary->markerSize + 2;
		cv::Mat cells;
		cv::aruco::drawMarker(pattern->dictionary, pattern->ids.at(i), side, cells, 1);
		for (int y = 0; y < side; ++y)
			for (int x = 0; x < side; ++x) black[y * side + x] = cells.at<unsigned char>(y, x) == 0;
		return side;
	} catch (const std::exception &e) {
		return fail(e, err, err_len);
	}
}
