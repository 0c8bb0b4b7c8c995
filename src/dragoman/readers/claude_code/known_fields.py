"""Fields that each kind of line is known to have. Only `doctor` needs this: the reader carries whatever comes.

Fields of maps with free keys (a tool's input and result, paths of tracked files, answers by question, usage by
model, an error's headers) are nobody's vocabulary and stand nowhere here.
"""

from __future__ import annotations

from dragoman.readers.claude_code.vocabulary import CARRIED, ENVELOPE

LINE = ENVELOPE | CARRIED

SYSTEM = frozenset(
    (
        "subtype content level isMeta toolUseID compactMetadata compact_metadata microcompactMetadata error cause retryInMs "
        "retryAttempt maxRetries hookCount hookInfos hookErrors preventedContinuation stopReason hasOutput "
        "hookAdditionalContext durationMs messageCount pendingBackgroundAgentCount originalModel fallbackModel "
        "apiRefusalCategory apiRefusalExplanation trigger direction scope refusedUserMessageUuid retractedMessageUuids "
        "commandRun usageReport taskId cron prompt taskKind foldedUuids url "
        # stream-json
        "tools mcp_servers model permissionMode slash_commands apiKeySource claude_code_version output_style agents skills "
        "plugins status hook_id hook_name hook_event stdout stderr output exit_code outcome task_id tool_use_id description "
        "task_type summary usage last_tool_name output_file betas fast_mode_state"
    ).split()
)

PROGRESS = frozenset(
    (
        "type output fullOutput elapsedTimeSeconds totalLines totalBytes timeoutMs taskId hookEvent hookName command "
        "statusMessage status serverName toolName elapsedTimeMs progressMessage message normalizedMessages prompt agentId "
        "resume query resultCount taskDescription taskType"
    ).split()
)

RECORDS: dict[str, frozenset[str]] = {
    kind: frozenset(fields.split()) | {"type", "sessionId", "session_id", "timestamp", "uuid"}
    for kind, fields in {
        "summary": "summary leafUuid",
        "custom-title": "customTitle",
        "ai-title": "aiTitle",
        "agent-name": "agentName",
        "session-name": "sessionName",
        "agent-color": "agentColor",
        "agent-setting": "agentSetting",
        "file-history-snapshot": "messageId snapshot isSnapshotUpdate",
        "file-history-delta": "messageId snapshotMessageId trackingPath backup",
        "queue-operation": "operation content reason commandUuid deliveryId",
        "permission-mode": "permissionMode",
        "mode": "mode",
        "last-prompt": "lastPrompt leafUuid explicit rewound",
        "tag": "tag",
        "pr-link": "prNumber prUrl prRepository",
        "worktree-state": "worktreeSession",
        "relocated": "relocatedCwd",
        "continued-in": "continuedInSessionId",
        "content-replacement": "replacements agentId",
        "fork-context-ref": "agentId parentSessionId parentLastUuid contextLength",
        "cost-state": (
            "totalCostUSD modelUsage hasUnknownModelCost totalAPIDuration totalAPIDurationWithoutRetries totalToolDuration "
            "totalDuration totalLinesAdded totalLinesRemoved startTime"
        ),
        "isolation-latch": "side",
        "atis-latch": "atis",
        "frame-link": "path frameUrl title artifactCount",
        "bridge-session": "bridgeSessionId lastSequenceNum ownerAccountUuid ownerOrganizationUuid",
        "history-suppression": "cause ts",
        "observer-ref": "observerTaskId observerAgentType",
        "memory-mode": "mode afterUuid",
        "dev-mods": "folder",
        "artifact-autoreact-ledger": "artifacts",
        "ended-by-model": "",
        "result": (
            "subtype is_error duration_ms duration_api_ms num_turns result stop_reason total_cost_usd usage modelUsage "
            "permission_denials structured_output errors fast_mode_state"
        ),
        "stream_event": "event parent_tool_use_id",
        "rate_limit_event": "rate_limit_info",
    }.items()
}
"""Bookkeeping records whose fields are known. Of the others only the type is looked at."""
