"""What the formats that people read share.

- `reading.read(session, level, report) -> turns.Document`: the session as turns, calls joined with results and agents
- `tools.summary(call)`, `tools.view(call)`: a call on one line, and all of it in a form (`tools.views`)
- `figures`: a session's figures in words, the same in every format
- `ansi.spans(text)`, `ansi.strip(text)`: terminal colours
- `diffs`: hunks of edits; `text`: visible forms, durations, sizes, counts, times with a zone
- `markdown.Markdown().html(text)`: safe HTML of what agents write
- `templates.environment("html", folder)`, `templates.load("html/style.css")`: our templates, or the user's
"""
