"""What surroundings give away: names, sentences, tables, commands. `cues.Context` finds the places and asks the others."""
