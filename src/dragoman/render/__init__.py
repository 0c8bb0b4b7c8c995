"""What the formats that people read share: turns, tools, diffs, terminal colours, Markdown."""
