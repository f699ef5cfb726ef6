// Written by `npm run api`. What is exported here is what semantic versioning holds for.
export type Admission = {
    admitted: true;
    ticket: string;
    maxTokens: number;
    /** `maxTokens` was lowered to what the budget covers. */ lowered: boolean;
} | {
    admitted: false;
    message: string;
    /** To a patient one: settles when less may be reserved, and asking again is worth it. */
    freed?: Promise<void>;
};
export interface AdmissionRequest {
    model: string;
    /** Bytes of the serialised request: an upper bound of its tokens. */
    requestBytes: number;
    /** Tokens expected from the last real usage plus an estimate; never used to reserve less than the bytes allow. */
    estimatedInputTokens: number;
    /** An exact count, asked for only near the limit. */
    countTokens?: () => Promise<number | undefined>;
    maxTokens: number;
    speed?: "fast";
    /**
     * The most tokens that media can add beyond their bytes in the request; asked for only under a budget. `isCounted`: beyond what
     * `countTokens` told, which has looked at what is behind links.
     */
    mediaTokens(isCounted?: boolean): number;
    /** Bytes of the request that say nothing of its tokens, since `mediaTokens` bounds what is in them. Asked for as that is. Absent: none. */
    mediaBytes?(): number;
    /** Nobody waits for it: admitted only where it takes a small share of what is left, so that no other call is refused for it. */
    spare?: true;
    /** Rather waits for calls that are under way than be refused, or lowered, for what is reserved for them. */
    patient?: boolean;
}
/** A message of an agent that a tool of this run has started. */
export interface AgentMessageEvent {
    type: "agent_message";
    message: SDKMessage;
}
export interface ApiMessage {
    role: "user" | "assistant";
    content: ContentBlock[];
}
export interface ApiRetry {
    type: "api_retry";
    attempt: number;
    /** `Number.MAX_SAFE_INTEGER`: without end. */
    maxRetries: number;
    delayMs: number;
    status: number | null;
    kind: FailureKind;
    message: string;
    requestId?: string;
}
export type AppendResult = {
    ok: true;
} | {
    ok: false;
    failure: Failure;
};
export type AskPermission = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;
/** One completed block of a response (or several, where the source gives them together); blocks of one response share `messageId`. */
export interface AssistantMessage extends MessageBase {
    type: "assistant";
    messageId: string;
    /** The model asked for: what decides whether its thinking may be sent again. */
    model: string;
    content: ContentBlock[];
    requestId?: string;
    /** Set on a message the loop made to show a failure; its text is for people and is never sent. */
    apiError?: {
        kind: FailureKind;
        status?: number;
    };
    /** Set where an interruption cut the block. */
    aborted?: true;
    /** What the server told when it began to answer: of the message as it is shown, never of its record. */
    usageSoFar?: Usage;
}
export type Attachment = {
    kind: "queued_command";
    prompt: ContentBlock[];
    sourceUuid: string;
}
/** `mtimeMs`: the time of the change that is told; null where the file is gone. */
 | {
    kind: "file_changed";
    path: string;
    snippet: string;
    mtimeMs?: number | null;
}
/** `call`: which of several calls of one message it is about, in words. */
 | {
    kind: "hook_context";
    event: string;
    text: string;
    toolUseId?: string;
    call?: string;
} | {
    kind: "max_turns_reached";
    maxTurns: number;
    turnCount: number;
} | {
    kind: "hook_stopped_continuation";
    event: string;
    message: string;
} | Reminder;
/** Something that joined the conversation at a turn border. `normalize` decides which kinds the model sees. */
export interface AttachmentMessage extends MessageBase {
    type: "attachment";
    attachment: Attachment;
}
export interface AutoCompactTracking {
    /** `turnCount` of the last compaction in this user turn; undefined before the first. */
    lastCompactedTurn?: number;
    consecutiveFailures: number;
    /** Compactions win nothing any more: none is made for the rest of the user turn. */
    isThrashing?: true;
    /** Tokens of the work on this prompt that are no longer in the conversation. */
    taskTokensLost?: number;
}
/**
 * The session's one ledger. A reservation stays charged until it is settled; `settle` without usage leaves it charged,
 * because the bill for a call whose end was never seen is unknown.
 */
export interface BudgetPort {
    /** At once where nothing has to be asked. */
    admit(request: AdmissionRequest): Admission | Promise<Admission>;
    /**
     * Its answer has begun: that much is on the server's bill, whatever becomes of this process. `messageId`: of an answer that the
     * session's transcript will have; without one nothing but the ledger knows of the call.
     */
    begun?(ticket: string, usage: Usage, messageId?: string): void;
    /** Returns the cost booked. */
    settle(ticket: string, outcome: Settlement): number;
}
export interface Cancel<Cause extends string = CancelCause> {
    /** Null while nobody has cancelled. */
    readonly cause: Cause | null;
    /** Aborts with the cause as its reason. Made when it is first asked for. */
    readonly signal: AbortSignal;
    /** True where this call was the first. */
    cancel(cause: Cause): boolean;
    /** Calls back once, at once if already cancelled. Returns what removes it. */
    onCancel(listener: (cause: Cause) => void): () => void;
    /** The same, and each time it is cancelled again: for who may wait in spite of the first cause. */
    onEach(listener: (cause: Cause) => void): () => void;
}
/** Who ended a run, written once: the first cause wins. `interrupt` means the user has already submitted the next message. */
export type CancelCause = "user" | "interrupt" | "terminate" | "consumer" | "shutdown";
export interface ClockPort {
    /** ms since the epoch. */
    now(): number;
    /** ms since some moment of this process: for durations and limits. It does not jump when the clock is set. */
    elapsed(): number;
    /** ISO 8601. */
    timestamp(): string;
    /** Calls back once after `ms`; returns what cancels it. */
    timer(ms: number, onFire: () => void): () => void;
}
/** A span of finished work gave way to a summary of it. Never sent itself; what stands for the span is. */
export interface CollapseCommitMessage extends MessageBase {
    type: "collapse_commit";
    /** Every message that is gone. */
    targets: string[];
    /** What stands where the first of them stood: the summary, and the answer the user was given. */
    messages: (UserMessage | AssistantMessage)[];
    /** Tokens of the request before and after. */
    preTokens: number;
    postTokens: number;
    counted: CountedTokens | null;
}
export interface CompactBoundaryMessage extends MessageBase {
    type: "compact_boundary";
    /** `rewound`: nothing was summed up; the session goes on from one of its earlier messages, the last of `messages`. */
    trigger: "auto" | "manual" | "reactive" | "rewound";
    preTokens: number;
    postTokens: number;
    /** The last message the summary stands for. */
    lastSummarizedUuid: string | null;
    /** Everything the conversation consists of from here on, summary first; resume reads nothing older. */
    messages: Message[];
    /** Nothing was summed up: images or documents were left out. */
    leftOut?: "media";
}
export interface CompactingEvent {
    type: "compacting";
    trigger: "auto" | "manual" | "reactive";
}
export type ContentBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock | ToolResultBlock | ImageBlock | DocumentBlock | OpaqueBlock;
export type ContextEvent = CompactingEvent | WaitingEvent | NoticeMessage | AttachmentMessage;
export interface ContextInput {
    /** The conversation since the last compact boundary. */
    messages: readonly Message[];
    model: ModelInfo;
    /** `max_tokens` the next request would ask for. */
    maxTokens: number;
    /** Tokens of system prompt and tools, for the share that messages do not explain. */
    fixedTokens: number;
    tracking: AutoCompactTracking;
    turnCount: number;
    key: string;
}
/** The layers behind one door. Must not throw; an abort ends them at once with what they had. */
export interface ContextPort {
    /** Layers 0 to 4 and 7, in order. */
    fit(input: ContextInput, signal: AbortSignal): AsyncGenerator<ContextEvent, FitResult>;
    /** The same for a caller that waits itself: where nothing has to be waited for, it is over at once. */
    fitSteps?(input: ContextInput, signal: AbortSignal): Generator<ContextEvent | Waiting, FitResult, unknown>;
    /** Layer 5. */
    drain(input: ContextInput, signal: AbortSignal): AsyncGenerator<ContextEvent, ShrinkResult>;
    /** Layer 6. `media`: the overflow was an image or document the API refused. `refusal`: what the server said. */
    compactReactively(input: ContextInput & {
        media: boolean;
        actualTokens?: number;
        refusal?: {
            status?: number;
            detail?: string;
        };
    }, signal: AbortSignal): AsyncGenerator<ContextEvent, ShrinkResult>;
    /** Layer 0 at its source: bounds one result, given what its message already holds, and makes its images and documents fit. */
    fitToolResult(content: ToolResultContent, limits: {
        toolName: string;
        toolUseId: string;
        maxChars: number;
        usedChars: number;
        signal?: AbortSignal;
    }): Promise<ToolResultContent>;
    /**
     * Characters that one result, and those of one message together, may have whatever they say; of more than that
     * `fitToolResult` is asked. Undefined: only a tool's own limit counts.
     */
    resultChars?(): {
        one: number;
        all: number;
    } | undefined;
    /** Layer 0 for what does not come from a tool: images and documents that the API takes, or text in their place. */
    fitMedia?(content: ContentBlock[], signal: AbortSignal): Promise<ContentBlock[]>;
    /** The most tokens that media in these messages can add beyond what the request's bytes bound. Absent: none can. */
    mediaTokens?(messages: readonly Message[], about?: MediaFacts): number;
    /** Characters of base64 in these messages that what `mediaTokens` answers bounds as well, and closer, on that model. Absent: none do. */
    mediaBytes?(messages: readonly ApiMessage[], model: ModelInfo): number;
    /** What of the output tokens wanted fits beside the request in the window of that model. Absent: all of it. */
    fittingMaxTokens?(model: ModelInfo, estimatedTokens: number, wanted: number): number;
    /** Believes a server that said how many tokens it takes at most. `isRate`: an account's limit, which may be another one later. */
    setWindow?(modelId: string, tokens: number, isRate?: boolean): void;
    /** A server refused a request of so many tokens, estimated, as too long, and said no figure. */
    guessWindow?(modelId: string, refused: number): void;
    /**
     * The conversation with its signed summary as plain text, for an API that refuses the block; undefined where there is none.
     * What made it so is to be recorded.
     */
    plainSummary?(messages: readonly Message[], model: ModelInfo): {
        messages: Message[];
        records: Message[];
    } | undefined;
    /** Whether staged collapses of this conversation exist, so that `drain` could do something. */
    canDrain(messages: readonly Message[]): boolean;
}
export type Continue = {
    reason: "next_turn";
} | {
    reason: "collapse_drain_retry";
    committed: number;
}
/** `media`: it was an image or a document that was refused, and not the length. */
 | {
    reason: "reactive_compact_retry";
    media?: true;
} | {
    reason: "max_output_tokens_escalate";
} | {
    reason: "max_output_tokens_recovery";
    attempt: number;
} | {
    reason: "stop_hook_blocking";
} | {
    reason: "token_budget_continuation";
};
export type ContinueReason = Continue["reason"];
/** Tokens that the count of one response still holds though they are gone: measurement takes them from that count, and from no other. */
export interface CountedTokens {
    /** The `response_end` that has the count. */
    responseEnd: string;
    tokens: number;
}
export interface DocumentBlock {
    type: "document";
    source: {
        type: "base64";
        media_type: "application/pdf";
        data: string;
    } | {
        type: "text";
        media_type: "text/plain";
        data: string;
    } | {
        type: "url";
        url: string;
    } | {
        type: "file";
        file_id: string;
    };
    title?: string;
    context?: string;
}
/** A message before it has an id and a time: what a pure function can make. */
export type Draft = Unminted<UserMessage> | Unminted<AssistantMessage> | Unminted<AttachmentMessage> | Unminted<NoticeMessage> | Unminted<TransitionMessage> | Unminted<TombstoneMessage>;
/** How hard a model is asked to think. */
export type Effort = "low" | "medium" | "high" | "xhigh" | "max";
/** Work in the background that is over. */
export interface EndedTask {
    taskId: string;
    /** The call that began it. */
    toolUseId?: string;
    status: "completed" | "failed" | "stopped";
    /** Null where it was stopped, or nobody could tell. */
    exitCode: number | null;
    /** Absolute. */
    outputFile: string | null;
    summary: string;
    /** Of an agent. */
    usage?: {
        total_tokens: number;
        tool_uses: number;
        duration_ms: number;
    };
}
export type Fact = {
    kind: "opened";
} | (Left & {
    kind: "prepared";
    request: ModelRequest;
    estimatedTokens: number;
    tracking: AutoCompactTracking;
}) | {
    kind: "window_full";
    estimatedTokens: number;
    limitTokens: number;
    why?: string;
} | (Left & {
    kind: "admission_refused";
}) | (Sampled & {
    kind: "answered";
    calls: number;
    /** No block at all: an end of turn that says nothing. */
    empty: boolean;
    stopReason: string | null;
}) | (Sampled & {
    kind: "truncated";
    /** The truncated response's messages, for the tombstone. */
    targets: string[];
    /** What it was cut at, and what the model allows at most. */
    maxTokens: number;
    modelMaxTokens: number;
    cap: "default" | "escalated" | "custom" | "ledger";
    failure: Failure;
}) | (Sampled & Overflow & {
    kind: "overflowed";
    /** What the server counted of the prompt, or of the whole window where the answer ran into its end. */
    actualTokens?: number;
    /** The answer was cut where the window left it no more room; what it counts as where no room can be made. */
    cut?: Extract<Fact, {
        kind: "truncated";
    }>;
}) | (Sampled & {
    kind: "stream_cut";
    calls: number;
    failure: ModelFailure;
    /** In a row, this one included; 0 where it was none, or another model takes over. */
    overloads: number;
}) | (Left & {
    kind: "failed";
    failure: Failure;
}) | (Left & {
    kind: "aborted";
    where: "streaming" | "tools";
    cause: CancelCause;
}) | (Left & Overflow & {
    kind: "drained";
    committed: number;
    tracking: AutoCompactTracking;
}) | (Left & Overflow & {
    kind: "compacted";
    tracking: AutoCompactTracking;
}) | (Left & Overflow & {
    kind: "unrecovered";
}) | (Left & {
    kind: "batch_settled";
    hookStopped: HookStop | null;
    /** A tool said that the work is done. */
    endsTurn: boolean;
    summaryKey: string | null;
}) | (Left & {
    kind: "turn_end";
    blocking: TurnEndAnswer["blocking"];
    prevented: TurnEndAnswer["prevented"];
    warnings: Draft[];
    empty: boolean;
});
export type FactOf<Kind extends Fact["kind"]> = Extract<Fact, {
    kind: Kind;
}>;
/** A failure as a value. `message` is for people: what happened, to what, what to do next. */
export interface Failure {
    kind: FailureKind;
    message: string;
    status?: number;
    requestId?: string;
    /** When a limit resets, ms since the epoch. */
    resetsAt?: number;
    /** The provider's own words, for debugging and for clients. */
    detail?: string;
}
/** The two closed unions of the loop: every way on, every way out. Only `loop/decide.ts` makes them. */
export type FailureKind = "authentication_failed" | "billing_error" | "permission_denied" | "model_not_found" | "invalid_request" | "rate_limit" | "overloaded" | "server_error" | "connection" | "stalled" | "truncated_stream" | "refusal" | "prompt_too_long" | "media" | "max_output_tokens" | "thinking_rejected" | "compaction_refused" | "aborted" | "transcript" | "not_configured" | "internal";
export type FitResult = {
    kind: "ready";
    messages: readonly Message[];
    /** Records that made `messages` what they are (boundary, summary, attachments, strips): to be appended in order. */
    records: Message[];
    /** Tokens the request is expected to have. */
    estimatedTokens: number;
    /** `max_tokens` that still fits the window. */
    maxTokens: number;
    tracking: AutoCompactTracking;
    applied: LayerApplied[];
} | {
    kind: "full";
    estimatedTokens: number;
    limitTokens: number;
    tracking: AutoCompactTracking;
    /** Why nothing shrinks it, and what to do: a sentence for people. Absent: compaction is off. */
    why?: string;
};
/** What a judge says of the goal that is set. */
export interface GoalNews {
    /** A warning where the turn ends and the goal is not met: it is told where nobody watches, too. */
    level: "info" | "warning";
    /** The notice's. */
    name: "goal_reached" | "goal_impossible" | "goal_unmet" | "goal_idle";
    /** For people. */
    text: string;
    /** For the model, which is to go on. */
    feedback?: string;
}
/** The answers of all hooks of one event, merged: deny beats defer beats ask beats allow, stop beats go on. */
export interface HookAnswer {
    /** `continue: false`: end the run after this. The text is for people. */
    preventContinuation?: string;
    /** `decision: "block"` or exit 2: the reasons, for the model. */
    blocking: string[];
    /** `defer`: not now. The call is put off, and the run ends; `otherwise` is what the other hooks say, where it cannot be. */
    permission?: HookPermission | {
        behavior: "defer";
        reason?: string;
        otherwise?: HookPermission;
    };
    updatedInput?: Record<string, unknown>;
    /** What hooks answered in a person's stead (PermissionRequest); a refusal beats a consent. */
    permissionAnswer?: HookPermissionAnswer;
    updatedToolOutput?: unknown;
    elicitation?: HookElicitationAnswer;
    /** Files that FileChanged is to be told of, in place of those that were named before. */
    watchPaths?: string[];
    /** Of PermissionDenied: the model may try the call again. */
    retry?: true;
    /** Of MessageDisplay: what people are shown in place of the text. May be empty. */
    displayContent?: string;
    /** Of WorktreeCreate: the folder a hook made. As it said it. */
    worktreePath?: string;
    /** Of SessionStart and UserPromptSubmit: what the session is called from now on. */
    sessionTitle?: string;
    /** Of SessionStart: skills have changed. */
    reloadSkills?: true;
    /** Of SessionStart, without a person: what the session begins with, before its prompt. */
    initialUserMessage?: string;
    additionalContext: string[];
    /** For people; the model does not see them. */
    notices: NoticeMessage[];
    /** Of the events at a turn's end: those that ran. */
    runs?: HookRun[];
}
/** Of what runs in the background, as hooks of a turn's end are told it. */
export interface HookBackgroundTask {
    id: string;
    type: "shell" | "subagent" | "teammate";
    status: "running";
    /** At most 1,000 characters, and how many more there were. */
    description: string;
    command?: string;
    agent_type?: string;
    name?: string;
}
export interface HookDecision {
    behavior: "allow" | "ask";
    reason?: string;
    /** The hook that gave the input allows the call itself. */
    givesInput?: true;
}
/** What hooks answer an MCP server in a person's stead. */
export interface HookElicitationAnswer {
    action: "accept" | "decline" | "cancel";
    content?: Record<string, unknown>;
}
export type HookEvent = (typeof hookEvents)[number];
/** Common fields are added by the hook engine; these are the event's own, in the wire's case. */
export interface HookInput {
    hook_event_name: HookEvent;
    tool_name?: string;
    tool_input?: Record<string, unknown>;
    tool_use_id?: string;
    /** Whose tool it is, where it is one of an MCP server. */
    mcp_server?: McpServerProvenance;
    tool_response?: unknown;
    /** How long the tool ran, without questions and hooks. */
    duration_ms?: number;
    error?: string;
    /** The provider's own words. */
    error_details?: string;
    prompt?: string;
    /** Where the session has one. */
    session_title?: string;
    expansion_type?: string;
    command_name?: string;
    command_args?: string;
    command_source?: string;
    /** Of a shell line: who had the text made that holds it. */
    invoked_by?: "user" | "claude" | "other";
    stop_hook_active?: boolean;
    /** What still runs beside the conversation. */
    background_tasks?: readonly HookBackgroundTask[];
    last_assistant_message?: string;
    trigger?: string;
    custom_instructions?: string | null;
    compact_summary?: string;
    source?: string;
    /** Of SessionStart: the one that is asked. */
    model?: string;
    reason?: string;
    message?: string;
    notification_type?: string;
    from_model?: string;
    to_model?: string;
    requested_model?: string | null;
    context_tokens?: number;
    old_cwd?: string;
    new_cwd?: string;
    directory?: string;
    file_path?: string;
    /** Of a file: `change`, `add` or `unlink`. */
    event?: string;
    memory_type?: string;
    load_reason?: string;
    globs?: readonly string[];
    trigger_file_path?: string;
    parent_file_path?: string;
    /** What `updatedPermissions` may say to spare the next question of the kind. */
    permission_suggestions?: readonly PermissionUpdate[];
    agent_id?: string;
    agent_type?: string;
    agent_transcript_path?: string;
    task_id?: string;
    task_subject?: string;
    task_description?: string;
    teammate_name?: string;
    team_name?: string;
    /** Of a work tree that is to be made. */
    name?: string;
    worktree_path?: string;
    /** Of what an MCP server asks the user, and of what is answered. */
    mcp_server_name?: string;
    mode?: string;
    url?: string;
    elicitation_id?: string;
    requested_schema?: unknown;
    action?: string;
    content?: unknown;
    /** Of what is shown: the turn and the message it belongs to, which piece of it this is, and whether it is the last. */
    turn_id?: string;
    message_id?: string;
    index?: number;
    final?: boolean;
    delta?: string;
    tool_calls?: {
        tool_name: string;
        tool_input: unknown;
        tool_use_id: string;
        tool_response: unknown;
    }[];
}
export interface HookPermission {
    behavior: "allow" | "deny" | "ask";
    reason?: string;
    /** The hook whose `updatedInput` counts allows the call itself: a consent where the input is the answer. */
    givesInput?: true;
}
export type HookPermissionAnswer = {
    behavior: "allow";
    updatedInput?: Record<string, unknown>;
    /** Changes to the session's permissions, made before the call runs. */
    updates?: PermissionUpdate[];
} | {
    behavior: "deny";
    message?: string;
    interrupt?: true;
    /** It ends the run, for the reason it gives. */ stops?: string;
};
/**
 * Runs the hooks of an event and waits for all of them. Must not throw and must not hang: every hook has a time limit,
 * a broken hook is a notice and a pass (a callback too late for a call or a prompt refuses it). After `signal` aborts it settles at once.
 */
export interface HookPort {
    /** False where nothing would run: lets a caller skip making the input. */
    has(event: HookEvent): boolean;
    /** How long the slowest hook of an event may take, ms, where one was given longer than hooks have by themselves. Absent: none was. */
    limitMs?(event: HookEvent): number | undefined;
    run(input: HookInput, signal: AbortSignal): Promise<HookAnswer>;
    /** Runs detached (StopFailure): not awaited by the loop, owned and drained by the session. */
    runDetached(input: HookInput): void;
}
/** How one hook went. */
export interface HookRun {
    /** A command line, an address, a question. */
    name: string;
    durationMs: number;
    isOk: boolean;
    /** What was wrong with it, for people. */
    problem?: string;
}
/** What a hook ended the run with. */
interface HookStop {
    event: string;
    message: string;
    /** The call itself was put off, so that nothing is left to be said of it. */
    isDeferral?: true;
}
export interface IdPort {
    /** A UUID. */
    uuid(): string;
    /** In [0, 1): jitter. */
    random(): number;
}
export interface ImageBlock {
    type: "image";
    source: ImageSource;
}
export type ImageSource = {
    type: "base64";
    media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp";
    data: string;
} | {
    type: "url";
    url: string;
} | {
    type: "file";
    file_id: string;
};
export type InputVerdict = {
    ok: true;
} | {
    ok: false;
    message: string;
};
/** Where a path of a call led when it was judged: what is opened later must lie there still. */
export interface JudgedPath {
    /** Absolute and normal, as the call has it. */
    path: string;
    /** Without a link; null where it could not be told. */
    real: string | null;
}
export interface LayerApplied {
    layer: string;
    savedTokens: number;
}
/** The conversation as the stage left it. */
interface Left {
    messages: readonly Message[];
}
export interface LoopConfig {
    sessionId: string;
    system: SystemBlock[];
    /** Tried in order when the model before is overloaded or missing. */
    fallbackModels: readonly string[];
    thinking: ThinkingSetting;
    effort?: Effort;
    /** A cap the caller chose; it is never escalated. */
    maxOutputTokens?: number;
    querySource: QuerySource;
    taskBudget?: {
        total: number;
    };
    speed?: "fast";
    /** Pass raw model deltas on. */
    includeRawEvents: boolean;
}
/** Every bound of the loop. Times in ms. */
export interface LoopLimits {
    /** Turns of one user turn; undefined for no limit. */
    maxTurns?: number;
    /** Tokens of work the caller asked for. */
    tokenBudget?: number;
    outputTokensDefault: number;
    /** What a truncated answer is asked for again with; undefined: the model's own limit. */
    outputTokensEscalated?: number;
    outputTokensRecoveries: number;
    /** In a row; `Infinity` for no cap. */
    stopHookBlocks: number;
    overloadsBeforeFallback: number;
    pausedTurns: number;
    toolConcurrency: number;
    /** All results of one message together, characters. */
    resultCharsPerMessage: number;
    permissionMs: number;
    hookMs: number;
    /** All that happens at the end of one answer together. */
    turnEndMs: number;
    toolMs: number;
    compactionMs: number;
    portMs: number;
    /** No event of the model for this long: the adapter's own watchdog has failed. */
    modelSilenceMs: number;
    /** How long a cancelled piece of work may take to settle before its result is written for it. */
    settleMs: number;
}
export interface LoopPorts {
    model: ModelPort;
    retry: RetryPort;
    tools: ToolsPort;
    permission: PermissionPort;
    hooks: HookPort;
    turnEnd: TurnEndPort;
    context: ContextPort;
    budget: BudgetPort;
    transcript: TranscriptPort;
    queue: QueuePort;
    clock: ClockPort;
    ids: IdPort;
    trace?: TracePort;
    summary?: SummaryPort;
}
/** A letter between agents of one session. */
export interface MailFacts {
    /** Unique in the session: of two records with it, one is too many. */
    id: string;
    kind: "message" | "idle" | "ended";
    /** The name of whom it is from, or about. */
    from: string;
    /** Of a teammate. */
    agentId?: string;
}
/** Which server a tool is of, and whose word that server is. To be gone by instead of names, which anybody may choose. */
interface McpServerProvenance {
    /** As it was written, by whomever: no text to show as it is. */
    name: string;
    /**
     * `sdk`: it lives in the host, and nobody else can name one so. Others: `dynamic` (named by the host or a flag), `user`, `project`, `local`,
     * `managed`, `plugin`, `agent` (of an agent's definition). More may come.
     */
    source: string;
}
/** What bounds media that nobody here has seen. */
export interface MediaFacts {
    /** Of the model that is asked, tokens. Default: the largest there can be. */
    window?: number;
    /** The API has counted them. Default false. */
    isCounted?: boolean;
}
/** What the net had to do; all zero in a run without defects and without crashes. */
interface Mended {
    missingResults: number;
    strayResults: number;
    /** Calls whose id was taken, or that the API would not take back. */
    calls: number;
    endings: number;
    images: number;
}
export type Message = UserMessage | AssistantMessage | ResponseEndMessage | CompactBoundaryMessage | SnipBoundaryMessage | ResultsClearedMessage | CollapseCommitMessage | ThinkingStrippedMessage | AttachmentMessage | NoticeMessage | TransitionMessage | TombstoneMessage;
interface MessageBase {
    /** Unique in the session; the idempotency key of its transcript record. */
    uuid: string;
    /** ISO 8601, from the injected clock. */
    timestamp: string;
}
export type MessageType = Message["type"];
export type ModelEvent = {
    type: "start";
    messageId: string;
    requestId?: string;
    usage: Usage;
} | {
    type: "raw";
    event: RawStreamEvent;
} | {
    type: "block";
    index: number;
    block: ContentBlock;
    /** Set on a `tool_use` whose JSON did not parse although the message ended well: the raw text. Never executed. */
    invalidInput?: string;
};
export type ModelFailure = Failure & {
    /**
     * What the loop may do about it. `overflow`: the prompt is too long. `media`: an image or document was refused.
     * `summary`: a signed summary was refused, asked for or sent back. `block`: a block of a kind that the server does not know. `output`: the model gives no answer as long as was asked for.
     * `field`: a field of the request that the server does not know, which the next request is made without.
     */
    recovery: "retry" | "overflow" | "media" | "thinking" | "summary" | "block" | "output" | "field" | "fallback" | "none";
    /** Wait asked for by the server, ms. */
    retryAfterMs?: number;
    /** The server's own limits in the answer, tokens, where it told them. */
    tokens?: {
        actual?: number;
        maximum: number;
        /** Of `actual`, what was asked for as the answer (`max_tokens`); absent where it counted the prompt alone, or did not say. */
        answer?: number;
        /** A limit on what is used in a minute or a day. What it counts is no count of the model's tokens. */
        isRate?: true;
    };
    /** Of the recovery `output`: the longest answer, tokens. */
    answerLimit?: number;
    /** Of the recovery `field`. */
    field?: RequestField;
    /** Of the recovery `thinking`: the server misses thinking that the history does not hold, and refuses none. */
    thinkingMissed?: true;
    /** It misses that of the turn that runs alone: the next one may be thought about. */
    isOfTurn?: true;
    /** An overload (529, overloaded_error): counted toward the switch to the fallback model. */
    overload?: boolean;
    /** The answer had begun: what was asked is on the bill. */
    begun?: true;
    /** The request never reached a server (refused connection, unknown host): it cannot have been billed. */
    neverSent?: boolean;
    /** Of one that was never sent: nothing speaks for a wrong address, so that it is tried as often as others are. */
    mayPass?: true;
};
export interface ModelInfo {
    id: string;
    /** False: not in the catalogue; window and limits are assumptions and there are no prices. */
    known: boolean;
    contextWindow: number;
    maxOutputTokens: number;
    /** Ascending by bound; undefined where nobody told the price. */
    prices?: PriceTier[];
    /** At `speed: "fast"`; undefined where the model has no such mode. */
    fastPrices?: PriceTier[];
    thinking: "none" | "enabled" | "adaptive" | "adaptive_always" | "adaptive_or_disabled";
    /** Thinking blocks are bound to the exact prefix (preserved thinking). */
    thinkingBoundToPrefix: boolean;
    /** Nobody described the model: its thinking may come without a signature, and goes back as it came. */
    unsignedThinking?: boolean;
    /** Older turns' thinking is kept by the API. */
    keepsOldThinking: boolean;
    efforts: Effort[];
    defaultEffort?: Effort;
    minCacheTokens: number;
    maxImages: number;
    /** Pixels of the longer side, and tokens, that the provider scales larger images down to; undefined where nobody told. */
    imageEdge?: number;
    imageTokens?: number;
    /** Writes a signed summary on demand, and takes one back in place of the messages it stands for. */
    compaction?: boolean;
}
export type ModelOutcome = {
    ok: true;
    stopReason: string | null;
    stopDetails?: Record<string, unknown>;
    usage: Usage;
    /** A `tool_use` block was cut by the output limit and dropped. */
    partialToolUse?: boolean;
    /** The provider bills nothing for it, whatever `usage` says. */
    unbilled?: true;
    /** The server never said how long the answer was: `usage` has less of it than the bill. */
    outputUntold?: true;
} | {
    ok: false;
    failure: ModelFailure;
    /** What was seen before it failed; undefined where the stream never started. */
    usage?: Usage;
    /** Text of a block that was still open, kept on an interruption. */
    partialText?: string;
};
/**
 * Makes one request and streams it. Must not throw: failures are outcomes. Yields each block when it is complete, in order.
 * Ends within 100 ms of `signal` aborting (outcome `aborted`), with the connection closed. No wait without a limit.
 */
export interface ModelPort {
    stream(request: ModelRequest, signal: AbortSignal): ModelStream;
    /** Bytes `stream` would send, for admission and measurement; memoised with the serialisation it reuses. */
    measure(request: ModelRequest): {
        bytes: number;
    };
    /** Exact count where the endpoint has one, else undefined. */
    countTokens?(request: ModelRequest, signal: AbortSignal): Promise<number | undefined>;
    info(model: string): ModelInfo;
}
export interface ModelRequest {
    model: string;
    system: SystemBlock[];
    tools: readonly ToolDefinition[];
    messages: ApiMessage[];
    /** Index into `messages` of those whose last cacheable block carries a breakpoint, ascending. At most 4 with the system's. */
    cacheBreakpoints: number[];
    maxTokens: number;
    thinking: ThinkingSetting;
    effort?: Effort;
    /** Beta headers to send along. */
    betas?: string[];
    taskBudget?: {
        total: number;
        remaining?: number;
    };
    /** Faster answers at a higher price, on models that have them. */
    speed?: "fast";
    /**
     * Asks for a signed summary of `messages` in place of a reply: one opaque `compaction` block, stop reason `compaction`.
     * `instructions` replace the server's own. Only for models with `ModelInfo.compaction`.
     */
    compaction?: {
        instructions?: string;
    };
    querySource: QuerySource;
    sessionId: string;
    /** `t12.model`: the effect's stable key. */
    key: string;
}
export interface ModelStream extends AsyncGenerator<ModelEvent, ModelOutcome> {
    /** What `next` would answer at once, taken from it; undefined where it has to be waited for. Several events mostly come together. */
    ready?(): IteratorResult<ModelEvent, ModelOutcome> | undefined;
}
/** One model's share of a session. USD. Field names as SDK clients know them. */
export interface ModelUsage {
    inputTokens: number;
    outputTokens: number;
    cacheReadInputTokens: number;
    cacheCreationInputTokens: number;
    webSearchRequests: number;
    costUSD: number;
    contextWindow: number;
    maxOutputTokens: number;
    costBasis?: "list" | "managed" | "unknown";
}
interface NormalizeOptions {
    model: string;
    /** Thinking is enabled for the request; else none is sent. */
    thinking: boolean;
    maxImages: number;
    /** The model gets thinking back that has no signature, until it refused some. */
    unsignedThinking?: boolean | undefined;
    /** The response was paused: it is sent back as it is, last. */
    paused?: boolean;
    /** A signed summary is sent as its block, else as its text. */
    compaction?: boolean;
    /** A finished answer may stand last: what is sent is to be summarised, not answered. */
    openEnd?: boolean;
}
interface Normalized {
    messages: ApiMessage[];
    /** Ascending indexes: see `breakpoints.ts`. */
    cacheBreakpoints: number[];
    mended: Mended;
}
type Normalizer = (messages: readonly Message[], options: NormalizeOptions) => Normalized;
/** For people and clients; never sent. */
export interface NoticeMessage extends MessageBase {
    type: "notice";
    level: "info" | "warning" | "error";
    /** A stable name a test or client can rely on, such as `model_fallback` or `stop_hook_cap`. */
    name: string;
    text: string;
    data?: Record<string, unknown>;
}
/** Stands in messages of an agent, beside `parent_tool_use_id`. */
interface OfAgent {
    agent_id?: string;
    subagent_type?: string;
    task_description?: string;
}
interface OfHistory {
    type: "system";
    uuid: string;
    session_id: string;
}
/** What a session says of the hooks it runs: always of `SessionStart`, of the others with `includeHookEvents`. */
interface OfHook {
    type: "system";
    uuid: string;
    session_id: string;
    /** The same in all messages of one run. */
    hook_id: string;
    /** The event, and what matchers were held against: `PreToolUse:Bash`. */
    hook_name: string;
    hook_event: string;
}
/** What a session says of work beside its own: agents it has started, commands of the background. */
interface OfTask {
    type: "system";
    uuid: string;
    session_id: string;
    /** The agent's id. */
    task_id: string;
    /** The call that began it. */
    tool_use_id: string;
    description: string;
    subagent_type: string;
}
/** A block type this version does not know (server tools, compaction, …): carried as it came, sent back as it came. */
export interface OpaqueBlock {
    type: "opaque";
    wire: Record<string, unknown>;
}
/** The error that is withheld while its recovery is at work. */
interface Overflow {
    /** An image or document was refused, not the length. */
    media: boolean;
    failure: Failure & Pick<ModelFailure, "tokens">;
}
export type PermissionAnswer = {
    behavior: "allow";
    updatedInput?: Record<string, unknown> | undefined;
    /** Added to the session's allow rules. */ rule?: string | undefined;
    /** Changes to the session's permissions, made before the call runs. */
    updates?: PermissionUpdate[] | undefined;
} | {
    behavior: "deny";
    message?: string | undefined;
    interrupt?: boolean | undefined;
};
export type PermissionDecision = {
    behavior: "allow";
    updatedInput?: Record<string, unknown>;
    reason: PermissionReason;
    /** Of each path that was judged. Absent where whoever judged looked at none. */
    judged?: readonly JudgedPath[];
} | {
    behavior: "deny";
    /** For the model: what was refused, why, and what would allow it. */
    message: string;
    reason: PermissionReason;
    /** The user wants the whole turn to stop. */
    interrupt?: boolean;
    /** A hook ends the run after this, and says why. */
    stops?: string;
};
export interface PermissionDeniedEvent {
    type: "permission_denied";
    toolName: string;
    toolUseId: string;
    input: Record<string, unknown>;
    message: string;
    reasonType: string;
}
/** Where a change is to be kept. This session takes it up wherever that is. */
export type PermissionDestination = "session" | "localSettings" | "projectSettings" | "userSettings" | "cliArg";
export type PermissionMode = (typeof permissionModes)[number];
/** Judges one call, asking the user where the rules say so. Must not throw; fails closed. An abort denies. */
export interface PermissionPort {
    /** At once where nobody has to be asked. */
    decide(request: PermissionRequest, signal: AbortSignal): PermissionDecision | Promise<PermissionDecision>;
}
/** What the host (a person at a terminal, an SDK's `canUseTool`) is asked. */
export interface PermissionQuestion extends PermissionRequest {
    /** Why it is asked. */
    reason: PermissionReason;
    /** Which part of the call needs it, one clause; absent where `reason` says it all. */
    why?: string;
    /** Whose call it is, where an agent of the session makes it. */
    agentId?: string;
    /** Whose tool it is. */
    mcpServer?: McpServerProvenance;
    /** Of a plan to be approved: the mode a consent leads to that changes none itself. */
    modeAfter?: PermissionMode;
    /** The answer is what the call is for: it comes with an `updatedInput`. */
    requiresUserInteraction?: true;
    /** A rule that, once added to the session, would answer the like. */
    suggestedRule?: string;
    /** Of a line of several commands that lack permission: rules that would answer the like together, one for each. */
    suggestedRules?: PermissionRuleValue[];
}
export type PermissionReason = {
    type: "rule";
    rule: string;
    source: string;
} | {
    type: "mode";
    mode: PermissionMode;
} | {
    type: "hook";
    text: string;
} | {
    type: "safety";
    text: string;
} | {
    type: "workingDirectory";
    text: string;
} | {
    type: "sandbox";
    text: string;
}
/** The model that judges in the mode `auto`. */
 | {
    type: "classifier";
    text: string;
} | {
    type: "user";
} | {
    type: "unanswered";
    text: string;
};
export interface PermissionRequest {
    toolName: string;
    toolUseId: string;
    /** The final input: after hooks changed it. */
    input: Record<string, unknown>;
    isReadOnly: boolean;
    subjects: PermissionSubject[];
    cwd: string;
    /** What a PreToolUse hook answered; `allow` only skips the question, deny and ask rules still hold. */
    hookDecision?: HookDecision;
    /** `t3.permission.0`: names the question, so that any process could answer it. */
    key: string;
}
/** A rule in two parts, as the public convention has it. */
export interface PermissionRuleValue {
    toolName: string;
    /** What stands in the parentheses. */
    ruleContent?: string;
}
/** One thing a call would do. A call is allowed only where every subject is. Paths are absolute and not yet resolved. */
export type PermissionSubject = {
    kind: "read";
    path: string;
} | {
    kind: "write";
    path: string;
}
/** `shell`: not bash runs it, but a shell that knows less. */
 | {
    kind: "command";
    command: string;
    shell?: "sh";
} | {
    kind: "tool";
};
export type PermissionUpdate = {
    destination: PermissionDestination;
} & ({
    type: "addRules" | "replaceRules" | "removeRules";
    rules: PermissionRuleValue[];
    behavior: "allow" | "deny" | "ask";
} | {
    type: "setMode";
    mode: PermissionMode;
} | {
    type: "addDirectories" | "removeDirectories";
    directories: string[];
});
export interface PlainParts {
    model: ModelPort;
    tools: readonly Tool[];
    clock: ClockPort;
    ids: IdPort;
}
export interface PlainTool<Input> {
    name: string;
    description: string;
    inputSchema: ToolInputSchema;
    /** It changes nothing: it is permitted, and runs beside others like it. Default false. */
    readOnly?: boolean;
    call: (input: Input, signal: AbortSignal) => Promise<ToolResultContent | ToolResult>;
}
/** Prices that hold while the whole prompt is at most `upToInputTokens`. The last tier has no bound. */
export interface PriceTier extends TokenPrices {
    upToInputTokens?: number;
}
export type QueryEvent = Message | StreamRequestStart | StreamEvent | ApiRetry | ToolProgressEvent | AgentMessageEvent | WaitingEvent | PermissionDeniedEvent | CompactingEvent | ToolUseSummary;
export interface QueryParams {
    /** From `createState`: its messages end with what is to be answered, already recorded. */
    state: State;
    config: LoopConfig;
    ports: LoopPorts;
    limits?: Partial<LoopLimits>;
    /** Cancels the run; the caller keeps it. */
    cancel?: Cancel;
    /** Of the runs of this conversation before. */
    memory?: RunMemory;
}
export type QuerySource = "main" | "sdk" | "subagent" | "compaction" | "hook" | "side_question";
export interface QueuePort {
    /** Hands over what is queued, once; each entry is then consumed. */
    take(): QueuedPrompt[];
    /** Whether anybody judges what was taken. Absent: nobody. */
    isJudged?(): boolean;
    judge?(entry: QueuedPrompt, signal: AbortSignal): Promise<QueuedJudgement>;
    /** What joins behind one that may join: the files it names, read; a person may be asked about them. Absent: nothing. */
    named?(entry: QueuedPrompt, signal: AbortSignal): Promise<readonly (UserMessage | AttachmentMessage)[]>;
    /** Marks what this run took: completed, or cancelled where the run died before the model saw it. */
    settle(uuids: readonly string[], outcome: "completed" | "cancelled"): void;
    /** Other news of a turn border: files changed on disk, commands of the background that ended. */
    news(): Attachment[];
}
/** What hooks say of a prompt that is to join a running turn. */
interface QueuedJudgement {
    /** Why it does not join; it is consumed by that. */
    refusal?: string;
    additionalContext: readonly string[];
    notices: readonly NoticeMessage[];
}
/** Input that arrived while the loop was busy. */
interface QueuedPrompt {
    uuid: string;
    prompt: ContentBlock[];
}
/** A raw stream event in the wire's own shape, for clients that asked for partial messages. */
export interface RawStreamEvent {
    type: string;
    [key: string]: unknown;
}
export interface RedactedThinkingBlock {
    type: "redacted_thinking";
    data: string;
}
export interface Reminder {
    kind: "reminder";
    name: string;
    text: string;
    /** The work in the background whose end it tells. */
    task?: EndedTask;
    /** What an agent wrote to this one, or is told of it. */
    mail?: MailFacts;
    /** The mode from here on, where it is another. */
    permissionMode?: PermissionMode;
}
/**
 * A field that a request can do without, where its server does not know it, or what of it the server does not know. Without
 * `thinking.adaptive` a request asks for thinking within a budget, and without `thinking.enabled` for adaptive thinking. `tool_use`
 * are fields of calls in its messages that their own server gave them, and without `tool_use.id` their ids are such that any server takes.
 */
export type RequestField = "cache_control" | "cache_control.ttl" | "thinking" | "thinking.adaptive" | "thinking.enabled" | "thinking.display" | "output_config" | "output_config.effort" | "output_config.task_budget" | "tool_use" | "tool_use.id";
/** The close of one response: its real usage, which anchors every later measurement. Never sent. */
export interface ResponseEndMessage extends MessageBase {
    type: "response_end";
    messageId: string;
    model: string;
    stopReason: string | null;
    usage: Usage;
    costUsd: number;
    requestId?: string;
    /** A digest of the system prompt and the tools that it was asked with: thinking may be bound to them. */
    prefixDigest?: string;
}
/** Of a turn's answers together; tier, speed and place are those of the last. */
interface ResultUsage extends Required<WireUsage> {
    output_tokens_details: {
        thinking_tokens: number;
    };
    /** Always empty. */
    iterations: [];
    speed: "standard" | "fast";
}
/** Results of old calls gave way to a line each: their calls and ids stay. Never sent; the lines are. */
export interface ResultsClearedMessage extends MessageBase {
    type: "results_cleared";
    /** It was cheaper so, nothing of it was cached any more, or the window was nearly full. */
    why: "money" | "cache_expired" | "room";
    /** Oldest first. */
    cleared: {
        toolUseId: string;
        marker: string;
    }[];
    /** Estimated. */
    savedTokens: number;
    counted: CountedTokens | null;
    /** Requests the figures below reckon with, the next included. */
    expectedRequests: number;
    /** USD of input saved over those requests, less what is written to the cache anew and thinking that is left out; null without prices. */
    netUsd: number | null;
}
export type RetryAdvice = {
    retry: true;
    delayMs: number;
    maxRetries: number;
    /** The failure does not count toward any limit. */
    isEndless?: true;
} | {
    retry: false;
    failure: ModelFailure;
};
export interface RetryPort {
    /** `attempt` counts from 1: the attempt that failed. `endless` of those before it did not count. Pure. */
    advise(failure: ModelFailure, attempt: number, random: number, endless: number): RetryAdvice;
}
/** What a run of the loop was given and no message says. Limits that differ from the defaults; null stands for no limit. */
export interface RunBegin {
    at: "begin";
    model: string;
    agentId: string | null;
    limits: Record<string, number | null>;
    fallbackModels: readonly string[];
    thinking: ThinkingSetting;
    maxOutputTokens?: number;
}
export declare class RunMemory {
    #private;
    readonly normalize: Normalizer;
    /** Ids of every call the conversation has had: a reply may not use one again. */
    readonly callIds: Set<string>;
    /** Ids of every response it has had. */
    readonly messageIds: Set<string>;
    /** The longest answer of a model, tokens, where a server refused a longer one. */
    readonly answerLimits: Map<string, number>;
    /** Models that are asked without thinking: their server missed thinking that the conversation does not hold. */
    readonly unthinking: Set<string>;
    /** Models that get back what they thought without a signature: their server missed it. */
    readonly unsigned: Set<string>;
    /** What the last request began with, and its digest; null before the first. */
    readonly prefix: SentPrefix;
    /** Learns the ids of what is new; of all of it, where it was rewritten. */
    learn(messages: readonly Message[]): void;
}
/** What happens in a run and leaves no message, or none that says all: a replay could not know it otherwise. */
export type RunNote = RunBegin
/** An attempt at a response failed; what follows from it is in the messages. */
 | {
    at: "failure";
    failure: ModelFailure;
}
/** It is made again, and may be so many times. */
 | {
    at: "retry";
    maxRetries: number;
}
/** An answer was cut at so many tokens. `isLowered`: the budget covered no more. */
 | {
    at: "cut";
    maxTokens: number;
    modelMaxTokens: number;
    isLowered: boolean;
}
/** `terminal`: null where the run was left. */
 | {
    at: "end";
    terminal: Terminal | null;
    cause: CancelCause | null;
};
/** So that a result is told apart from that of a prompt which its host gave up. */
interface SDKAnswering {
    /** Ids of the user messages that it answers: the one that began the turn, and those that joined it; a result also names those that a hook kept from joining. One that came without has that of its replay; absent where there is none. */
    user_message_uuids?: string[];
    /** The last of them. */
    user_message_uuid?: string;
}
interface SDKApiRetry extends SDKBase {
    type: "system";
    subtype: "api_retry";
    attempt: number;
    max_retries: number;
    retry_delay_ms: number;
    error_status: number | null;
    error: string;
    message: string;
    request_id?: string;
}
interface SDKAssistantMessage extends SDKBase, OfAgent, SDKAnswering {
    type: "assistant";
    message: {
        id: string;
        type: "message";
        role: "assistant";
        model: string;
        content: WireBlock[];
        stop_reason: string | null;
        stop_sequence: null;
        usage: WireUsage;
    };
    parent_tool_use_id: string | null;
    error?: SDKAssistantMessageError;
    request_id?: string;
    aborted?: true;
    /** What a `MessageDisplay` hook has people see in place of the text of `message`. */
    display_content?: string;
}
type SDKAssistantMessageError = "authentication_failed" | "billing_error" | "rate_limit" | "overloaded" | "invalid_request" | "model_not_found" | "server_error" | "max_output_tokens" | "unknown";
interface SDKBase {
    uuid: string;
    session_id: string;
}
/** A summary stands for a span of finished work from here on. */
interface SDKCollapseCommit extends OfHistory {
    subtype: "collapse_commit";
    collapse_metadata: {
        message_uuids: string[];
        pre_tokens: number;
        post_tokens: number;
    };
}
/** What a session says of its own commands: those that begin with a slash and are answered without the model. */
interface SDKCommandBase {
    uuid: string;
    session_id: string;
}
interface SDKCompactBoundary extends SDKBase {
    type: "system";
    subtype: "compact_boundary";
    /** `left_out`: nothing was summed up, images or documents were left out. */
    compact_metadata: {
        trigger: "manual" | "auto";
        pre_tokens: number;
        post_tokens?: number;
        left_out?: "media";
    };
}
/** The conversation was emptied: what follows has another id. */
interface SDKConversationReset extends SDKCommandBase {
    type: "conversation_reset";
    new_conversation_id: string;
    trigger: "clear";
}
interface SDKFailure {
    code: SDKFailureCode;
    /** The same prompt, unchanged, may have an answer later. */
    retryable: boolean;
    /** Of the provider, where a request of its failed. */
    request_id?: string;
    /** HTTP. */
    status?: number;
}
type SDKFailureCode = FailureKind | "interrupted" | "max_turns" | "max_budget_usd" | "structured_output";
type SDKHookMessage = SDKHookStarted | SDKHookProgress | SDKHookResponse;
/** Of a run that takes more than a second, where it has printed more since the last one. */
interface SDKHookProgress extends OfHook {
    subtype: "hook_progress";
    stdout: string;
    stderr: string;
    output: string;
    /** Nobody waits for it, or no longer: it has asked for that. */
    async?: true;
}
interface SDKHookResponse extends OfHook {
    subtype: "hook_response";
    stdout: string;
    stderr: string;
    /** Both. */
    output: string;
    exit_code?: number;
    /** `cancelled`: it ran out of time, or was not waited for. */
    outcome: "success" | "error" | "cancelled";
    duration_ms: number;
}
interface SDKHookStarted extends OfHook {
    subtype: "hook_started";
    /** A command line, an address, a question. */
    command: string;
    status_message?: string;
    /** Nobody waits for it. */
    async?: true;
}
interface SDKInformational extends SDKBase {
    type: "system";
    subtype: "informational";
    content: string;
    level: "info" | "notice" | "suggestion" | "warning";
    tag?: string;
    /** A hook has ended the turn. */
    prevent_continuation?: true;
    /** Of what was said within an agent. */
    agent_id?: string;
    /** The same as data, where it is more than text: `{event, hooks}` of `stop_hook_summary`; `{uuid}` of `prompt_blocked`, where that was to join a turn. */
    data?: Record<string, unknown>;
}
/** What a built-in command says: no model was asked for it. */
interface SDKLocalCommandOutput extends SDKCommandBase {
    type: "system";
    subtype: "local_command_output";
    content: string;
    /** Its name, without the slash. */
    command: string;
    /** The same as data, where it is more than text: `ContextUsage` of `context`. */
    data?: unknown;
}
type SDKMessage = SDKSystemMessage | SDKAssistantMessage | SDKUserMessage | SDKPartialAssistantMessage | SDKResultMessage | SDKToolProgress | SDKToolUseSummary | SDKPromptSuggestion | SDKConversationReset;
/** Whose message begins a turn: a person's, as its host says; the news of what worked in the background; the session's own, where it goes on after a break. */
type SDKMessageOrigin = {
    kind: "human";
} | {
    kind: "task-notification";
} | {
    kind: "auto-continuation";
};
interface SDKPartialAssistantMessage extends SDKBase {
    type: "stream_event";
    event: SDKStreamEvent;
    parent_tool_use_id: string | null;
}
interface SDKPermissionDenial {
    tool_name: string;
    tool_use_id: string;
    tool_input: Record<string, unknown>;
}
interface SDKPermissionDenied extends SDKBase {
    type: "system";
    subtype: "permission_denied";
    tool_name: string;
    tool_use_id: string;
    /** Whose call it was, where an agent made it. */
    agent_id?: string;
    decision_reason_type: string;
    message: string;
}
/** What the user might say next; after the `result`, with `promptSuggestions`. */
interface SDKPromptSuggestion extends SDKBase {
    type: "prompt_suggestion";
    suggestion: string;
}
interface SDKResultBase extends SDKBase, SDKAnswering {
    type: "result";
    is_error: boolean;
    duration_ms: number;
    duration_api_ms: number;
    /** 1 and one for each tool follow-up: what `maxTurns` bounds. */
    num_turns: number;
    /** User messages yielded in this user turn; counted apart, and bounded by nothing. */
    num_user_messages?: number;
    stop_reason: string | null;
    terminal_reason: SDKTerminalReason;
    total_cost_usd: number;
    usage: ResultUsage;
    modelUsage: Record<string, ModelUsage>;
    permission_denials: SDKPermissionDenial[];
    api_error_status?: number | null;
    /** The call that a `PreToolUse` hook has put off (`terminal_reason` `tool_deferred`): it has not run, and the next prompt of the session takes it up. */
    deferred_tool_use?: {
        id: string;
        name: string;
        input: Record<string, unknown>;
    };
    /** Whose message it answers; absent where its sender did not say. */
    origin?: SDKMessageOrigin;
    /** Name of the built-in command that answered in place of the model, without the slash. */
    local_command?: string;
    /** What was written behind that name, and what the command found as data. */
    local_command_output?: {
        argument: string;
        data?: unknown;
    };
}
interface SDKResultError extends SDKResultBase {
    subtype: "error_during_execution" | "error_max_turns" | "error_max_budget_usd" | "error_max_structured_output_retries";
    errors: string[];
    failure: SDKFailure;
}
type SDKResultMessage = SDKResultSuccess | SDKResultError;
interface SDKResultSuccess extends SDKResultBase {
    subtype: "success";
    result: string;
    /** What a `MessageDisplay` hook has people see in place of `result`. */
    display_content?: string;
    structured_output?: unknown;
}
/** Results of old calls gave way to a line each in what the model is sent. */
interface SDKResultsCleared extends OfHistory {
    subtype: "results_cleared";
    reason: ResultsClearedMessage["why"];
    tool_use_ids: string[];
    saved_tokens: number;
    /** Expected, over the requests to come; null where the model has no prices. */
    saved_usd: number | null;
}
/** A span of history was taken out. */
interface SDKSnipBoundary extends OfHistory {
    subtype: "snip_boundary";
    snip_metadata: {
        from_uuid: string;
        to_uuid: string;
        by: SnipAuthor;
        reason?: string;
        saved_tokens: number;
    };
}
interface SDKStatus extends SDKBase {
    type: "system";
    subtype: "status";
    status: "compacting" | "requesting" | null;
    permissionMode?: PermissionMode;
    /** How a compaction by hand ended; with `status: null`. */
    compact_result?: "success" | "failed";
    compact_error?: string;
}
/** What the model is saying, as the provider streams it. */
type SDKStreamEvent = {
    [key: string]: unknown;
} & ({
    type: "message_start";
    message: {
        id: string;
        model: string;
        usage: Record<string, unknown>;
    };
} | {
    type: "content_block_start";
    index: number;
    content_block: WireBlock;
} | {
    type: "content_block_delta";
    index: number;
    delta: WireDelta;
} | {
    type: "content_block_stop";
    index: number;
} | {
    type: "message_delta";
    delta: {
        stop_reason?: string | null;
    };
    usage?: Record<string, unknown>;
} | {
    type: "message_stop" | "ping" | "error";
});
/** A request of an agent that failed and is made again. */
interface SDKSubagentRetry {
    agent_id: string;
    attempt: number;
    max_retries: number;
    retry_delay_ms: number;
    /** Null where there was no answer. */
    error_status: number | null;
    /** As `error` of `api_retry`. */
    error_category: string;
}
interface SDKSystemInit extends SDKBase {
    type: "system";
    subtype: "init";
    apiKeySource: "user" | "none";
    cwd: string;
    tools: string[];
    mcp_servers: {
        name: string;
        status: string;
        source?: string;
    }[];
    model: string;
    permissionMode: PermissionMode;
    /** What is asked for; absent of models that know none. */
    effort?: Effort;
    /** Values of the `anthropic-beta` header that somebody asked for; absent where nobody did. */
    betas?: string[];
    slash_commands: string[];
    output_style: string;
    skills: string[];
    agents: string[];
    plugins: {
        name: string;
        path: string;
        version?: string;
    }[];
    /** Plugins that were wanted and are not there, or not whole: by folder, file or `plugin@marketplace`. Absent where there is none. */
    plugin_errors?: {
        plugin: string;
        type: string;
        message: string;
    }[];
    pawl_version: string;
    claude_code_version: string;
    capabilities: string[];
}
type SDKSystemMessage = SDKSystemInit | SDKCompactBoundary | SDKSnipBoundary | SDKResultsCleared | SDKCollapseCommit | SDKStatus | SDKApiRetry | SDKPermissionDenied | SDKInformational | SDKTransition | SDKTombstone | SDKTaskStarted | SDKTaskProgress | SDKTaskUpdated | SDKTaskNotification | SDKHookMessage | SDKLocalCommandOutput;
/** A command of the background, or an agent, is over. */
interface SDKTaskNotification {
    type: "system";
    subtype: "task_notification";
    uuid: string;
    session_id: string;
    task_id: string;
    /** The call that began it. */
    tool_use_id?: string;
    status: "completed" | "failed" | "stopped";
    /** Of a command. */
    exit_code: number | null;
    /** Absolute; empty where nothing was kept. */
    output_file: string;
    summary: string;
    /** Of an agent. */
    usage?: SDKTaskUsage;
}
/** After each response of the agent that asked for tools. */
interface SDKTaskProgress extends OfTask {
    subtype: "task_progress";
    usage: SDKTaskUsage;
    last_tool_name?: string;
}
interface SDKTaskStarted extends OfTask {
    subtype: "task_started";
    /** `local_agent` is over one day, which a `task_notification` tells; a teammate stays. Clients wait for the first, and not for the second. */
    task_type: "local_agent" | "in_process_teammate";
    is_backgrounded: boolean;
    /** 1: begun by the session itself. */
    spawn_depth: number;
    /** The agent that began it. */
    parent_task_id?: string;
    prompt: string;
}
/** A teammate rests, or works again. */
interface SDKTaskUpdated {
    type: "system";
    subtype: "task_updated";
    uuid: string;
    session_id: string;
    task_id: string;
    patch: {
        status: "running" | "paused";
    };
}
interface SDKTaskUsage {
    total_tokens: number;
    tool_uses: number;
    duration_ms: number;
}
/** Every way a run ends, under the wire's names. */
type SDKTerminalReason = Exclude<TerminalReason, "max_budget_usd"> | "budget_exhausted" | "tool_deferred" | "tool_deferred_unavailable" | "structured_output_retry_exhausted";
/** Messages a client has shown and should take back: they were replaced. */
interface SDKTombstone extends SDKBase {
    type: "system";
    subtype: "tombstone";
    retracted_message_uuids: string[];
    reason: string;
}
/** What a command that runs has printed since, or that the agent of a call waits. */
interface SDKToolProgress {
    type: "tool_progress";
    uuid: string;
    session_id: string;
    tool_use_id: string;
    tool_name: string;
    parent_tool_use_id: string | null;
    elapsed_time_seconds: number;
    text?: string;
    /** Of a call that began an agent. */
    subagent_type?: string;
    /** The agent waits until its model is asked again. */
    subagent_retry?: SDKSubagentRetry;
}
interface SDKToolUseSummary extends SDKBase {
    type: "tool_use_summary";
    summary: string;
    preceding_tool_use_ids: string[];
}
/** Why the loop goes on: one a Continue. A subtype of ours, for traces. */
interface SDKTransition extends SDKBase {
    type: "system";
    subtype: "transition";
    transition: {
        reason: string;
        [key: string]: unknown;
    };
    turn_count: number;
}
interface SDKUserMessage extends Partial<SDKBase>, OfAgent {
    type: "user";
    message: {
        role: "user";
        content: string | WireBlock[];
    };
    parent_tool_use_id: string | null;
    isSynthetic?: boolean;
    isReplay?: true;
    /** Of input: false joins the conversation without a turn. */
    shouldQuery?: boolean;
    /** Of input: for the model as it is, no command and no file that it names. */
    client_composed?: boolean;
    /** Of input: what its user pasted, which `message` does not have. Its texts come behind those of `message`. */
    pasted_content?: (string | WireBlock[])[];
    /** Of input: that a person wrote it, told again with the result. */
    origin?: SDKMessageOrigin;
    tool_use_result?: unknown;
}
/** The same behind a response, with the model the run would go on with. */
interface Sampled extends Left {
    model: string;
    fallbacksUsed: number;
    /** Of all responses of the pass. */
    outputTokens: number;
}
interface SentPrefix {
    system: readonly SystemBlock[] | null;
    tools: readonly ToolDefinition[] | null;
    digest: string | null;
}
/** What is known of a call's bill once it is over. */
export type Settlement = {
    usage: Usage;
    /** False: it is the part seen before a cut. */
    final: boolean;
    /** The answer is whole, and the server never said how long it was. */
    outputUntold?: true;
} | {
    notBilled: true;
} | {
    unknown: true;
};
export type ShrinkResult = {
    kind: "shrunk";
    messages: readonly Message[];
    records: Message[];
    beforeTokens: number;
    afterTokens: number;
    committed: number;
    /** As in `AutoCompactTracking`: by this alone. */
    taskTokensLost?: number;
}
/** Nothing was there to do, or what was done did not shrink the request by the stated amount. */
 | {
    kind: "no_progress";
    why: string;
};
/** Asked for by the program that holds the session, by its user, or by the model through a tool of the program's. */
export type SnipAuthor = "host" | "user" | "model";
/** A span of history was taken out, from its first message to its last; a resume takes it out again. Never sent. */
export interface SnipBoundaryMessage extends MessageBase {
    type: "snip_boundary";
    fromUuid: string;
    toUuid: string;
    by: SnipAuthor;
    reason?: string;
    /** Estimated. */
    savedTokens: number;
    /** Null where no count holds the span. */
    counted: CountedTokens | null;
}
/**
 * Takes a snip's span out of a conversation, given and answered whole; undefined: it was not executed, and all is as it was.
 * Pure: the same span is taken out again whenever the session is resumed. The rest stays as it is, the same objects in order.
 */
export type SnipReplay = (boundary: SnipBoundaryMessage, messages: readonly Message[]) => readonly Message[] | undefined;
export interface State {
    /** The conversation since the last compact boundary. */
    messages: readonly Message[];
    /** What tools and calls of this run share. The live parts (signal, caches) belong to the ports. */
    toolUseContext: {
        model: string;
        fallbacksUsed: number;
        agentId: string | null;
    };
    /** The last answer broke off under the load of its server, behind its calls: how many in a row did, and how. */
    overload: {
        inARow: number;
        failure: ModelFailure;
    } | null;
    autoCompactTracking: AutoCompactTracking;
    maxOutputTokensRecoveryCount: number;
    hasAttemptedReactiveCompact: boolean;
    maxOutputTokensOverride: number | null;
    /** Key of the batch whose summary is being made while the next call runs. */
    pendingToolUseSummary: string | null;
    stopHookActive: boolean;
    stopHookBlockCount: number;
    turnCount: number;
    /** Continues since the last `next_turn`: what bounds every recovery. */
    continuesSinceTurn: number;
    /** Requests made in this run: the position every effect's key is made of. */
    iteration: number;
    /** `nudges`: those in a row that brought little. `spentAtNudge`: null before the first. */
    tokenBudget: {
        spent: number;
        nudges: number;
        spentAtNudge: number | null;
    };
    /** Why this iteration exists; null on the first. */
    transition: Continue | null;
}
export interface StreamEvent {
    type: "stream_event";
    event: RawStreamEvent;
}
export interface StreamRequestStart {
    type: "stream_request_start";
    turnCount: number;
    model: string;
}
/** A session that works for another one. */
export interface SubagentIdentity {
    agentId: string;
    /** The name of its kind: what matchers of SubagentStop are held against. */
    agentType: string;
    /** Absolute; absent: this session's own. */
    transcriptPath?: string;
}
/** Makes the one line about a finished batch; off where absent. Counted on the ledger by whoever implements it. */
export interface SummaryPort {
    summarize(messages: readonly Message[], signal: AbortSignal): Promise<string | null>;
}
export interface SystemBlock {
    text: string;
    /** A cache breakpoint falls after this block. */
    cacheBreakpoint?: true;
}
/** Work of a teammate, as the task list has it. */
export interface TeamTask {
    id: string;
    subject: string;
    description?: string;
}
/** Tells what a session that is one of a team still works on. */
export interface TeammatePort {
    name: string;
    teamName?: string;
    /** Those of this agent that are in progress. What it throws is a notice, and no task. */
    tasksInProgress(): readonly TeamTask[] | Promise<readonly TeamTask[]>;
    /** False: it has more to do, or is being ended, and TeammateIdle hooks are not asked. Absent: true. */
    mayRest?(): boolean;
}
export type Terminal = {
    reason: "completed";
} | {
    reason: "max_turns";
    turnCount: number;
} | {
    reason: "aborted_streaming";
} | {
    reason: "aborted_tools";
} | {
    reason: "blocking_limit";
} | {
    reason: "stop_hook_prevented";
} | {
    reason: "hook_stopped";
} | {
    reason: "prompt_too_long";
} | {
    reason: "image_error";
} | {
    reason: "max_budget_usd";
} | {
    reason: "model_error";
    error: Failure;
};
export type TerminalReason = Terminal["reason"];
export interface TextBlock {
    type: "text";
    text: string;
    citations?: unknown[];
}
export interface ThinkingBlock {
    type: "thinking";
    thinking: string;
    /** Absent where the block was cut before its signature, and of models that sign none: only those get such a block back. */
    signature?: string;
}
/** What of the thinking is shown: a summary, or nothing, which is quicker. */
export type ThinkingDisplay = "summarized" | "omitted";
/** `auto` lets the adapter take what the model's catalogue entry says. */
export type ThinkingSetting = {
    type: "auto";
    display?: ThinkingDisplay;
} | {
    type: "disabled";
} | {
    type: "enabled";
    budgetTokens: number;
    display?: ThinkingDisplay;
} | {
    type: "adaptive";
    display?: ThinkingDisplay;
};
/** Marks history as rewritten from here backwards: thinking that came before it is not sent again. */
export interface ThinkingStrippedMessage extends MessageBase {
    type: "thinking_stripped";
    reason: "rejected" | "model_changed" | "rewritten";
}
/** USD per million tokens. */
export interface TokenPrices {
    input: number;
    output: number;
    cacheWrite5m: number;
    cacheWrite1h: number;
    cacheRead: number;
}
/** Earlier messages were replaced: drop them. */
export interface TombstoneMessage extends MessageBase {
    type: "tombstone";
    targets: string[];
    reason: "retry" | "fallback" | "escalate" | "refusal" | "deferred";
}
/**
 * A tool. `call` should return failures as `{isError: true}`; what it throws becomes an error result too.
 * It must settle soon after `context.signal` aborts, leaving no process, handle or timer behind.
 */
export interface Tool extends ToolDefinition {
    /** Of a tool that an MCP server has. */
    mcpServer?: McpServerProvenance;
    /** Older names the model or a rule may use. */
    aliases?: readonly string[];
    /** Its schema is for the model: what it is called with it judges itself. */
    checksOwnInput?: true;
    /**
     * Each call of it is for a person, or a host, to answer: no mode, no rule and no judge allows it, in `bypassPermissions` either. Of
     * hooks, one does that gives the input to run with. In the mode `plan` it may be called where it is read-only.
     */
    requiresUserInteraction?: true;
    /** Of such a tool: fields of its input that only whoever answers fills. What a model says in them is not heard. */
    answeredFields?: readonly string[];
    /** Of such a tool: whether an input holds an answer, without which a hook's consent is none. Default: any does. Must not throw. */
    isAnswered?(input: ToolInput): boolean;
    /** May run beside other such calls. Must be pure and must not throw on any validated input. */
    isConcurrencySafe(input: ToolInput): boolean;
    isReadOnly(input: ToolInput): boolean;
    /** What a submit-interrupt does to a running call: wait for it, or cancel it. Default `cancel`. */
    interruptBehavior?: "cancel" | "block";
    /** A failed call cancels its running siblings of the same message. Default false. */
    failureCancelsSiblings?: boolean;
    /** What a resume may do with a call whose outcome is unknown. */
    replay: "safe" | "idempotent" | "never";
    /** Characters of result the model gets inline; the rest is spilled to a file. Infinity: never spilled. */
    maxResultSizeChars: number;
    /** The call is ended after this long, ms. Default 30 minutes. */
    timeLimitMs?(input: ToolInput): number;
    /** What the permission engine judges. Default: the tool's name alone. */
    permissionSubjects?(input: ToolInput, cwd: string): PermissionSubject[];
    /** One line for people: `Read src/a.ts`. */
    describe?(input: ToolInput): string;
    /** Checks the schema cannot express. Reads only. What can be said at once need not be a promise. */
    validateInput?(input: ToolInput, context: ToolContext): InputVerdict | Promise<InputVerdict>;
    /**
     * Told as soon as the model begins to write a call of it: what a call needs may be made ready while the input still comes. Whether a
     * call follows is open; a call that comes whole at once is not announced. Must not throw.
     */
    onAnnounced?(): void;
    /** Fields derived for hooks and clients (absolute paths); the API-bound input is left alone. */
    observableInput?(input: ToolInput, cwd: string): ToolInput;
    /** What the model gets of an `output` of its shape that a hook put in the place of its own. Undefined: it is not of that shape. */
    contentOf?(output: unknown): ToolResultContent | undefined;
    /**
     * Told of a call that was refused before it ran: by a hook, a permission, or since its input was none. True: the turn ends with
     * it, as `endsTurn` of a result has it. Must not throw.
     */
    onRefused?(why: string): boolean;
    call(input: ToolInput, context: ToolContext, onProgress: (progress: ToolProgress) => void): Promise<ToolResult>;
}
export interface ToolContext {
    sessionId: string;
    /** `t12.tool.0`: position of the call in the run; also the effect's key. */
    key: string;
    toolUseId: string;
    /** Aborts when the call must end. `signal.reason` is a `CancelCause` or `"sibling"`. */
    signal: AbortSignal;
    /** Working directory at the start of the call. Absolute. */
    cwd: string;
    /** A PreToolUse hook wants somebody to be asked about the call, whose input is checked again for that. */
    hookAsks?: true;
    /** Where its paths led when the call was allowed. Absent where nobody looked. */
    judged?: readonly JudgedPath[] | undefined;
    /**
     * Has something released at the end of the user turn, however it ends: once, in the order of registration, within 5 s, and in
     * silence where it fails. Of one name the last counts. In a subagent it is released when its session is closed.
     */
    registerTurnEnd: (name: string, dispose: () => unknown) => void;
}
/** What the model is told of a tool. */
export interface ToolDefinition {
    name: string;
    description: string;
    inputSchema: ToolInputSchema;
}
export type ToolInput = Record<string, unknown>;
/** JSON Schema of an input object, as the API takes it. Written as a literal, so that its bytes never change within a version. */
export interface ToolInputSchema {
    type: "object";
    properties?: Record<string, unknown>;
    required?: string[];
    additionalProperties?: boolean;
    [key: string]: unknown;
}
export interface ToolProgress {
    toolUseId: string;
    toolName: string;
    /** Text that arrived since the last progress, bounded by the tool. */
    text?: string;
    elapsedMs?: number;
    data?: Record<string, unknown>;
    /** What an agent below says; shown whole, and in order with the others. */
    message?: SDKMessage;
}
export interface ToolProgressEvent {
    type: "tool_progress";
    progress: ToolProgress;
}
export interface ToolResult {
    /** What the model gets. */
    content: ToolResultContent;
    isError?: boolean | undefined;
    /** The structured output for clients and hooks (`tool_use_result`), plain JSON. */
    output?: unknown;
    /** The work is done with it: the turn ends, unless what judges its end says otherwise. */
    endsTurn?: true | undefined;
    /** A hook that the tool itself has asked ends the run. */
    stoppedBy?: {
        event: string;
        message: string;
    } | undefined;
    /** Messages the call adds after its result, at the end of the batch. */
    followUp?: ContentBlock[] | undefined;
}
export interface ToolResultBlock {
    type: "tool_result";
    tool_use_id: string;
    content: ToolResultContent;
    is_error?: boolean;
}
export type ToolResultContent = string | (TextBlock | ImageBlock | DocumentBlock)[];
export interface ToolUseBlock {
    type: "tool_use";
    id: string;
    name: string;
    input: Record<string, unknown>;
}
/** One line about a finished batch of three or more calls. */
export interface ToolUseSummary {
    type: "tool_use_summary";
    summary: string;
    precedingToolUseIds: string[];
}
export interface ToolsPort {
    /** The same array while nothing changed, and nothing but additions at its end: its bytes are the cached prefix. */
    definitions(): readonly ToolDefinition[];
    /** By name or alias. */
    find(name: string): Tool | undefined;
    validate(schema: ToolInputSchema, input: ToolInput): InputVerdict;
    /** What an input plainly means that does not fit: another object, which fits. Undefined where it cannot be told; the same where it fits as it is. */
    meant?(schema: ToolInputSchema, input: ToolInput): ToolInput | undefined;
    /** Fields of an input that its tool knows nothing of and passes over, by name. */
    passedOver?(schema: ToolInputSchema, input: ToolInput): readonly string[];
    /** Which tools there are, or which one a name was probably meant for, in a sentence for the model. */
    insteadOf?(name: string): string | undefined;
    cwd(): string;
}
export interface TracePort {
    spanStart(name: string, attributes: Record<string, string | number>): void;
    spanEnd(name: string, attributes: Record<string, string | number>): void;
}
/**
 * Appends one record. Has returned only once `write` has: safe against the process's death. Idempotent by uuid.
 * Must not throw: a full disk is a value, and what is on disk stays valid. `soFar`: of a block of an answer, the usage that the answer
 * was begun with, for whoever reads the record; the answer's end has the whole.
 */
export interface TranscriptPort {
    append(message: Message, soFar?: Usage): AppendResult | Promise<AppendResult>;
    /** Keeps a note beside the messages. One that cannot be written costs a replay, not the run. */
    note?(note: RunNote): void;
}
export interface TransitionMessage extends MessageBase {
    type: "transition";
    transition: Continue;
    turnCount: number;
}
export interface TurnEnd {
    /** The conversation, the answer last; by reference. */
    messages: readonly Message[];
    /** The model that answered. */
    model: string;
    /** Null on the main thread. */
    agentId: string | null;
    stopHookActive: boolean;
    lastAssistantMessage: string;
    /** What the hooks of one event may take together, ms. */
    hookMs: number;
}
export interface TurnEndAnswer {
    /** Ends the run, whatever else was said. */
    prevented: {
        event: string;
        message: string;
    } | null;
    blocking: TurnEndFeedback[];
}
/** What a hook says to the model in place of an end. */
export interface TurnEndFeedback {
    event: string;
    reason: string;
}
/**
 * Must not throw: what goes wrong is a notice and a pass. Messages among what is told are recorded by the caller before they are
 * shown. Where nothing has to be waited for, it is over at once.
 */
export interface TurnEndPort {
    steps(end: TurnEnd, signal: AbortSignal): Generator<QueryEvent | Waiting, TurnEndAnswer, unknown>;
    /** What a tool holds for the turn: released by a step of it. Throws where it cannot be. */
    register(name: string, dispose: () => unknown): void;
}
type Unminted<T> = Omit<T, "uuid" | "timestamp">;
/** Tokens of one response, in the provider's own split. Total input = input + cacheCreation + cacheRead. */
export interface Usage {
    inputTokens: number;
    outputTokens: number;
    /** All cache writes; the two below are its parts where the provider tells them apart. */
    cacheCreationInputTokens: number;
    cacheReadInputTokens: number;
    cacheCreation5mInputTokens?: number;
    cacheCreation1hInputTokens?: number;
    webSearchRequests?: number;
    webFetchRequests?: number;
    thinkingTokens?: number;
    /** What the provider said served the call (`standard`, `priority`, `fast`…), as it came. */
    serviceTier?: string;
    /** It was kept within the US, which costs more. */
    inferenceGeo?: "us";
}
export interface UserMessage extends MessageBase {
    type: "user";
    content: ContentBlock[];
    /** Written by the loop: the model sees it, the user's view hides it. */
    isMeta?: true;
    origin?: UserOrigin;
    /** The structured output of the tool whose result this message carries; for clients and hooks, never sent. */
    toolUseResult?: unknown;
    /** Holds the place of a call's result that a hook put off: the call has not run, and is taken up with the next prompt. */
    deferred?: true;
    /** A prompt that was recorded before its `UserPromptSubmit` hooks were asked: where the process died meanwhile, a resume asks them. */
    awaitsHooks?: true;
    /** The id that a client gave it, where that is on record for what was taken out. */
    sourceUuid?: string;
    /** A summary that stands for what was compacted away. */
    isCompactSummary?: true;
    /** The API's own signed block of this summary, as it came: sent in place of the text to models that take it. Only on the first message. */
    compactionBlock?: Record<string, unknown>;
}
export type UserOrigin = "human" | "queued" | "context" | "stop_hook" | "recovery" | "token_budget" | "interruption" | "compaction" | "command";
export type Verdict = {
    go: "on";
    state: State;
    emit: Draft[];
} | {
    go: "again";
    state: State;
    emit: Draft[];
    transition: Continue;
} | {
    go: "stop";
    state: State;
    emit: Draft[];
    terminal: Terminal;
};
export interface WaitName {
    name: string;
    limitMs: number;
}
/** Among what is told: nothing is told until this has settled, and what it settles with is handed back. */
export interface Waiting {
    readonly promise: PromiseLike<unknown>;
    /** Under which name and for how long this is waited for; absent: as what it is a part of. */
    readonly about?: WaitName | undefined;
}
/** The loop waits for something outside, for at most `limitMs`. */
export interface WaitingEvent {
    type: "waiting";
    key: string;
    on: "permission" | "hook" | "compaction" | "retry" | "agent" | "budget";
    name: string;
    limitMs: number;
}
/** A wire-shaped content block; opaque blocks are unwrapped. */
type WireBlock = {
    [key: string]: unknown;
} & ({
    type: "text";
    text: string;
} | {
    type: "thinking";
    thinking: string;
    signature?: string;
} | {
    type: "tool_use" | "server_tool_use" | "mcp_tool_use";
    id: string;
    name: string;
    input: unknown;
} | {
    type: "tool_result" | "mcp_tool_result";
    tool_use_id: string;
    content?: unknown;
    is_error?: boolean;
} | {
    type: `${string}_tool_result`;
    tool_use_id: string;
    content?: unknown;
} | {
    type: "image" | "document" | "redacted_thinking" | "search_result" | "container_upload" | "compaction";
});
type WireDelta = {
    type: "text_delta";
    text: string;
} | {
    type: "input_json_delta";
    partial_json: string;
} | {
    type: "thinking_delta";
    thinking: string;
} | {
    type: "signature_delta";
    signature: string;
} | {
    type: "citations_delta";
    citation: unknown;
};
interface WireUsage {
    input_tokens: number;
    output_tokens: number;
    cache_creation_input_tokens: number;
    cache_read_input_tokens: number;
    cache_creation?: {
        ephemeral_5m_input_tokens: number;
        ephemeral_1h_input_tokens: number;
    };
    server_tool_use?: {
        web_search_requests: number;
        web_fetch_requests: number;
    };
    service_tier?: string;
    inference_geo?: string;
}
export declare function createCancel<Cause extends string = CancelCause>(): Cancel<Cause>;
/** The one constructor: a live prompt and a resumed session start alike. */
export declare function createState(start: {
    messages: readonly Message[];
    model: string;
    agentId?: string | undefined;
    tracking?: AutoCompactTracking;
}): State;
export declare function decide(state: State, fact: Fact, limits: LoopLimits): Verdict;
export declare const defaultLimits: LoopLimits;
declare const hookEvents: readonly ["PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "UserPromptSubmit", "UserPromptExpansion", "SessionStart", "SessionEnd", "Stop", "SubagentStart", "SubagentStop", "TaskCreated", "TaskCompleted", "TeammateIdle", "StopFailure", "PreCompact", "PostCompact", "PermissionRequest", "PermissionDenied", "Notification", "CwdChanged", "DirectoryAdded", "InstructionsLoaded", "ConfigChange", "Setup", "PreModelSwitch", "PostModelSwitch", "WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult", "FileChanged", "MessageDisplay", "PreSkillShellCommand"];
declare function isPermissionMode(value: unknown): value is PermissionMode;
declare function isPermissionUpdate(value: unknown): value is PermissionUpdate;
/** How much of `max_tokens` a fixed budget of thinking may take: the answer keeps a part. */
declare function mostThinking(maxTokens: number): number;
declare const noHookAnswer: HookAnswer;
declare const noUsage: Usage;
declare const permissionModes: readonly ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"];
/** `system`: its blocks in order. */
export declare function plainConfig(system: string, more?: Partial<LoopConfig>): LoopConfig;
/** A model from the generator that streams its answers. Its window and its limit of output, tokens, are assumed where not given. */
export declare function plainModel(stream: ModelPort["stream"], info?: Partial<ModelInfo>): ModelPort;
/**
 * Ports around a model and tools. Calls that only read run, others need a `permission` port; inputs are checked for the fields that
 * must be there; nothing is kept, shortened or counted; a failed request is made again up to four times. `own` replaces what it names.
 */
export declare function plainPorts({ model, tools, clock, ids }: PlainParts, own?: Partial<LoopPorts>): LoopPorts;
/** A tool from what it does. What `call` throws becomes an error for the model. */
export declare function plainTool<Input>({ readOnly, call, ...definition }: PlainTool<Input>): Tool;
/** Runs one user turn. However it is left (return, throw, the consumer's `return()`), everything it opened is closed. */
export declare function query(params: QueryParams): AsyncGenerator<QueryEvent, Terminal>;
/** The parts of a written rule. */
declare function ruleParts(rule: string): PermissionRuleValue;
/** As it is written in settings. */
declare function ruleText({ toolName, ruleContent }: PermissionRuleValue): string;
declare function totalInputTokens(usage: Usage): number;
declare const turnEndPass: TurnEndAnswer;
export type { hookEvents };
export type { isPermissionMode };
export type { isPermissionUpdate };
export type { mostThinking };
export type { noHookAnswer };
export type { noUsage };
export type { permissionModes };
export type { ruleParts };
export type { ruleText };
export type { totalInputTokens };
export type { turnEndPass };
export {};
