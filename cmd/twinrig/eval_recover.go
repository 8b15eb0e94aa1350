package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"twinrig/agent/record"
	"twinrig/eval"
)

// recoveredJSON is one log of the command's JSON.
type recoveredJSON struct {
	Log string `json:"log"`
	// Recovered is the whole log that was written; empty if there was no need.
	Recovered string `json:"recovered,omitempty"`
	Damage    string `json:"damage,omitempty"`
	Ticks     uint64 `json:"ticks"`
	Gaps      uint64 `json:"gaps"`
	Events    uint64 `json:"events"`
	Frames    uint64 `json:"frames"`
}

func evalRecoverCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "recover STUDY|FILE.mcap",
		Short: "Make whole logs of those that were cut off",
		Long: `recover looks at a log, or at every log of a study, and writes beside each that
was cut off (by a crash, a kill, a full disk) a whole one with every record that
can be read, which other programs open: trial.mcap becomes trial.recovered.mcap.
The cut one stays as it is; a log that is whole is left alone.`,
		Example: "  twinrig eval recover studies/week12",
		Args:    exactly(1, "a study's folder or a log"),
		RunE: func(cmd *cobra.Command, args []string) error {
			logs, err := logsOf(args[0])
			if err != nil {
				return usageError{err}
			}
			all := []recoveredJSON{}
			for _, path := range logs {
				r, err := recoverLog(path)
				if err != nil {
					return err
				}
				all = append(all, r)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), all)
			}
			return printRecovered(cmd.OutOrStdout(), all)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	return c
}

func printRecovered(w io.Writer, all []recoveredJSON) error {
	cut := 0
	for _, r := range all {
		switch {
		case r.Damage == "":
			continue
		case r.Recovered == "":
			fmt.Fprintf(w, "%s: %s; nothing to recover\n", r.Log, r.Damage)
		default:
			fmt.Fprintf(w, "%s: %s\n  recovered as %s\n", r.Log, r.Damage, r.Recovered)
		}
		cut++
	}
	_, err := fmt.Fprintf(w, "%d logs, %d of them cut off\n", len(all), cut)
	return err
}

// logName is a trial's log in its folder.
const (
	logName       = "trial.mcap"
	recoveredTail = ".recovered.mcap"
)

// logsOf are the logs that a path means.
func logsOf(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	logs, err := filepath.Glob(filepath.Join(path, eval.TrialsDir, "*", logName))
	if err == nil && len(logs) == 0 {
		err = fmt.Errorf("%s has no logs: it is no study's folder, or no trial was begun", path)
	}
	return logs, err
}

// recoverLog writes a whole log beside one that is cut off, unless it is there.
func recoverLog(path string) (recoveredJSON, error) {
	r := recoveredJSON{Log: path}
	info, err := record.Read(path, record.Visitor{})
	if errors.Is(err, record.ErrNoRecording) {
		r.Damage = err.Error() // cut before its first record was whole
		return r, nil
	}
	if err != nil {
		return r, err
	}
	r.Ticks, r.Gaps, r.Events, r.Frames = info.Read.Ticks, info.Read.Gaps, info.Read.Events, info.Read.Frames
	if info.Damage == nil {
		return r, nil
	}
	r.Damage = info.Damage.Error()
	r.Recovered = strings.TrimSuffix(path, filepath.Ext(path)) + recoveredTail
	// A recovery that is itself cut short leaves no half log under that name.
	part := r.Recovered + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, os.ErrNotExist) {
		return r, err
	}
	if _, err := record.Repair(path, part); err != nil {
		return r, err
	}
	return r, os.Rename(part, r.Recovered)
}
