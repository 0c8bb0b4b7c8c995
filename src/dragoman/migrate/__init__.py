"""Moving in: a Claude Code history becomes a clm history, again and again, and nothing is ever lost.

request   what was asked for
plan      which sessions there are, and which of them have news
forecast  what a dry run says would become of them
orphans   agents whose session is gone
identity  the clm ids: found again in the manifest, then by the hash in a file's name
moving    one session on its way to clm's bytes (in a worker)
compaction, tools, media   what is changed of a session before it is written
placing   what becomes of a file that is there already; one that the user went on with is never touched
storage   the folder, the lock, and files that appear whole or not at all
manifest  what was moved, and the journal that survives a crash
run       all of it together
verify    what was moved, read back and compared with its source
"""

from __future__ import annotations

from dragoman.migrate.request import Request
from dragoman.migrate.run import Summary, migrate
from dragoman.migrate.verify import Verdict, verify

__all__ = ["Request", "Summary", "Verdict", "migrate", "verify"]
