"""The command line: one file a command. Only this room imports typer and rich."""
