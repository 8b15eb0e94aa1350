package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"twinrig/eval"
)

// Picture is a camera frame to show in the page.
type Picture struct {
	// Caption says what is to be seen, such as the trial and the moment.
	Caption string
	// Data is a PNG or JPEG file.
	Data []byte
}

// Report is all that the page shows.
type Report struct {
	*eval.Analysis
	// Curves are the gaps over time that are plotted, Pictures the frames; both
	// may be empty.
	Curves   []eval.Curve
	Pictures []Picture
	// Digest says what the numbers were computed from; it may be empty.
	Digest string
	// Standing is what the ledger adds to the plan.
	Standing eval.Standing
}

// New analyses a study's results. Unlabelled trials are an
// *eval.UnlabelledError: there is no report then.
func New(s *eval.Study, results []eval.Result, curves []eval.Curve, pictures []Picture) (*Report, error) {
	a, err := eval.Analyse(s, results, curves)
	if err != nil {
		return nil, err
	}
	return &Report{
		Analysis: a, Curves: curves, Pictures: pictures,
	}, nil
}

// Files of a report.
const (
	HTMLFile     = "report.html"
	MarkdownFile = "report.md"
	SummaryFile  = "report.json"
	CSVFile      = "trials.csv"
	JSONFile     = "trials.json"
)

// Save writes the page, the tables and the JSON into the study's report folder
// and returns the page's path. A file that is there already is replaced, whole
// or not at all.
func (r *Report) Save(studyDir string) (page string, err error) {
	dir := filepath.Join(studyDir, eval.ReportDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("report: %w", err)
	}
	for name, write := range map[string]func(io.Writer) error{
		HTMLFile: r.HTML, MarkdownFile: r.Markdown, SummaryFile: r.WriteStudyJSON, CSVFile: r.CSV, JSONFile: r.JSON,
	} {
		var text bytes.Buffer
		if err := write(&text); err != nil {
			return "", err
		}
		if err := replace(filepath.Join(dir, name), text.Bytes()); err != nil {
			return "", fmt.Errorf("report: %w", err)
		}
	}
	return filepath.Join(dir, HTMLFile), nil
}

func replace(path string, text []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails, as it should, once it is renamed
	if _, err := tmp.Write(text); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err := errors.Join(tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// arm says which arm the numbers come from.
func (r *Report) arm() string {
	if r.Study.Virtual {
		return "virtual arm"
	}
	return "arm"
}
