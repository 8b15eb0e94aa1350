package main

import (
	"twinrig"
	"twinrig/agent/record"
)

// gapsOf reads the gaps of a recorded trial.
func gapsOf(path string) ([]twinrig.Gap, error) {
	var gaps []twinrig.Gap
	_, err := record.Read(path, record.Visitor{Gap: func(g *twinrig.Gap) error {
		gaps = append(gaps, *g)
		return nil
	}})
	return gaps, err
}
