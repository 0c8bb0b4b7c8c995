"""dragoman: any agent session in; readable, shareable, resumable formats out."""

__version__ = "0.1.0"
