package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"twinrig/calib"
	"twinrig/configs"
)

func calibStatusCommand() *cobra.Command {
	var rig, dir string
	var asJSON bool
	c := &cobra.Command{
		Use:   "status",
		Short: "List each calibration, its age and its residual",
		Long: `status lists each kind of calibration: when it was measured, what it leaves
unexplained beside its limit, and whether it was saved by force. With --rig it
looks at the record that the rig names, else at the newest of each kind under
--dir. Under --dir it also looks for the last check of the camera.`,
		Example: "  twinrig calib status\n  twinrig calib status --rig rig.yaml --json",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := statusOf(rig, dir)
			if err != nil {
				return usageError{err}
			}
			rows := statusRows(all, time.Now())
			check, err := lastCheck(dir)
			if err != nil {
				return usageError{err}
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(struct {
					Calibrations []statusRow `json:"calibrations"`
					LastCheck    *checkJSON  `json:"last_check"`
				}{rows, check})
			}
			return errors.Join(printStatus(cmd.OutOrStdout(), rows), printCheck(cmd.OutOrStdout(), check, time.Now()))
		},
	}
	c.Flags().StringVar(&rig, "rig", "", "the rig's file")
	c.Flags().StringVar(&dir, "dir", "calibrations", "folder of calibrations")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// measuredIn is a measurement and its record's file.
type measuredIn struct {
	calib.Measurement
	file string
}

// statusOf finds the measurement of each kind that counts.
func statusOf(rigFile, dir string) (map[string]measuredIn, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", recordFile))
	if err != nil {
		return nil, err
	}
	if rigFile != "" {
		rig, err := configs.LoadRig(rigFile)
		if err != nil {
			return nil, err
		}
		if files = nil; rig.Calib != "" {
			files = []string{rig.Calib}
		}
	}
	newest := map[string]measuredIn{}
	for _, file := range files {
		rec, err := calib.Load(file)
		if err != nil {
			return nil, err
		}
		for kind, m := range rec.Measured {
			if m.Date.After(newest[kind].Date) {
				newest[kind] = measuredIn{m, file}
			}
		}
	}
	return newest, nil
}

// statusRow is one kind of calibration; one that was never made has no more than
// its kind.
type statusRow struct {
	Kind      string             `json:"kind"`
	Measured  bool               `json:"measured"`
	Date      *time.Time         `json:"date,omitempty"`
	AgeDays   *float64           `json:"age_days,omitempty"`
	Residuals map[string]float64 `json:"residuals,omitempty"`
	Limits    map[string]float64 `json:"limits,omitempty"`
	Forced    bool               `json:"forced,omitempty"`
	File      string             `json:"file,omitempty"`
}

func statusRows(all map[string]measuredIn, now time.Time) []statusRow {
	var rows []statusRow
	for _, kind := range calib.Kinds {
		m, ok := all[kind]
		if !ok {
			rows = append(rows, statusRow{Kind: kind})
			continue
		}
		days := now.Sub(m.Date).Hours() / 24
		rows = append(rows, statusRow{
			Kind: kind, Measured: true, Date: &m.Date, AgeDays: &days,
			Residuals: m.Residuals, Limits: m.Limits, Forced: m.Forced, File: m.file,
		})
	}
	return rows
}

func printStatus(w io.Writer, rows []statusRow) error {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(table.Row{"calibration", "age", "residual", "record"})
	for _, r := range rows {
		if !r.Measured {
			t.AppendRow(table.Row{r.Kind, "not measured", "", ""})
			continue
		}
		var residuals []string
		for _, k := range slices.Sorted(maps.Keys(r.Residuals)) {
			s := fmt.Sprintf("%s %.3g", k, r.Residuals[k])
			if limit, ok := r.Limits[k]; ok {
				s += fmt.Sprintf(" (limit %.3g)", limit)
			}
			residuals = append(residuals, s)
		}
		if r.Forced {
			residuals = append(residuals, "SAVED BY FORCE")
		}
		t.AppendRow(table.Row{r.Kind, ageText(*r.AgeDays), strings.Join(residuals, "\n"), r.File})
	}
	_, err := fmt.Fprintln(w, t.Render())
	return err
}

// printCheck says what the last check of the camera found.
func printCheck(w io.Writer, c *checkJSON, now time.Time) error {
	if c == nil {
		_, err := fmt.Fprintln(w, "The camera was never checked: twinrig calib check.")
		return err
	}
	_, err := fmt.Fprintf(w, "Camera checked %s ago, IoU %.3f (limit %.3f): %s\n", ageText(now.Sub(c.Date).Hours()/24), c.IoU, c.Least, c.Verdict)
	return err
}

// ageText is an age as a person says it.
func ageText(days float64) string {
	switch {
	case days < 1.0/24:
		return fmt.Sprintf("%.0f min", days*24*60)
	case days < 2:
		return fmt.Sprintf("%.0f h", days*24)
	}
	return fmt.Sprintf("%.0f days", days)
}
