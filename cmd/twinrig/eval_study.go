package main

import (
	"errors"
	"fmt"
	"os"
	"os/user"

	"twinrig/configs"
	"twinrig/eval"
	"twinrig/sim/scene"
)

// openStudy opens the study in a folder; whoever called must close the ledger.
func openStudy(dir string) (*eval.Study, *eval.Ledger, error) {
	s, err := eval.Load(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, usageError{fmt.Errorf("%s is no study's folder: %w", dir, err)}
	}
	if err != nil {
		return nil, nil, usageError{err}
	}
	l, err := eval.OpenLedger(dir)
	return s, l, err
}

// withStudy does something to the study in a folder.
func withStudy(dir string, do func(*eval.Study, *eval.Ledger) error) error {
	s, l, err := openStudy(dir)
	if err != nil {
		return err
	}
	return errors.Join(do(s, l), l.Close())
}

// sessionOf is a session of a study that was planned earlier, by what was frozen
// then.
func sessionOf(s *eval.Study, l *eval.Ledger, dir string, lockstep bool, say func(string)) (*session, error) {
	if s.Imported != nil {
		return nil, usageError{fmt.Errorf("study %s has outcomes from elsewhere (%s): it can be reported, not run", s.Name, s.Imported.File)}
	}
	if lockstep && !s.Virtual {
		return nil, usageError{fmt.Errorf("study %s is a real arm's, which knows no virtual time: run it without --lockstep", s.Name)}
	}
	d, err := configs.ParseDemo([]byte(s.Config), ".")
	if err != nil {
		return nil, fmt.Errorf("study %s: config: %w", s.Name, err)
	}
	var scenes []scene.Scene
	for i := range s.Scenes {
		sc, err := scene.Parse([]byte(s.Scenes[i].Definition))
		if err != nil {
			return nil, fmt.Errorf("study %s: scene %s: %w", s.Name, s.Scenes[i].Name, err)
		}
		scenes = append(scenes, sc)
	}
	ses := newSession(&d, s, scenes, dir, lockstep, say)
	if s.Commitment != "" {
		seal, err := l.Unseal(s)
		if err != nil {
			return nil, err
		}
		ses.sources = map[string]eval.Policy{}
		for _, p := range s.Policies {
			ses.sources[p.Name], _ = seal.Policy(p.Name)
		}
	}
	return ses, nil
}

// loginName is who sits here, by what the system calls them.
func loginName() string {
	u, err := user.Current()
	if err != nil {
		return "" // then --who is asked for
	}
	return u.Username
}

// sameCalibration refuses an arm that was calibrated anew since the plan was
// frozen, until the plan says so.
func sameCalibration(s *eval.Study, l *eval.Ledger, d *configs.Demo) error {
	changes, err := l.Changes()
	if err != nil {
		return err
	}
	cal, err := d.Rig.Calibration()
	if err != nil {
		return err
	}
	is, err := cal.Digest()
	if err != nil {
		return err
	}
	if want := s.With(changes).Calibration; is != want {
		return fmt.Errorf("the calibration %q was %s when the study was planned, it is %s: go back to it, or `twinrig eval amend STUDY --recalibrated --reason ...`",
			d.Rig.Calib, want, is)
	}
	return nil
}
