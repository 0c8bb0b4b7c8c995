"""What Claude Code is known to write: record types, subtypes, attachments, blocks and fields, up to 2.1.332.

What stands here is carried quietly. What doesn't is carried too, and reported as unknown.
"""

from __future__ import annotations

import re

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,47}")


def safe_name(name: object) -> str:
    """A type's or field's name as it may be shown to anybody: never content that took a name's place."""
    return name if isinstance(name, str) and _IDENTIFIER.fullmatch(name) else "(no identifier)"


RECORD_KINDS: dict[str, str] = {
    # titles and names
    "summary": "summary",
    "custom-title": "title",
    "ai-title": "title",
    "agent-name": "title",
    "session-name": "title",
    # links to other places
    "pr-link": "link",
    "continued-in": "link",
    "fork-context-ref": "link",
    "frame-link": "link",
    "bridge-session": "link",
    "observer-ref": "link",
    "worktree-state": "link",
    # copies of files and bookkeeping of them
    "file-history-snapshot": "snapshot",
    "file-history-delta": "snapshot",
    "attribution-snapshot": "snapshot",
    "marble-origami-snapshot": "snapshot",
    # what the model saw beside the talk
    "content-replacement": "context",
    "marble-origami-commit": "context",
    "marble-origami-reset": "context",
    "api-request": "context",
    "api-request-shape": "context",
    "api-request-blob": "context",
    "saved_hook_context": "context",
    "task-summary": "context",
    "history-suppression": "context",
    # prompts that wait
    "queue-operation": "queue",
    # the state of the program
    **dict.fromkeys(
        (
            "permission-mode mode agent-color agent-setting last-prompt tag relocated cost-state atis-latch "
            "isolation-latch speculation-accept artifact-comment-monitor artifact-autoreact-ledger ended-by-model slug "
            "dev-mods memory-mode tool_heartbeat heartbeat workflow-start rewind-pointer auto-mode-denial "
            "permission-denial agent_metadata started result failed launched"
        ).split(),
        "state",
    ),
    # stream-json
    **dict.fromkeys(
        "rate_limit_event control_request control_response control_cancel_request keep_alive auth_status".split(),
        "state",
    ),
    "tool_progress": "progress",
    "stream_event": "progress",
}
"""Record types other than user, assistant, system, attachment and progress, and the kind of Event that each is."""

CONVERSATION = frozenset(("user", "assistant", "system", "attachment", "progress"))

SUBTYPE_KINDS: dict[str, str] = {
    "": "hook",
    "compact_boundary": "compaction",
    "microcompact_boundary": "microcompaction",
    "api_error": "error",
    "local_command": "command",
    "stop_hook_summary": "hook",
    "hook_started": "hook",
    "hook_progress": "hook",
    "hook_response": "hook",
    "init": "context",
    "file_snapshot": "snapshot",
    **dict.fromkeys(
        (
            "away_summary informational scheduled_task_fire agents_killed bridge_status memory_saved permission_retry thinking "
            "model_refusal_fallback model_consent_fallback model_refusal_no_fallback cloud_session_status "
            "vcs_state_changed code_change_published post_turn_summary task_notification"
        ).split(),
        "notice",
    ),
    **dict.fromkeys(
        "turn_duration api_metrics status task_started task_progress session_state_changed".split(),
        "state",
    ),
}

ATTACHMENT_TYPES = frozenset(
    (
        "queued_command hook_additional_context hook_success hook_non_blocking_error hook_blocking_error hook_cancelled "
        "hook_system_message hook_error_during_execution hook_stopped_continuation hook_permission_decision "
        "async_hook_response async_hook_response_batch file directory already_read_file edited_text_file edited_image_file "
        "pdf_reference compact_file_reference opened_file_in_ide selected_lines_in_ide selected_lines_in_diff nested_memory "
        "relevant_memories ultramemory mcp_resource invoked_skills skill_listing dynamic_skill skill_discovery skill_mention "
        "agent_listing_delta deferred_tools_delta deferred_tools_record mcp_instructions_delta mcp_dropped_tools_delta "
        "command_permissions agent_mention peer_mention task_status task_reminder todo_reminder plan_mode plan_mode_reentry "
        "plan_mode_exit plan_file_reference auto_mode auto_mode_exit date date_change ultrathink_effort ultra_effort_enter "
        "ultra_effort_exit output_style output_style_instructions diagnostics critical_system_reminder verify_plan_reminder "
        "max_turns_reached budget_usd token_usage output_token_usage total_tokens_reminder context_efficiency companion_intro "
        "structured_output teammate_mailbox team_context bagel_console read_truncation_notice goal_status environment model "
        "prompt_snapshot account_memory_recall advisor_stripped advisor_tool artifact_opening_prefetch at_mention_reference "
        "attention_budget audio_transcript bash_output_audience_note batching_reminder batching_reminder_sent "
        "context_sections coordinator_context cowork_memory_context credential_org dir_sync_notice elapsed_time_reminder "
        "fork_briefing inlined_image_paths instructions language memory_update poll_events prefix_delta proactivity "
        "prompt_render_point remote_session_change repl_mcp_needs_auth sandbox_instructions secondary_reminder "
        "secondary_reminder_sent session_context session_cron_carry session_settings silent_turn_reminder "
        "teammate_shutdown_batch thinking_drop thinking_stripped thread_state tool_host_result_lines "
        "tool_search_usage_reminder unknown_command_fallback withheld_memory workflow_keyword_request "
        "workflow_size_guideline_change"
    ).split()
)

PROGRESS_TYPES = frozenset(
    (
        "hook_progress bash_progress powershell_progress mcp_progress agent_progress skill_progress query_update "
        "search_results_received waiting_for_task"
    ).split()
)

ENVELOPE = frozenset(
    (
        "type uuid parentUuid timestamp sessionId session_id cwd version gitBranch userType isSidechain entrypoint slug "
        "agentId requestId request_id message toolUseResult tool_use_result logicalParentUuid sourceToolAssistantUUID "
        "apiBlockIndex apiBlockIndices costUSD attachment data subtype content parent_tool_use_id"
    ).split()
)
"""Fields of a line that the reader uses or that merely repeat from line to line."""

CARRIED = frozenset(
    (
        "isMeta isCompactSummary isVisibleInTranscriptOnly isApiErrorMessage error apiErrorStatus thinkingMetadata todos "
        "sourceToolUseID teamName agentName permissionMode imagePasteIds planContent mcpMeta forkedFrom promptId promptSource "
        "attributionSkill attributionMcpServer attributionMcpTool attributionPlugin attributionAgent interruptedMessageId "
        "origin effort perTurnEffort toolDenialKind classifierMetaLines sessionKind advisorModel isReplay isSynthetic ended "
        "surfaced turnOrigin turnPosition turnCompanion queueSkipAttachments queueTranscriptOnly queuePriority "
        "interruptedByShutdown userFeedback summarizeMetadata usageLimitNote replacesSpan isVirtual serverClassifierContext "
        "toolEndsTurn thinkingDurationMs isAbortedMidStream batchToolUses errorDetails wireToolInputs wireIngestContext "
        "supersedesUuids rendered renderedRole renderedInHumanTurn level toolUseID parentToolUseID isUpdate "
        "parentToolUseId subagent_type task_description priority durationMs "
        # what dragoman's own writer remembers of a clm log
        "clm"
    ).split()
)
"""Fields of user and assistant lines that are known and go along in `extra`."""

QUIET = frozenset(("promptId", "wireIngestContext", "turnPosition", "forkedFrom"))
"""Carried fields that differ on every line or are told elsewhere, and mean nothing to anybody outside the program."""

MESSAGE_USED = frozenset(("role", "content", "id", "type", "model", "stop_reason", "usage"))
MESSAGE_CARRIED = frozenset(
    "stop_sequence container context_management stop_details diagnostics input_transformations effort".split()
)

USAGE = frozenset(
    (
        "input_tokens output_tokens cache_creation_input_tokens cache_read_input_tokens cache_creation service_tier "
        "server_tool_use inference_geo iterations speed output_tokens_details"
    ).split()
)
"""Fields of a message's `usage`."""

USAGE_PARTS: dict[str, frozenset[str]] = {
    "cache_creation": frozenset(("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")),
    "server_tool_use": frozenset(("web_search_requests", "web_fetch_requests")),
    "output_tokens_details": frozenset(("thinking_tokens",)),
}
"""Those of them that are objects, with the fields of each: counts, all."""

BLOCK_FIELDS: dict[str, frozenset[str]] = {
    kind: frozenset(fields.split()) | {"type", "cache_control"}
    for kind, fields in {
        "text": "text citations",
        "thinking": "thinking signature",
        "redacted_thinking": "data",
        "tool_use": "id name input caller",
        "tool_result": "tool_use_id content is_error",
        "image": "source data mimeType",
        "document": "source title context citations",
        "server_tool_use": "id name input caller",
        "mcp_tool_use": "id name input server_name",
        "mcp_tool_result": "tool_use_id content is_error",
        "advisor_tool_result": "tool_use_id content",
        "web_search_tool_result": "tool_use_id content caller",
        "web_fetch_tool_result": "tool_use_id content caller",
        "code_execution_tool_result": "tool_use_id content",
        "bash_code_execution_tool_result": "tool_use_id content",
        "text_editor_code_execution_tool_result": "tool_use_id content",
        "tool_search_tool_result": "tool_use_id content",
        "tool_reference": "tool_name",
        "search_result": "title source content citations",
        "resource": "resource",
        "resource_link": "uri name title description mimeType",
        "audio": "data mimeType",
        "fallback": "from to",
        "container_upload": "file_id",
        "connector_text": "text connector_text signature",
        "compaction": "content",
        "tool_use_summary": "summary tool_use_ids",
    }.items()
}
"""Known block types and the fields of each."""
