package main

import (
	"errors"

	"github.com/spf13/cobra"

	"twinrig/calib/target"
)

func calibCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "calib",
		Short: "Calibrate, and say how good each calibration is",
		Long: `calib measures what a rig is: today the camera's lens (intrinsics), where it
stands (extrinsics) and, from recorded motion, how the arm follows its commands (controller --segments). Each
calibration of a rig keeps its raw samples, is solved from them alone, is checked on what
was not fitted, and is saved as a dated record with residuals, method, the
inputs' digests and the software's version, beside an HTML report. A rig file
names the record as its "calib".`,
		Example: "  twinrig calib board --board 9x6 --square-mm 25 --out board.pdf\n  twinrig calib intrinsics --images 'shots/*.jpg' --board 9x6 --square-mm 25\n  twinrig calib status",
		Args:    exactly(0, "board, intrinsics, extrinsics, controller, check or status"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(calibBoardCommand(), calibIntrinsicsCommand(), calibExtrinsicsCommand(), calibControllerCommand(), calibCheckCommand(), calibStatusCommand())
	return c
}

// boardFlags describe a board on the command line.
type boardFlags struct {
	corners            string
	squareMM, markerMM float64
	charuco            bool
	dictionary         string
}

func (f *boardFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.corners, "board", "", "inner corners of a row and of a column, as in 9x6 for a board of 10 x 7 squares")
	c.Flags().Float64Var(&f.squareMM, "square-mm", 0, "side of a square in mm, measured on the print")
	c.Flags().BoolVar(&f.charuco, "charuco", false, "a ChArUco board: its white squares bear markers, and it may be partly hidden")
	c.Flags().Float64Var(&f.markerMM, "marker-mm", 0, "side of a ChArUco marker in mm (default three quarters of the square)")
	c.Flags().StringVar(&f.dictionary, "dictionary", "", "a ChArUco board's dictionary, as in 5x5_100 (default the smallest of 4x4 that suffices)")
}

func (f *boardFlags) board() (target.Board, error) {
	b, err := f.parse()
	if err != nil {
		return b, usageError{err}
	}
	return b, nil
}

func (f *boardFlags) parse() (target.Board, error) {
	if f.corners == "" || f.squareMM == 0 {
		return target.Board{}, errors.New("--board and --square-mm are needed, as in --board 9x6 --square-mm 25")
	}
	cols, rows, err := target.ParseSize(f.corners)
	if err != nil {
		return target.Board{}, err
	}
	if f.charuco {
		return target.NewChArUco(cols, rows, f.squareMM/1000, f.markerMM/1000, f.dictionary)
	}
	if f.markerMM != 0 || f.dictionary != "" {
		return target.Board{}, errors.New("--marker-mm and --dictionary are a ChArUco board's: add --charuco")
	}
	return target.NewChessboard(cols, rows, f.squareMM/1000)
}
