"""Bytes in and out: reading sources, recovering damaged lines, writing whole files or none."""
