"""What a tool's call and result are, whatever the output format.

`summary(call)` is the one line that makes opening it unnecessary most of the time; `view(call)` is everything
in it, as one of the forms of `views`. What is known of tools stands in modules of their own (`claude_code`,
`messages`, `others`); whatever isn't known, or is damaged, becomes a `views.Generic`.

Nothing is lost: what a view has no form for is in its `more` (arguments) and `rest` (result text), what it
leaves out on purpose is named in `left_out`, for the report.
"""

from __future__ import annotations

from dragoman.render.tools.summary import Summary, summary
from dragoman.render.tools.view import view
from dragoman.render.tools.views import View

__all__ = ["Summary", "View", "summary", "view"]
