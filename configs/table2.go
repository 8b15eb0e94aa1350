package configs

// Table2 is the word for all of Table2Scenes where scenes are listed.
const Table2 = "table2"

// Table2Scenes are the names of the twelve scenes of the field's evaluation of
// 240 trials, its Table 2, in the table's order. Objects that the command
// describes only in part have their colours in the scene, not in the command.
// Distractors are named as the command would name them.
func Table2Scenes() []string {
	return []string{
		"00_banana_bowl", "01_broccoli_mug", "02_mushroom_bowl", "03_spoon_napkin",
		"04_eraser_notebook", "05_brush_bowl", "06_white_eraser_mug", "07_red_knife_cutting_board",
		"08_blue_pen_bowl", "09_green_marker_basket", "10_screwdriver_basket", "11_blue_teacup_yellow_teacup",
	}
}
