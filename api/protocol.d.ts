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
export interface AgentDefinition {
    /** When to use it, for the model that delegates. */
    description: string;
    /** Its system prompt. */
    prompt: string;
    /** What the user says first where it leads the session. */
    initialPrompt?: string | undefined;
    /** Names of tools it gets; absent: all that its parent has. Rules of permission still hold for each. */
    tools?: readonly string[] | undefined;
    disallowedTools?: readonly string[] | undefined;
    /** Id or alias; `inherit` and absent: its parent's. */
    model?: string | undefined;
    effort?: Effort | undefined;
    /** As far as its parent's mode goes, and never further. */
    permissionMode?: PermissionMode | undefined;
    /** Model responses of one run. */
    maxTurns?: number | undefined;
    /** Runs in the background unless the call says otherwise. */
    background?: boolean | undefined;
    /** `worktree`: works in a git worktree of its own. */
    isolation?: "worktree" | undefined;
    /** Skills whose text it begins with. */
    skills?: readonly string[] | undefined;
    /** Names of servers the session has, whose tools it gets whatever `tools` says; or servers of its own by name, as in settings. */
    mcpServers?: readonly (string | Readonly<Record<string, unknown>>)[] | undefined;
    /** In the shape of settings: they run while it does. */
    hooks?: unknown;
    /** Notes of its own, kept from one run to the next: for all projects, for everybody in this one, or for this user in it. */
    memory?: "user" | "project" | "local" | undefined;
    /** Knows neither memory files nor git's state: for those that only look. */
    bare?: boolean | undefined;
}
/** A message of an agent that a tool of this run has started. */
export interface AgentMessageEvent {
    type: "agent_message";
    message: SDKMessage;
}
export type AnswerElicitation = (asked: McpElicitation, signal: AbortSignal) => Promise<McpElicitationAnswer>;
interface AnyServerConfig {
    /** Its tools that are asked about each time, whatever allows them, or not to be had. */
    tools?: McpServerToolPolicy[];
    /** Of a call, ms; below 1,000 it is ignored. */
    timeout?: number;
    /** Its tools are offered from the start, however many there are. */
    alwaysLoad?: boolean;
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
/** Who ended a run, written once: the first cause wins. `interrupt` means the user has already submitted the next message. */
export type CancelCause = "user" | "interrupt" | "terminate" | "consumer" | "shutdown";
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
export interface ContextCategory {
    id: ContextCategoryId;
    name: string;
    tokens: number;
    /** A plain colour's name, for who draws it. */
    color: string;
    /** `buffer`: free, but kept back. Used, free and buffer together are `maxTokens`, unless more than that is used. */
    kind: "used" | "free" | "buffer";
}
export type ContextCategoryId = "system_prompt" | "tools" | "memory_files" | "summary" | "user" | "assistant" | "tool_calls" | "tool_results" | "media" | "attachments" | "free" | "buffer";
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
export interface ContextShare {
    name: string;
    tokens: number;
}
export interface ContextUsage {
    model: string;
    /** All that is used: exactly the sum of the used categories. */
    totalTokens: number;
    /** Where `totalTokens` is from: the API's own count of the last response, that and an estimate of what came after it, or an estimate. */
    basis: "counted" | "counted_and_estimated" | "estimated";
    /** The window this session is held to. */
    maxTokens: number;
    /** The model's window by the catalogue. */
    rawMaxTokens: number;
    /** `totalTokens` of `maxTokens`. */
    percentage: number;
    isAutoCompactEnabled: boolean;
    /** Used tokens at which the conversation is compacted by itself. */
    autoCompactThreshold?: number;
    categories: ContextCategory[];
    /** `type`: whose words they are. */
    memoryFiles: {
        path: string;
        type: "Managed" | "User" | "Project" | "Local";
        tokens: number;
    }[];
    /** Those of `tools` that are a server's. */
    mcpTools: {
        name: string;
        serverName: string;
        tokens: number;
        isLoaded: boolean;
    }[];
    /** What the types of agents add to the definition of `Agent`; nothing where that is not offered. */
    agents: {
        agentType: string;
        source: string;
        tokens: number;
    }[];
    /** Definitions, largest first. */
    tools: ContextShare[];
    /** By tool, largest first. */
    toolResults: ContextShare[];
    /** What the defences have saved in this process. */
    savings: LayerSaving[];
    /** Usage of the last response; null before the first, and after a compaction. */
    apiUsage: WireUsage | null;
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
/** Something in a file that was left out or read otherwise than it was meant. */
export interface KnowledgeProblem {
    /** Absolute. */
    path: string;
    /** From 1; absent where it is the file as a whole. */
    line?: number;
    /** One clause, without a full stop. */
    reason: string;
}
/** `policy`: an administrator's. `option`: of the command line or the program that holds the session. */
export type KnowledgeSource = NamedAgent["source"];
export interface LayerApplied {
    layer: string;
    savedTokens: number;
}
export interface LayerSaving {
    /** A layer's name, as in the list of the defences. */
    layer: string;
    /** How often it has saved something. */
    times: number;
    tokens: number;
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
export type McpConnectionStatus = "connected" | "failed" | "needs-auth" | "pending" | "disabled";
/** What a server asks of the user in the middle of its work. Its texts are its own words, cleaned. */
export interface McpElicitation {
    serverName: string;
    message: string;
    mode: "form" | "url";
    /** Of mode `url`: where the user is to go. */
    url?: string;
    elicitationId?: string;
    /** Of mode `form`: JSON Schema of a flat object. */
    requestedSchema?: Record<string, unknown>;
}
export type McpElicitationAnswer = {
    action: "accept";
    content?: Record<string, string | number | boolean | string[]>;
} | {
    action: "decline" | "cancel";
};
/** What a server had its user do at an address is done there, as it says. */
export interface McpElicitationDone {
    serverName: string;
    elicitationId: string;
}
export interface McpRemoteServerConfig extends AnyServerConfig {
    /** `ws`: a WebSocket, whose address begins with `ws://` or `wss://`. */
    type: "http" | "sse" | "ws";
    url: string;
    headers?: Record<string, string>;
}
/** Who named a server: a flag, the host, a file of the user's, of the folder that is worked in, or of an administrator. */
export type McpScope = "flag" | "sdk" | "local" | "project" | "user" | "policy";
export interface McpSdkServerConfig extends AnyServerConfig {
    type: "sdk";
    name?: string;
    instance: McpServerInstance;
}
export type McpServerConfig = McpStdioServerConfig | McpRemoteServerConfig | McpSdkServerConfig | McpTransportServerConfig;
/** A server in this process, such as `createSdkMcpServer` makes; those of the protocol's own packages fit. */
export interface McpServerInstance {
    connect(transport: McpTransport & {
        start(): Promise<void>;
    }): Promise<void>;
}
/** Which server a tool is of, and whose word that server is. To be gone by instead of names, which anybody may choose. */
export interface McpServerProvenance {
    /** As it was written, by whomever: no text to show as it is. */
    name: string;
    /**
     * `sdk`: it lives in the host, and nobody else can name one so. Others: `dynamic` (named by the host or a flag), `user`, `project`, `local`,
     * `managed`, `plugin`, `agent` (of an agent's definition). More may come.
     */
    source: string;
}
export interface McpServerStatus {
    name: string;
    status: McpConnectionStatus;
    scope: McpScope;
    /** As a tool's `McpServerProvenance` has it. */
    source: string;
    /** Why it is not connected, one sentence. */
    error?: string;
    serverInfo?: {
        name: string;
        version: string;
    };
    tools?: {
        name: string;
        description: string;
        readOnly?: boolean;
    }[];
}
/** What a server's owner says of one of its tools; `always_allow` changes nothing: allowing is for rules. */
export interface McpServerToolPolicy {
    /** As the server calls it. */
    name: string;
    permission_policy?: "always_allow" | "always_ask" | "always_deny";
    org_max_permission?: "allow" | "ask" | "blocked";
}
export interface McpStdioServerConfig extends AnyServerConfig {
    type?: "stdio";
    command: string;
    args?: string[];
    env?: Record<string, string>;
    /** Where it starts, read from the place that it starts in without one. */
    cwd?: string;
}
/** Carries messages of one connection, each a JSON-RPC object. `onmessage` and the others are set before `start` is called. */
export interface McpTransport {
    start?(): Promise<void>;
    send(message: unknown): Promise<void> | void;
    close(): Promise<void> | void;
    onmessage?: ((message: never) => void) | undefined;
    onclose?: (() => void) | undefined;
    onerror?: ((error: Error) => void) | undefined;
}
/** A server behind a way that the host keeps open; each call of `open` gives a new connection. */
export interface McpTransportServerConfig extends AnyServerConfig {
    type: "transport";
    open(): McpTransport;
}
/** What bounds media that nobody here has seen. */
export interface MediaFacts {
    /** Of the model that is asked, tokens. Default: the largest there can be. */
    window?: number;
    /** The API has counted them. Default false. */
    isCounted?: boolean;
}
/** What became of a file or folder that a prompt names with an at sign, for whoever shows the prompt. */
export interface MentionNews {
    /** As written, without the at sign and the lines. */
    path: string;
    /** By a person; else it stands in a command of files that the person began. */
    isTyped: boolean;
    /** `too_large`: the files that the prompt names are, together. `failed`: it could not be read. */
    outcome: "read" | "listed" | "missing" | "refused" | "failed" | "too_large";
    /** Of a text that was read: `count` lines from `from` (1 is the first) on, of `total`. */
    lines?: {
        from: number;
        count: number;
        total: number;
    };
    /** Of a folder: how many entries it has. */
    entries?: number;
    /** Why it was refused, or failed: a sentence, or several. */
    why?: string;
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
/** A definition with its name and its place, for lists and for messages about it. */
export interface NamedAgent extends AgentDefinition {
    /** Mostly lower case and hyphens, but some are called by several words; of a plugin `plugin:name`. */
    name: string;
    source: "built-in" | "option" | "policy" | "project" | "user" | "plugin";
    /** Absolute; absent where it is from no file. */
    path?: string;
    /** Why it is not started: what its file says of a restriction cannot be understood. A clause with file and line. */
    unfit?: string;
}
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
export interface OfAgent {
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
/** The host's. `requestId` tells one question from another; `signal` says that nobody waits any more. Null declines. */
export type OnElicitation = (asked: McpElicitation, options: {
    signal: AbortSignal;
    requestId: string;
}) => Promise<McpElicitationAnswer | null>;
/** A block type this version does not know (server tools, compaction, …): carried as it came, sent back as it came. */
export interface OpaqueBlock {
    type: "opaque";
    wire: Record<string, unknown>;
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
/** Prices that hold while the whole prompt is at most `upToInputTokens`. The last tier has no bound. */
export interface PriceTier extends TokenPrices {
    upToInputTokens?: number;
}
export type QueryEvent = Message | StreamRequestStart | StreamEvent | ApiRetry | ToolProgressEvent | AgentMessageEvent | WaitingEvent | PermissionDeniedEvent | CompactingEvent | ToolUseSummary;
export type QuerySource = "main" | "sdk" | "subagent" | "compaction" | "hook" | "side_question";
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
export interface ResultUsage extends Required<WireUsage> {
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
export interface SDKAccountInfo {
    /** Where the credentials are from; absent where there are none. */
    apiKeySource?: "ANTHROPIC_API_KEY" | "ANTHROPIC_AUTH_TOKEN" | "apiKeyHelper";
    apiProvider: "firstParty";
}
/** What the user wants reached, with `/goal`: no turn ends before a model has judged that it is. */
export interface SDKActiveGoal {
    condition: string;
    /** How often it was judged. */
    iterations: number;
    /** ISO 8601. */
    set_at: string;
    /** What the session had used by then. */
    tokens_at_start: number;
    /** Why it was not met, when it was last judged. */
    last_reason?: string;
}
export interface SDKAgentInfo {
    name: string;
    description: string;
    model?: string;
}
/** So that a result is told apart from that of a prompt which its host gave up. */
export interface SDKAnswering {
    /** Ids of the user messages that it answers: the one that began the turn, and those that joined it; a result also names those that a hook kept from joining. One that came without has that of its replay; absent where there is none. */
    user_message_uuids?: string[];
    /** The last of them. */
    user_message_uuid?: string;
}
export interface SDKApiRetry extends SDKBase {
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
export interface SDKAssistantMessage extends SDKBase, OfAgent, SDKAnswering {
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
export type SDKAssistantMessageError = "authentication_failed" | "billing_error" | "rate_limit" | "overloaded" | "invalid_request" | "model_not_found" | "server_error" | "max_output_tokens" | "unknown";
/** A command of the background. */
export interface SDKBackgroundTask {
    task_id: string;
    tool_use_id?: string;
    task_type: "shell" | "subagent" | "teammate";
    /** Of a teammate. */
    name?: string;
    /** `paused`: a teammate that rests. */
    status: "running" | "paused" | "completed" | "failed" | "killed";
    description: string;
    /** Of a command. */
    exit_code: number | null;
}
interface SDKBase {
    uuid: string;
    session_id: string;
}
/** A summary stands for a span of finished work from here on. */
export interface SDKCollapseCommit extends OfHistory {
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
export interface SDKCompactBoundary extends SDKBase {
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
export interface SDKConversationReset extends SDKCommandBase {
    type: "conversation_reset";
    new_conversation_id: string;
    trigger: "clear";
}
export interface SDKFailure {
    code: SDKFailureCode;
    /** The same prompt, unchanged, may have an answer later. */
    retryable: boolean;
    /** Of the provider, where a request of its failed. */
    request_id?: string;
    /** HTTP. */
    status?: number;
}
export type SDKFailureCode = FailureKind | "interrupted" | "max_turns" | "max_budget_usd" | "structured_output";
export interface SDKFileContents {
    contents: string;
    absPath: string;
    truncated?: true;
    encoding?: "base64";
    /** `contents` is not the file's own text: what was no UTF-8 was replaced. Absent with base64. */
    lossy?: boolean;
}
export type SDKHookMessage = SDKHookStarted | SDKHookProgress | SDKHookResponse;
/** Of a run that takes more than a second, where it has printed more since the last one. */
export interface SDKHookProgress extends OfHook {
    subtype: "hook_progress";
    stdout: string;
    stderr: string;
    output: string;
    /** Nobody waits for it, or no longer: it has asked for that. */
    async?: true;
}
export interface SDKHookResponse extends OfHook {
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
export interface SDKHookStarted extends OfHook {
    subtype: "hook_started";
    /** A command line, an address, a question. */
    command: string;
    status_message?: string;
    /** Nobody waits for it. */
    async?: true;
}
export interface SDKHooksListing {
    events: {
        name: string;
        supportsMatcher: boolean;
        hookCount: number;
    }[];
    hooks: {
        event: string;
        matcher: string;
        source: string;
        type: string;
        commandText: string;
        condition?: string;
        timeout: number;
        /** Why it does not run. */
        disabled?: true;
        disabledReason?: string;
    }[];
    policy: {
        disabledByPolicy: boolean;
        managedOnly: boolean;
    };
}
export interface SDKInformational extends SDKBase {
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
/** What a session is, told at its beginning. */
export interface SDKInitialization {
    commands: SlashCommand[];
    agents: SDKAgentInfo[];
    output_style: string;
    available_output_styles: string[];
    models: SDKModelInfo[];
    account: SDKAccountInfo;
}
/** What an interrupt found. */
export interface SDKInterruptReceipt {
    /** Messages that wait for turns of their own, by uuid. */
    still_queued: string[];
    /** Messages that were dropped because the interrupt asked for it. */
    cancelled?: string[];
}
/** What a built-in command says: no model was asked for it. */
export interface SDKLocalCommandOutput extends SDKCommandBase {
    type: "system";
    subtype: "local_command_output";
    content: string;
    /** Its name, without the slash. */
    command: string;
    /** The same as data, where it is more than text: `ContextUsage` of `context`. */
    data?: unknown;
}
/** What a server's tool answered a host: a stranger's words. */
export interface SDKMcpCallResult {
    content: {
        type: string;
        [field: string]: unknown;
    }[];
    isError?: true;
    structuredContent?: unknown;
}
/** A page of a server's, as it came: a stranger's words. */
export interface SDKMcpResource {
    contents: {
        uri: string;
        mimeType?: string;
        text?: string;
        blob?: string;
        _meta?: Record<string, unknown>;
    }[];
}
/** What became of the servers that a host named. */
export interface SDKMcpServersSet {
    /** Begun now. */
    added: string[];
    /** Ended now. */
    removed: string[];
    /** By name, one sentence: those that cannot be used. */
    errors: Record<string, string>;
}
export type SDKMessage = SDKSystemMessage | SDKAssistantMessage | SDKUserMessage | SDKPartialAssistantMessage | SDKResultMessage | SDKToolProgress | SDKToolUseSummary | SDKPromptSuggestion | SDKConversationReset;
/** Whose message begins a turn: a person's, as its host says; the news of what worked in the background; the session's own, where it goes on after a break. */
export type SDKMessageOrigin = {
    kind: "human";
} | {
    kind: "task-notification";
} | {
    kind: "auto-continuation";
};
/** A model as clients list them. */
export interface SDKModelInfo {
    /** What `setModel` takes: an alias or an id. */
    value: string;
    /** The id that is sent. */
    resolvedModel: string;
    displayName: string;
    description: string;
    supportsEffort?: boolean;
    supportedEffortLevels?: Effort[];
    supportsAdaptiveThinking?: boolean;
    supportsFastMode?: boolean;
}
export interface SDKPartialAssistantMessage extends SDKBase {
    type: "stream_event";
    event: SDKStreamEvent;
    parent_tool_use_id: string | null;
}
export interface SDKPermissionDenial {
    tool_name: string;
    tool_use_id: string;
    tool_input: Record<string, unknown>;
}
export interface SDKPermissionDenied extends SDKBase {
    type: "system";
    subtype: "permission_denied";
    tool_name: string;
    tool_use_id: string;
    /** Whose call it was, where an agent made it. */
    agent_id?: string;
    decision_reason_type: string;
    message: string;
}
export interface SDKPermissionRules {
    rules: {
        behavior: "allow" | "deny" | "ask";
        source: SDKSource;
        rule: string;
        editability: "persistent" | "session" | "readonly";
    }[];
    workspaceDirectories: {
        path: string;
        source: SDKSource;
    }[];
    originalCwd: string;
    managedOnly: boolean;
}
/** What there is after plugins were looked at again. */
export interface SDKPluginsReloaded {
    commands: SlashCommand[];
    agents: SDKAgentInfo[];
    plugins: {
        name: string;
        path: string;
        version?: string;
    }[];
    mcpServers: McpServerStatus[];
    /** Of what could not be read. */
    error_count: number;
}
/** What the user might say next; after the `result`, with `promptSuggestions`. */
export interface SDKPromptSuggestion extends SDKBase {
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
export interface SDKResultError extends SDKResultBase {
    subtype: "error_during_execution" | "error_max_turns" | "error_max_budget_usd" | "error_max_structured_output_retries";
    errors: string[];
    failure: SDKFailure;
}
export type SDKResultMessage = SDKResultSuccess | SDKResultError;
export interface SDKResultSuccess extends SDKResultBase {
    subtype: "success";
    result: string;
    /** What a `MessageDisplay` hook has people see in place of `result`. */
    display_content?: string;
    structured_output?: unknown;
}
/** Results of old calls gave way to a line each in what the model is sent. */
export interface SDKResultsCleared extends OfHistory {
    subtype: "results_cleared";
    reason: ResultsClearedMessage["why"];
    tool_use_ids: string[];
    saved_tokens: number;
    /** Expected, over the requests to come; null where the model has no prices. */
    saved_usd: number | null;
}
/** Sessions as the functions of the library tell of them. */
export interface SDKSessionInfo {
    sessionId: string;
    /** What a list shows: the title, else the beginning of the first prompt. */
    summary: string;
    /** ms since the epoch. */
    lastModified: number;
    /** Bytes of the transcript. */
    fileSize?: number;
    customTitle?: string;
    firstPrompt?: string;
    gitBranch?: string;
    cwd?: string;
    tag?: string;
    /** ms since the epoch. */
    createdAt?: number;
    archived?: boolean;
}
export interface SDKSettingsError {
    file?: string;
    /** The key, with dots; empty for a whole file. */
    path: string;
    message: string;
}
/** Settings as their files say now; a session keeps those it began with. */
export interface SDKSettingsReport {
    /** What counts, in the shape of a settings file. */
    effective: Record<string, unknown>;
    /** Lowest first. */
    sources: {
        source: SDKSource;
        file: string;
        settings: Record<string, unknown>;
    }[];
    errors: SDKSettingsError[];
}
/** A span of history was taken out. */
export interface SDKSnipBoundary extends OfHistory {
    subtype: "snip_boundary";
    snip_metadata: {
        from_uuid: string;
        to_uuid: string;
        by: SnipAuthor;
        reason?: string;
        saved_tokens: number;
    };
}
/** `userSettings` and so on: a kind of settings file. `cliArg`: a flag or an option. */
export type SDKSource = "userSettings" | "projectSettings" | "localSettings" | "policySettings" | "flagSettings" | "cliArg" | "session";
export interface SDKStatus extends SDKBase {
    type: "system";
    subtype: "status";
    status: "compacting" | "requesting" | null;
    permissionMode?: PermissionMode;
    /** How a compaction by hand ended; with `status: null`. */
    compact_result?: "success" | "failed";
    compact_error?: string;
}
/** What the model is saying, as the provider streams it. */
export type SDKStreamEvent = {
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
export interface SDKSubagentRetry {
    agent_id: string;
    attempt: number;
    max_retries: number;
    retry_delay_ms: number;
    /** Null where there was no answer. */
    error_status: number | null;
    /** As `error` of `api_retry`. */
    error_category: string;
}
export interface SDKSystemInit extends SDKBase {
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
export type SDKSystemMessage = SDKSystemInit | SDKCompactBoundary | SDKSnipBoundary | SDKResultsCleared | SDKCollapseCommit | SDKStatus | SDKApiRetry | SDKPermissionDenied | SDKInformational | SDKTransition | SDKTombstone | SDKTaskStarted | SDKTaskProgress | SDKTaskUpdated | SDKTaskNotification | SDKHookMessage | SDKLocalCommandOutput;
/** A command of the background, or an agent, is over. */
export interface SDKTaskNotification {
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
export interface SDKTaskOutput {
    /** The end of it. */
    output: string;
    total_bytes: number;
    truncated: boolean;
}
/** After each response of the agent that asked for tools. */
export interface SDKTaskProgress extends OfTask {
    subtype: "task_progress";
    usage: SDKTaskUsage;
    last_tool_name?: string;
}
export interface SDKTaskStarted extends OfTask {
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
export interface SDKTaskUpdated {
    type: "system";
    subtype: "task_updated";
    uuid: string;
    session_id: string;
    task_id: string;
    patch: {
        status: "running" | "paused";
    };
}
export interface SDKTaskUsage {
    total_tokens: number;
    tool_uses: number;
    duration_ms: number;
}
/** Every way a run ends, under the wire's names. */
export type SDKTerminalReason = Exclude<TerminalReason, "max_budget_usd"> | "budget_exhausted" | "tool_deferred" | "tool_deferred_unavailable" | "structured_output_retry_exhausted";
/** Messages a client has shown and should take back: they were replaced. */
export interface SDKTombstone extends SDKBase {
    type: "system";
    subtype: "tombstone";
    retracted_message_uuids: string[];
    reason: string;
}
/** What a command that runs has printed since, or that the agent of a call waits. */
export interface SDKToolProgress {
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
export interface SDKToolUseSummary extends SDKBase {
    type: "tool_use_summary";
    summary: string;
    preceding_tool_use_ids: string[];
}
/** Why the loop goes on: one a Continue. A subtype of ours, for traces. */
export interface SDKTransition extends SDKBase {
    type: "system";
    subtype: "transition";
    transition: {
        reason: string;
        [key: string]: unknown;
    };
    turn_count: number;
}
export interface SDKUserMessage extends Partial<SDKBase>, OfAgent {
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
/** One message as it was recorded. Each block of an answer is one of its own; they share `message.id`. */
export interface SessionMessage {
    type: "user" | "assistant" | "system";
    /** What `upToMessageId` and `resumeSessionAt` take. */
    uuid: string;
    session_id: string;
    /** As the Messages API has it; of `system` an object with a `subtype`. */
    message: unknown;
    parent_tool_use_id: string | null;
    parent_agent_id: string | null;
    /** ISO 8601. */
    timestamp: string;
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
/** A command that can be given as a prompt. */
export interface SlashCommand {
    /** Without the slash. */
    name: string;
    description: string;
    /** What may follow the name; empty for nothing. */
    argumentHint: string;
    aliases?: string[];
    builtin: boolean;
}
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
export type WireBlock = {
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
export interface WireUsage {
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
export declare const hookEvents: readonly ["PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "UserPromptSubmit", "UserPromptExpansion", "SessionStart", "SessionEnd", "Stop", "SubagentStart", "SubagentStop", "TaskCreated", "TaskCompleted", "TeammateIdle", "StopFailure", "PreCompact", "PostCompact", "PermissionRequest", "PermissionDenied", "Notification", "CwdChanged", "DirectoryAdded", "InstructionsLoaded", "ConfigChange", "Setup", "PreModelSwitch", "PostModelSwitch", "WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult", "FileChanged", "MessageDisplay", "PreSkillShellCommand"];
export declare function isPermissionMode(value: unknown): value is PermissionMode;
export declare function isPermissionUpdate(value: unknown): value is PermissionUpdate;
/** How much of `max_tokens` a fixed budget of thinking may take: the answer keeps a part. */
export declare function mostThinking(maxTokens: number): number;
export declare const noHookAnswer: HookAnswer;
export declare const noUsage: Usage;
export declare const permissionModes: readonly ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"];
/** The parts of a written rule. */
export declare function ruleParts(rule: string): PermissionRuleValue;
/** As it is written in settings. */
export declare function ruleText({ toolName, ruleContent }: PermissionRuleValue): string;
export declare function totalInputTokens(usage: Usage): number;
export declare const turnEndPass: TurnEndAnswer;
/**
 * `messages` with what stands for the span in its place, and the record itself last. Pure. Where nothing of the span is there
 * any more, only the record is added.
 */
export declare function withCollapsed(messages: readonly Message[], commit: CollapseCommitMessage): Message[];
export {};
