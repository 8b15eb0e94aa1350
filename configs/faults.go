package configs

import (
	"fmt"
	"os"

	"twinrig/drivers/dynamixel/servotest"
)

// LoadFaults reads a file of what is to go wrong with emulated servos: a list
// under `faults`.
func LoadFaults(path string) ([]servotest.Fault, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("configs: %w", err)
	}
	var file struct {
		Faults []servotest.Fault `yaml:"faults"`
	}
	if err := decode(text, &file); err != nil {
		return nil, fmt.Errorf("configs: %s: %w", path, err)
	}
	for i := range file.Faults {
		if err := file.Faults[i].Validate(); err != nil {
			return nil, fmt.Errorf("configs: %s: faults[%d]: %w", path, i, err)
		}
	}
	return file.Faults, nil
}
