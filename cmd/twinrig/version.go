package main

import (
	"runtime/debug"

	"twinrig/sim/mujoco"
)

// version is set by the linker for a release.
var version = "dev"

// softwareVersion is the version with the commit it was built from, if known.
func softwareVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return version + "+" + s.Value[:12]
		}
	}
	return version
}

func mujocoVersion() string { return mujoco.Version() }
