package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"twinrig/calib/target"
)

func calibBoardCommand() *cobra.Command {
	var f boardFlags
	var out, paper string
	var asJSON bool
	c := &cobra.Command{
		Use:   "board",
		Short: "Write a printable calibration board as PDF",
		Long: `board writes a chessboard or a ChArUco board as one sheet of PDF, at its true
size when printed at 100 %, with a ruler along both directions: measure them on
the print, and give the side of a square as measured to the calibration.`,
		Example: "  twinrig calib board --board 9x6 --square-mm 25 --out board.pdf\n  twinrig calib board --board 9x6 --square-mm 25 --charuco --paper letter --out board.pdf",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, err := f.board()
			if err != nil {
				return err
			}
			var pdf bytes.Buffer
			if err := b.WritePDF(&pdf, paper); err != nil {
				return usageError{err}
			}
			if err := os.WriteFile(out, pdf.Bytes(), 0o644); err != nil {
				return usageError{fmt.Errorf("calib board: %w", err)}
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(struct {
					Board target.Board `json:"board"`
					Paper string       `json:"paper"`
					Saved string       `json:"saved"`
				}{b, paper, out})
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s on %s. Print it at 100 %%, measure both rulers (100 mm), and glue it to something flat.\n", out, &b, paper)
			return err
		},
	}
	f.add(c)
	c.Flags().StringVar(&out, "out", "", "the PDF to write")
	c.Flags().StringVar(&paper, "paper", target.Papers[0], "a4 or letter")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	c.PreRunE = func(*cobra.Command, []string) error {
		if out == "" {
			return usageError{errors.New("--out is needed, as in --out board.pdf")}
		}
		return nil
	}
	return c
}
