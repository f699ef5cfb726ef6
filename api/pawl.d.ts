// Written by `npm run api`. What is exported here is what semantic versioning holds for.
/// <reference lib="esnext.disposable" preserve="true" />
/** For programs that check for it. Here an aborted query ends with its `result` and throws nothing. */
export declare class AbortError extends Error {
    readonly name = "AbortError";
}
export type Admission = {
    admitted: true;
    ticket: string;
    maxTokens: number;
    /** `maxTokens` was lowered to what the budget covers. */ lowered: boolean;
} | {
    admitted: false;
    message: string;
    /** For a patient call: settles when less may be reserved, and it is worth asking again. */
    freed?: Promise<void>;
};
export interface AdmissionRequest {
    model: string;
    /** Bytes of the serialised request: an upper bound of its tokens. */
    requestBytes: number;
    /** Tokens expected from the last real usage plus an estimate. Never used to reserve less than the bytes allow. */
    estimatedInputTokens: number;
    /** Fetches an exact count. Called only near the limit. */
    countTokens?: () => Promise<number | undefined>;
    maxTokens: number;
    speed?: "fast";
    /**
     * The most tokens that media can add beyond their bytes in the request. Called only under a budget. `isCounted`: beyond what
     * `countTokens` returned, which includes the content behind links.
     */
    mediaTokens(isCounted?: boolean): number;
    /** Bytes of the request that do not bound its tokens, because `mediaTokens` covers them. Called when `mediaTokens` is. Absent: none. */
    mediaBytes?(): number;
    /** Nobody waits for this call: it is admitted only for a small share of what is left, so that no other call is refused because of it. */
    spare?: true;
    /** Rather than be refused or lowered because of reservations, the call waits for those in progress to settle. */
    patient?: boolean;
}
export interface AgentDefinition {
    /** When to use the agent, for the model that delegates. */
    description: string;
    /** The agent's system prompt. */
    prompt: string;
    /** The first user message if this agent runs as the session's main agent. */
    initialPrompt?: string | undefined;
    /** Names of the tools the agent gets; absent: all that its parent has. Permission rules still apply to each. */
    tools?: readonly string[] | undefined;
    disallowedTools?: readonly string[] | undefined;
    /** Id or alias. `inherit` or absent: the parent's model. */
    model?: string | undefined;
    effort?: Effort | undefined;
    /** Takes effect only as far as the parent's mode goes, never further. */
    permissionMode?: PermissionMode | undefined;
    /** The most model responses in one run. */
    maxTurns?: number | undefined;
    /** Runs in the background unless the call says otherwise. */
    background?: boolean | undefined;
    /** `worktree`: the agent works in a git worktree of its own. */
    isolation?: "worktree" | undefined;
    /** Skills whose text is loaded at the start. */
    skills?: readonly string[] | undefined;
    /** Names of the session's servers, whose tools the agent gets whatever `tools` says; or its own servers by name, in settings format. */
    mcpServers?: readonly (string | Readonly<Record<string, unknown>>)[] | undefined;
    /** In settings format. The hooks are active while the agent runs. */
    hooks?: unknown;
    /** Where the agent keeps notes between runs: for all projects, for everybody in this project, or for this user in this project. */
    memory?: "user" | "project" | "local" | undefined;
    /** The agent gets neither memory files nor git status: for agents that only look. */
    bare?: boolean | undefined;
}
/** Limits for all agents of one session together. */
export interface AgentLimits {
    /** Levels of agents below agents; the deepest cannot start any. */
    depth: number;
    /** Running at once. */
    concurrent: number;
    /** Started during the session. */
    count: number;
    /** Model responses of all agents together. */
    turns: number;
}
/** A message of an agent that a tool of this run started. */
export interface AgentMessageEvent {
    type: "agent_message";
    message: SDKMessage;
}
export type AnswerElicitation = (asked: McpElicitation, signal: AbortSignal) => Promise<McpElicitationAnswer>;
interface AnyServerConfig {
    /** Policies for its tools: those to ask about on every call, whatever rules allow them, and those not offered at all. */
    tools?: McpServerToolPolicy[];
    /** The time limit of a call, ms; values below 1,000 are ignored. */
    timeout?: number;
    /** Offers the server's tools from the start, however many there are. */
    alwaysLoad?: boolean;
}
export interface ApiMessage {
    role: "user" | "assistant";
    content: ContentBlock[];
}
export interface ApiRetry {
    type: "api_retry";
    attempt: number;
    /** `Number.MAX_SAFE_INTEGER`: retries have no limit. */
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
/** One completed block of a response, or several if the source delivers them together. Blocks of one response share `messageId`. */
export interface AssistantMessage extends MessageBase {
    type: "assistant";
    messageId: string;
    /** The model that was requested. It decides whether the thinking may be sent again. */
    model: string;
    content: ContentBlock[];
    requestId?: string;
    /** Set on a message the loop made to show a failure. Its text is for people and is never sent. */
    apiError?: {
        kind: FailureKind;
        status?: number;
    };
    /** Set if an interruption cut the block. */
    aborted?: true;
    /** The usage the server reported when it began to answer. Present only on the message as yielded, never in its transcript record. */
    usageSoFar?: Usage;
}
export type Attachment = {
    kind: "queued_command";
    prompt: ContentBlock[];
    sourceUuid: string;
}
/** `mtimeMs`: the time of the reported change; null if the file is gone. */
 | {
    kind: "file_changed";
    path: string;
    snippet: string;
    mtimeMs?: number | null;
}
/** `call`: names the call this is about, in words, if the message has several. */
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
/** Something that joined the conversation between requests. `normalize` decides which kinds the model sees. */
export interface AttachmentMessage extends MessageBase {
    type: "attachment";
    attachment: Attachment;
}
export interface AutoCompactTracking {
    /** `turnCount` of the last compaction in this user turn; undefined before the first. */
    lastCompactedTurn?: number;
    consecutiveFailures: number;
    /** Compactions no longer gain anything, so none is made for the rest of the user turn. */
    isThrashing?: true;
    /** Tokens of work on this prompt that are no longer in the conversation. */
    taskTokensLost?: number;
}
/** Fields in every hook input. */
export type BaseHookInput = Record<string, unknown> & {
    session_id: string;
    transcript_path: string;
    cwd: string;
    permission_mode?: string;
    /** The prompt being answered. */
    prompt_id?: string;
    /** Set within an agent. */
    agent_id?: string;
    agent_type?: string;
};
/** Options of `branch`. */
export interface BranchOptions {
    /** The uuid of the last message in the copy; absent: copies all. */
    upToMessageId?: string;
}
/**
 * The session's one ledger. A reservation stays charged until it is settled. `settle` without usage leaves it charged, because the bill for
 * a call whose end was never seen is unknown.
 */
export interface BudgetPort {
    /** Returns synchronously if nothing has to be waited for. */
    admit(request: AdmissionRequest): Admission | Promise<Admission>;
    /**
     * Records that the answer has begun: that much is on the server's bill, whatever happens to this process. `messageId`: the id of an
     * answer that the session's transcript will contain; without it, only the ledger knows of the call.
     */
    begun?(ticket: string, usage: Usage, messageId?: string): void;
    /** Returns the cost that was booked. */
    settle(ticket: string, outcome: Settlement): number;
}
type Call = "tool_name" | "tool_input" | "tool_use_id";
/** Called when no rule decides. Throwing or returning null refuses the call. */
export type CanUseTool = (toolName: string, input: Record<string, unknown>, context: CanUseToolContext) => Promise<PermissionResult | null>;
export interface CanUseToolContext {
    signal: AbortSignal;
    /** Updates that would make the next question of this kind unnecessary, for `updatedPermissions`. */
    suggestions?: PermissionUpdate[];
    /** The file that permission is asked for. */
    blockedPath?: string;
    decisionReason?: string;
    /** A ready-made question. Never set here: write one from the name of the tool and its input. */
    title?: string;
    displayName?: string;
    description?: string;
    /** Never set here. */
    defaultToNo?: boolean;
    /** Never set here: where no rule can be added, there are no `suggestions`. */
    suppressAlwaysAllowRule?: boolean;
    toolUseID: string;
    /** The agent that makes the call, if an agent of the session does. */
    agentID?: string;
    requestId: string;
    matchedAskRule?: PermissionRuleValue & {
        source: string;
    };
    /** The MCP server the tool belongs to, if any. Decide by this rather than by the tool's name. */
    mcpServer?: McpServerProvenance;
}
/** Who ended a run. Written once: the first cause wins. `interrupt` means the user has already submitted the next message. */
export type CancelCause = "user" | "interrupt" | "terminate" | "consumer" | "shutdown";
export interface ClockPort {
    /** ms since the epoch. */
    now(): number;
    /** Monotonic ms since some moment of this process, for durations and limits: it does not jump when the clock is set. */
    elapsed(): number;
    /** ISO 8601. */
    timestamp(): string;
    /** Calls `onFire` once after `ms`; returns a function that cancels the timer. */
    timer(ms: number, onFire: () => void): () => void;
}
/** A span of finished work was replaced by a summary. This record is never sent; the replacement is. */
export interface CollapseCommitMessage extends MessageBase {
    type: "collapse_commit";
    /** The `uuid` of every message that was replaced. */
    targets: string[];
    /** The replacement, at the position of the first replaced message: the summary, and the answer the user was given. */
    messages: (UserMessage | AssistantMessage)[];
    /** Tokens of the request before and after. */
    preTokens: number;
    postTokens: number;
    counted: CountedTokens | null;
}
/** A command of settings that prints something for the terminal. */
interface CommandSettings {
    type: "command";
    command: string;
}
/** Estimated tokens before and after, or why nothing was done, as a clause for people. */
export type CompactAnswer = {
    compacted: true;
    preTokens: number;
    postTokens: number;
} | {
    compacted: false;
    why: string;
};
export interface CompactBoundaryMessage extends MessageBase {
    type: "compact_boundary";
    /** `rewound`: nothing was summarised; the session continues from one of its earlier messages, the last of `messages`. */
    trigger: "auto" | "manual" | "reactive" | "rewound";
    preTokens: number;
    postTokens: number;
    /** The last message the summary covers. */
    lastSummarizedUuid: string | null;
    /** The whole conversation from here on, summary first; resume reads nothing older. */
    messages: Message[];
    /** Nothing was summarised: images or documents were left out instead. */
    leftOut?: "media";
}
export interface CompactingEvent {
    type: "compacting";
    trigger: "auto" | "manual" | "reactive";
}
export type ConfigChangeHookInput = Of<"ConfigChange", "source">;
export type ContentBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock | ToolResultBlock | ImageBlock | DocumentBlock | OpaqueBlock;
export interface ContextCategory {
    id: ContextCategoryId;
    name: string;
    tokens: number;
    /** The name of a plain colour, for drawing. */
    color: string;
    /** `buffer`: free, but held in reserve. Used, free and buffer add up to `maxTokens`, unless more than that is used. */
    kind: "used" | "free" | "buffer";
}
export type ContextCategoryId = "system_prompt" | "tools" | "memory_files" | "skills" | "summary" | "user" | "assistant" | "tool_calls" | "tool_results" | "media" | "attachments" | "free" | "buffer";
export type ContextEvent = CompactingEvent | WaitingEvent | NoticeMessage | AttachmentMessage;
export interface ContextInput {
    /** The conversation since the last compact boundary. */
    messages: readonly Message[];
    model: ModelInfo;
    /** The `max_tokens` that the next request would ask for. */
    maxTokens: number;
    /** Tokens of system prompt and tools: the share of a request that `messages` do not explain. */
    fixedTokens: number;
    tracking: AutoCompactTracking;
    turnCount: number;
    key: string;
}
/** The context layers behind one interface. Must not throw; an abort ends them at once with what they have so far. */
export interface ContextPort {
    /** Runs layers 0 to 4 and 7, in order. */
    fit(input: ContextInput, signal: AbortSignal): AsyncGenerator<ContextEvent, FitResult>;
    /** Like `fit`, for a caller that does the waiting itself. Finishes synchronously if nothing has to be waited for. */
    fitSteps?(input: ContextInput, signal: AbortSignal): Generator<ContextEvent | Waiting, FitResult, unknown>;
    /** Runs layer 5. */
    drain(input: ContextInput, signal: AbortSignal): AsyncGenerator<ContextEvent, ShrinkResult>;
    /** Runs layer 6. `media`: the overflow was an image or document that the API refused. `refusal`: what the server said. */
    compactReactively(input: ContextInput & {
        media: boolean;
        actualTokens?: number;
        refusal?: {
            status?: number;
            detail?: string;
        };
    }, signal: AbortSignal): AsyncGenerator<ContextEvent, ShrinkResult>;
    /** Applies layer 0 to one tool result: bounds it, given what its message already holds, and makes its images and documents fit. */
    fitToolResult(content: ToolResultContent, limits: {
        toolName: string;
        toolUseId: string;
        maxChars: number;
        usedChars: number;
        signal?: AbortSignal;
    }): Promise<ToolResultContent>;
    /**
     * How many characters one result, and all results of one message together, may have whatever they contain. For anything longer the loop
     * calls `fitToolResult`. Undefined: only the tool's own limit applies.
     */
    resultChars?(): {
        one: number;
        all: number;
    } | undefined;
    /** Applies layer 0 to content that does not come from a tool: images and documents the API accepts, or text in their place. */
    fitMedia?(content: ContentBlock[], signal: AbortSignal): Promise<ContentBlock[]>;
    /** The most tokens that media in these messages can add beyond the bound given by the request's bytes. Absent: none. */
    mediaTokens?(messages: readonly Message[], about?: MediaFacts): number;
    /** Characters of base64 in these messages whose tokens `mediaTokens` bounds too, and more tightly, on that model. Absent: none. */
    mediaBytes?(messages: readonly ApiMessage[], model: ModelInfo): number;
    /** How many of the wanted output tokens fit beside the request in that model's window. Absent: all of them. */
    fittingMaxTokens?(model: ModelInfo, estimatedTokens: number, wanted: number): number;
    /** Records the most tokens a server said it takes. `isRate`: it is an account's rate limit, which may change later. */
    setWindow?(modelId: string, tokens: number, isRate?: boolean): void;
    /** Records that a server refused a request of so many estimated tokens as too long, without naming its limit. */
    guessWindow?(modelId: string, refused: number): void;
    /**
     * Returns the conversation with its signed summary as plain text, for an API that refuses the block; undefined if there is none. The
     * caller must append `records`.
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
    /** All used tokens: exactly the sum of the used categories. */
    totalTokens: number;
    /** Where `totalTokens` comes from: the API's count for the last response, that count plus an estimate of the rest, or an estimate. */
    basis: "counted" | "counted_and_estimated" | "estimated";
    /** The window that limits this session. */
    maxTokens: number;
    /** The model's window according to the catalogue. */
    rawMaxTokens: number;
    /** `totalTokens` as a percentage of `maxTokens`. */
    percentage: number;
    isAutoCompactEnabled: boolean;
    /** The number of used tokens at which the conversation is compacted automatically. */
    autoCompactThreshold?: number;
    categories: ContextCategory[];
    /** `type`: who the file belongs to. */
    memoryFiles: {
        path: string;
        type: "Managed" | "User" | "Project" | "Local";
        tokens: number;
    }[];
    /** The tools in `tools` that belong to an MCP server. */
    mcpTools: {
        name: string;
        serverName: string;
        tokens: number;
        isLoaded: boolean;
    }[];
    /** What each agent type adds to the definition of `Agent`; empty if that tool is not offered. */
    agents: {
        agentType: string;
        source: string;
        tokens: number;
    }[];
    /** Tool definitions, largest first. */
    tools: ContextShare[];
    /** By tool, largest first. */
    toolResults: ContextShare[];
    /** What the context layers have saved in this process. */
    savings: LayerSaving[];
    /** Usage of the last response; null before the first response and after a compaction. */
    apiUsage: WireUsage | null;
}
export type Continue = {
    reason: "next_turn";
} | {
    reason: "collapse_drain_retry";
    committed: number;
}
/** `media`: the API refused an image or document, not the length of the prompt. */
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
/** Tokens that were removed but are still included in one response's count. Measurement subtracts them from that count only. */
export interface CountedTokens {
    /** The `uuid` of the `response_end` with that count. */
    responseEnd: string;
    tokens: number;
}
/** What a handler may return: text, a whole tool result, or a result of the Model Context Protocol. */
export type CustomToolAnswer = string | ToolResult | McpToolAnswer;
export interface CustomToolOptions {
    /** The tool changes nothing: it may run in parallel, and is allowed wherever reading is. */
    readOnlyHint?: boolean | undefined;
    /** Whether a call may be repeated after a crash. Default: `safe` for read-only tools, else `never`. */
    replay?: Tool["replay"] | undefined;
    /** The most characters of a result that the model gets inline. Default 100,000. */
    maxResultSizeChars?: number | undefined;
    /** How long a call may take, ms. Default 30 minutes. */
    timeLimitMs?: number | undefined;
}
export type CwdChangedHookInput = Of<"CwdChanged", "old_cwd" | "new_cwd">;
export type DirectoryAddedHookInput = Of<"DirectoryAdded", "directory">;
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
/** Possible values of `reason` in a `SessionEnd` hook's input. */
export declare const EXIT_REASONS: readonly ["clear", "resume", "prompt_input_exit", "other"];
/** How hard a model is asked to think. */
export type Effort = "low" | "medium" | "high" | "xhigh" | "max";
export type ElicitationHookInput = Of<"Elicitation", "mcp_server_name" | "message">;
export type ElicitationResultHookInput = Of<"ElicitationResult", "mcp_server_name" | "action">;
/** Passed to SessionEnd hooks. With `clear` and `resume`, another session takes its place. */
type EndReason = "clear" | "resume" | "prompt_input_exit" | "other";
/** A background task that has ended. */
export interface EndedTask {
    taskId: string;
    /** The call that started the task. */
    toolUseId?: string;
    status: "completed" | "failed" | "stopped";
    /** Null if the task was stopped, or the code is unknown. */
    exitCode: number | null;
    /** Absolute. */
    outputFile: string | null;
    summary: string;
    /** If the task was an agent. */
    usage?: {
        total_tokens: number;
        tool_uses: number;
        duration_ms: number;
    };
}
export interface EngineOptions {
    /** The session's working directory. Absolute; default: the process's. */
    cwd?: string;
    /** Replaces the process's environment. */
    env?: Record<string, string | undefined>;
    /** The user's home folder. Absolute; default: `HOME` of `env`, else the one that the system knows. */
    home?: string;
    /** A model id or alias. */
    model?: string;
    /** Tried in this order when the model is overloaded or missing; comma-separated or a list. */
    fallbackModel?: string | string[];
    /** The most loop turns in one user turn. */
    maxTurns?: number;
    /** The most USD that this process may spend on the session. */
    maxBudgetUsd?: number;
    /** Output tokens to spend on each prompt: the loop nudges a model that stops well short of it, and stops when nudges achieve little. */
    tokenBudget?: number;
    /** Tokens, at least 20,000, that the server counts down in view of the model, if the model supports it. Limits nothing. */
    taskBudget?: {
        total: number;
    };
    /** Default: the setting `permissions.defaultMode`, else `default`. */
    permissionMode?: PermissionMode;
    /** Replaces pawl's own text on how a plan is made; what plan mode is and how it ends is explained to the model in any case. */
    planModeInstructions?: string;
    /** Rules for calls that need no permission, such as `Edit` or `Bash(npm test *)`. */
    allowedTools?: string[];
    /** Rules for calls that are refused. The name of a tool alone also takes the tool away. */
    disallowedTools?: string[];
    /** Aliases by which the model may call a tool, each with the tool's real name. Calling an alias whose tool is missing is an error. */
    toolAliases?: Record<string, string>;
    /** Names of the skills offered to the model; a person may still type the others. Default: `all`. */
    skills?: string[] | "all";
    /** Includes the text that agents write, not only their calls. Default false. */
    forwardSubagentText?: boolean;
    /** Values for the `anthropic-beta` header, in addition to those of `ANTHROPIC_BETAS`. */
    betas?: string[];
    /** The built-in tools to offer. Absent: the default set. Empty: none. */
    tools?: string[];
    /** The format of the previews that `AskUserQuestion` may show with an option. Absent: no previews. */
    toolConfig?: {
        askUserQuestion?: {
            previewFormat?: "markdown" | "html";
        };
    };
    /** Tools of the caller, in addition to the built-in ones. */
    customTools?: Tool[];
    /** MCP servers by name, in addition to the configured ones; `createSdkMcpServer` makes one from functions. */
    mcpServers?: Record<string, McpServerConfig>;
    /** Further MCP servers: paths of files such as `.mcp.json`, or their text. */
    mcpConfig?: string[];
    /** Only the servers of `mcpServers` and `mcpConfig`. Default false. */
    strictMcpConfig?: boolean;
    /** Answers the questions that MCP servers ask the user. Absent: every question is declined. */
    onElicitation?: OnElicitation;
    /** Called once when a server reports that what it asked the user to do at a URL is done. */
    onElicitationComplete?: (done: McpElicitationDone) => void;
    /** Replaces the default system prompt. */
    systemPrompt?: string;
    /** Added to the system prompt, whichever it is. */
    appendSystemPrompt?: string;
    /** Added to the system prompts of agents below the session. */
    appendSubagentSystemPrompt?: string;
    /**
     * Moves the working directory and the git state from the system prompt to the first message. The default system prompt, and the
     * provider's cache of it, are then the same in each folder and on each machine. No effect with `systemPrompt` or `agent`.
     */
    excludeDynamicSections?: boolean;
    /** Folders to work in besides `cwd`: absolute, or relative to it. */
    addDirs?: string[];
    /** Folders of plugins, with everything they contain: skills, commands, agents, hooks, servers, styles. Absolute. */
    pluginDirs?: string[];
    /** The same, but without the servers they contain. */
    pluginDirsWithoutServers?: string[];
    /** Resumes the session with this id or title. */
    resume?: string;
    /** Resumes the newest session of this folder. */
    continue?: boolean;
    /** With `resume` or `continue`: the uuid of the message after which the session continues. Later messages stay in the transcript. */
    resumeSessionAt?: string;
    /** With `resumeSessionAt`: uuid of the prompt whose turn is dropped. If anything else would be dropped, the session is refused. */
    resumeDropsTurn?: string;
    /** With `resume` or `continue`: goes on in a copy, under a new id. Default false. */
    forkSession?: boolean;
    /** The name of the session in lists, by which it can also be resumed. A resumed session is renamed. */
    title?: string;
    /** The UUID of a new session. */
    sessionId?: string;
    /** Receives what is written to transcripts. A session that is in the store is resumed from it. */
    sessionStore?: SessionStore;
    /** `eager`: each entry is sent by itself. Default `batched`: entries of 100 ms are sent together. */
    sessionStoreFlush?: "batched" | "eager";
    /** The time limit for each answer of the session store to a resume, in ms. Default 60,000. */
    loadTimeoutMs?: number;
    /** A replacement for `sessionStore` for a host that mirrors transcripts its own way. */
    transcriptMirror?: TranscriptMirror;
    /** The folder in which sessions are kept, instead of `$PAWL_HOME`. Absolute. */
    sessionsHome?: string;
    /** False: nothing is written. Default true. */
    persistSession?: boolean;
    /**
     * Which changes can be rewound. `true`: every change to the working folders, including those by commands and third-party tools; this
     * takes a scan of all files there per prompt. `false`: none. Default: changes by Write, Edit and NotebookEdit.
     */
    enableFileCheckpointing?: boolean;
    /** The path of a settings file, or its JSON text. */
    settings?: string;
    /** The scopes whose settings and memory files apply; an administrator's always do. Default: all. */
    settingSources?: ("user" | "project" | "local")[];
    /**
     * Settings that apply like an administrator's, if this machine has none. What restricts applies (deny and ask rules, lists of servers
     * and models, hooks, parts of `sandbox`); what would permit is left out, with a notice.
     */
    managedSettings?: object;
    /** What commands may reach; overrides `settings`. With `enabled`, the session requires a sandbox unless `failIfUnavailable` is false. */
    sandbox?: Record<string, unknown>;
    /**
     * Takes nothing that is found around the session: no hooks but an administrator's, no skills, commands, agents, plugins, instructions
     * and notes; only the MCP servers of `mcpServers` and `mcpConfig`; without `tools`, only Bash, Read and Edit. What settings permit and
     * forbid still applies. Default: true if `CLAUDE_CODE_SIMPLE` is set.
     */
    bare?: boolean;
    /** Trusts the folder's own settings in this session, whatever they contain. Default: only if the user has trusted them. */
    trust?: boolean;
    /** Emits the deltas of the model as `stream_event`s. Default false. */
    includePartialMessages?: boolean;
    /**
     * With `includePartialMessages`: `MessageDisplay` hooks are asked about each batch of completed lines, and their answers appear in the
     * `stream_event`s. For a surface that shows the answer as it streams. Default: they are asked about each whole message.
     */
    displayByLines?: boolean;
    /** Requires an answer that fits this JSON Schema. The result carries it as `structured_output`, or is not a success. */
    outputFormat?: {
        type: "json_schema";
        schema: Record<string, unknown>;
    };
    /** Emits `hook_started`, `hook_progress` and `hook_response` for all hooks, not only for `SessionStart`. Default false. */
    includeHookEvents?: boolean;
    /** Runs `Setup` hooks with this trigger at the first prompt, before those of `SessionStart`. */
    setup?: "init" | "maintenance";
    /** Emits a `tool_use_summary` message, one line by the small model, after three or more parallel calls. Default false. */
    toolUseSummaries?: boolean;
    /** Emits a `prompt_suggestion` message with a likely next prompt after a `result`, if it arrives within 15 s. Default false. */
    promptSuggestions?: boolean;
    /** How thorough the model is. A level the model lacks becomes the next lower one, with a notice. */
    effort?: Effort;
    /**
     * `budgetTokens`: at least 1024, default 31,999, for models that think within a budget. What the model lacks is mapped, with a notice.
     */
    thinking?: Exclude<ThinkingSetting, {
        type: "enabled";
    }> | {
        type: "enabled";
        budgetTokens?: number;
        display?: ThinkingDisplay;
    };
    /** The same as `thinking` with a budget; 0 turns it off. */
    maxThinkingTokens?: number;
    /** `fast`: faster answers at a higher price, on models that have it. Default `standard`. */
    speed?: "standard" | "fast";
    /** The cap on output tokens per response. Absent: 8,000, raised to the model's maximum if that cut an answer. */
    maxOutputTokens?: number;
    /** Answers permission questions. Absent: whatever would be asked is denied. */
    ask?: AskPermission;
    /**
     * The name of a tool (`mcp__server__tool`, or one of `customTools`) that answers permission questions if `ask` is absent. It gets
     * `tool_name`, `input` and `tool_use_id`, and answers in JSON: `{behavior: "allow", updatedInput?}` or `{behavior: "deny", message?}`.
     */
    permissionPromptToolName?: string;
    /**
     * With `resume` or `continue`: the answer to a permission question that was open when the process died. Its call is run or refused once, with the
     * first prompt. If the call is not waiting, or may have run, the answer is ignored with a notice.
     */
    orphanedPermission?: {
        toolUseId: string;
        answer: PermissionAnswer;
    };
    /** Functions that are asked at these events, beside the hooks of settings. */
    hooks?: Partial<Record<HookEvent, HookCallbackMatcher[]>>;
    /** Aborting it ends the running turn, with its result, and every later turn before it asks the model anything. */
    abortController?: AbortController;
    /** Sends every prompt to the model; none is read as a command. For text written by others. Default false. */
    verbatimPrompts?: boolean;
    /** Set if no person is there to answer: denials then name the flag that would allow the call. */
    headless?: boolean;
    /**
     * Removes from the conversation the spans named by `QueryEngine.snip`, now and at every resume; this library's `snipReplay` implements
     * it. Absent: nothing is removed, and spans removed before a resume are back.
     */
    snipReplay?: SnipReplay;
    /** Agent types that the model may start, by name, in addition to those from files and the built-in ones. */
    agents?: Record<string, AgentDefinition>;
    /** The agent type of the main thread: its prompt, tools, model and hooks, in no laxer mode. Default: the type a resumed session had. */
    agent?: string;
    /** Limits for all agents together. Default: 3 deep, 20 at once, 200 started, 5,000 responses. */
    agentLimits?: Partial<AgentLimits>;
    /** This session works for another one: its end goes to SubagentStop hooks, and it starts nothing that only a main thread starts. */
    subagent?: SubagentIdentity;
    /** This session is a member of a team: TaskCompleted and TeammateIdle hooks are asked once its Stop hooks have passed. */
    teammate?: TeammatePort;
    /** Called with one line at a time, for a log. */
    debug?: (line: string) => void;
    /** Messages for a person at a terminal, such as ignored settings or skipped memory. */
    onNotice?: (text: string) => void;
    /** Called with the outcome of each file that a prompt mentions with an at sign, before the model answers; no message reports it. */
    onMention?: (news: MentionNews) => void;
    /** Called with what a hook sends to the terminal (`terminalSequence`): a title, a notification or the bell, and nothing else. */
    onTerminalSequence?: (sequence: string) => void;
    /** The version that messages, transcripts and `user-agent` name. Default: pawl's own. */
    version?: string;
    /** Replaces `node:http` for the HTTP exchange: an in-process scripted model, or a recording proxy. */
    transport?: (exchange: HttpExchange) => Promise<HttpAnswer>;
    /** Overrides single limits of the loop; `LoopLimits` has their defaults. */
    limits?: Partial<LoopLimits>;
    /** Replaces the time and the timers of the session, for runs that are the same each time. */
    clock?: ClockPort;
    /** Replaces the source of uuids and other ids, likewise. */
    ids?: IdPort;
    /** `process`: records survive the process. `power`: they survive a power cut (fdatasync before a call runs and a request leaves). */
    durability?: "process" | "power";
}
/** A failure as a value. `message` is for people: what happened, to what, and what to do next. */
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
/** The loop's two closed unions: every reason to continue, and every way a run ends. Only `loop/decide.ts` makes them. */
export type FailureKind = "authentication_failed" | "billing_error" | "permission_denied" | "model_not_found" | "invalid_request" | "rate_limit" | "overloaded" | "server_error" | "connection" | "stalled" | "truncated_stream" | "refusal" | "prompt_too_long" | "media" | "max_output_tokens" | "thinking_rejected" | "compaction_refused" | "aborted" | "transcript" | "not_configured" | "internal";
export type FileChangedHookInput = Of<"FileChanged", "file_path" | "event">;
export type FitResult = {
    kind: "ready";
    messages: readonly Message[];
    /** Records that turned the input into `messages` (boundary, summary, attachments, strips). The caller appends them in order. */
    records: Message[];
    /** Tokens the request is expected to have. */
    estimatedTokens: number;
    /** The `max_tokens` that still fits the window. */
    maxTokens: number;
    tracking: AutoCompactTracking;
    applied: LayerApplied[];
} | {
    kind: "full";
    estimatedTokens: number;
    limitTokens: number;
    tracking: AutoCompactTracking;
    /** Why nothing shrinks the conversation, and what to do: a sentence for people. Absent: compaction is off. */
    why?: string;
};
export interface ForkSessionOptions extends SessionPlace {
    /** The last message of the copy; results of calls that are open there are included. Default: all messages. */
    upToMessageId?: string | undefined;
    /** Default: the original's title, with `(fork)`. */
    title?: string | undefined;
}
/** A judge's verdict on the goal that is set. */
export interface GoalNews {
    /** A warning if the turn ends without the goal being met: such a notice is shown even if nobody watches the session. */
    level: "info" | "warning";
    /** The name of the notice. */
    name: "goal_reached" | "goal_impossible" | "goal_unmet" | "goal_idle";
    /** For people. */
    text: string;
    /** Feedback for the model, if it should continue. */
    feedback?: string;
}
/** All hook events. */
export declare const HOOK_EVENTS: readonly ["PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "UserPromptSubmit", "UserPromptExpansion", "SessionStart", "SessionEnd", "Stop", "SubagentStart", "SubagentStop", "TaskCreated", "TaskCompleted", "TeammateIdle", "StopFailure", "PreCompact", "PostCompact", "PermissionRequest", "PermissionDenied", "Notification", "CwdChanged", "DirectoryAdded", "InstructionsLoaded", "ConfigChange", "Setup", "PreModelSwitch", "PostModelSwitch", "WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult", "FileChanged", "MessageDisplay", "PreSkillShellCommand"];
type Handler<Input> = (input: Input, context: ToolContext) => Promise<CustomToolAnswer>;
/** The merged answers of all hooks of one event. Deny beats defer beats ask beats allow; stop beats continue. */
export interface HookAnswer {
    /** `continue: false`: end the run after this. The text is for people. */
    preventContinuation?: string;
    /** From `decision: "block"` or exit code 2: the reasons, for the model. */
    blocking: string[];
    /** `defer`: the call is put off, and the run ends. `otherwise`: what the other hooks say, used if the call cannot be deferred. */
    permission?: HookPermission | {
        behavior: "defer";
        reason?: string;
        otherwise?: HookPermission;
    };
    updatedInput?: Record<string, unknown>;
    /** What hooks answered on behalf of the user (PermissionRequest). A denial beats an approval. */
    permissionAnswer?: HookPermissionAnswer;
    updatedToolOutput?: unknown;
    elicitation?: HookElicitationAnswer;
    /** The files that FileChanged now watches, in place of those named before. */
    watchPaths?: string[];
    /** PermissionDenied: the model may try the call again. */
    retry?: true;
    /** MessageDisplay: what people see in place of the text. May be empty. */
    displayContent?: string;
    /** WorktreeCreate: the folder a hook made, exactly as the hook returned it. */
    worktreePath?: string;
    /** SessionStart and UserPromptSubmit: the session's title from now on. */
    sessionTitle?: string;
    /** SessionStart: skills have changed. */
    reloadSkills?: true;
    /** SessionStart, in a session without a person: a user message the session begins with, before its prompt. */
    initialUserMessage?: string;
    additionalContext: string[];
    /** For people; the model does not see them. */
    notices: NoticeMessage[];
    /** For MessageDisplay and the events at the end of a turn: the hooks that ran. */
    runs?: HookRun[];
}
/** A background task, as hooks at the end of a turn see it. */
export interface HookBackgroundTask {
    id: string;
    type: "shell" | "subagent" | "teammate";
    status: "running";
    /** At most 1,000 characters, followed by how many more there were. */
    description: string;
    command?: string;
    agent_type?: string;
    name?: string;
}
/** Answers in the public convention's JSON. `toolUseID` is set if a tool is called. */
export type HookCallback = (input: HookCallbackInput, toolUseID: string | undefined, context: {
    signal: AbortSignal;
}) => Promise<HookCallbackOutput>;
/** Input of a hook callback: `hook_event_name` tells which event it is. */
export type HookCallbackInput = PreToolUseHookInput | PostToolUseHookInput | PostToolUseFailureHookInput | PostToolBatchHookInput | PermissionRequestHookInput | PermissionDeniedHookInput | NotificationHookInput | UserPromptSubmitHookInput | UserPromptExpansionHookInput | PreSkillShellCommandHookInput | SessionStartHookInput | SessionEndHookInput | StopHookInput | StopFailureHookInput | SubagentStartHookInput | SubagentStopHookInput | PreCompactHookInput | PostCompactHookInput | PreModelSwitchHookInput | PostModelSwitchHookInput | TaskCreatedHookInput | TaskCompletedHookInput | TeammateIdleHookInput | ConfigChangeHookInput | CwdChangedHookInput | DirectoryAddedHookInput | FileChangedHookInput | InstructionsLoadedHookInput | WorktreeCreateHookInput | WorktreeRemoveHookInput | ElicitationHookInput | ElicitationResultHookInput | MessageDisplayHookInput | SetupHookInput;
export interface HookCallbackMatcher {
    /** Tool name, list or expression; absent: matches everything. */
    matcher?: string | undefined;
    /** ms; default 60,000, for `MessageDisplay` 10,000. */
    timeoutMs?: number | undefined;
    /** `block`: if the hook fails, the event it was asked about is refused. Default `continue`: the failure is ignored, with a notice. */
    onFailure?: "continue" | "block" | undefined;
    callback: (input: HookCallbackInput, context: {
        signal: AbortSignal;
        toolUseId?: string;
    }) => Promise<HookCallbackOutput>;
    /** Fields of the other matcher shape. */
    hooks?: never;
    timeout?: never;
}
/** What a hook callback returns, in the public convention's JSON; see the hook documentation for the fields. */
export type HookCallbackOutput = Record<string, unknown> | undefined | void;
export interface HookCallbacks {
    /** Tool name, list or expression; absent: matches all. */
    matcher?: string | undefined;
    hooks: HookCallback[];
    /** Seconds. */
    timeout?: number | undefined;
    onFailure?: "continue" | "block" | undefined;
    /** Fields of the other shape. */
    callback?: never;
    timeoutMs?: never;
}
export interface HookDecision {
    behavior: "allow" | "ask";
    reason?: string;
    /** The hook provided the input and allows the call itself. */
    givesInput?: true;
}
/** A hook's answer to an MCP server on behalf of the user. */
export interface HookElicitationAnswer {
    action: "accept" | "decline" | "cancel";
    content?: Record<string, unknown>;
}
export type HookEvent = (typeof hookEvents)[number];
/** The fields of the events themselves, in wire case. The hook engine adds the common fields. */
export interface HookInput {
    hook_event_name: HookEvent;
    tool_name?: string;
    tool_input?: Record<string, unknown>;
    tool_use_id?: string;
    /** The MCP server the tool belongs to, if any. */
    mcp_server?: McpServerProvenance;
    tool_response?: unknown;
    /** How long the tool ran, without permission questions and hooks. */
    duration_ms?: number;
    error?: string;
    /** The provider's own error text. */
    error_details?: string;
    prompt?: string;
    /** Absent if the session has no title. */
    session_title?: string;
    expansion_type?: string;
    command_name?: string;
    command_args?: string;
    command_source?: string;
    /** For a shell line in a skill: who invoked the skill. */
    invoked_by?: "user" | "claude" | "other";
    stop_hook_active?: boolean;
    /** Tasks still running in the background. */
    background_tasks?: readonly HookBackgroundTask[];
    last_assistant_message?: string;
    trigger?: string;
    custom_instructions?: string | null;
    compact_summary?: string;
    source?: string;
    /** SessionStart: the model in use. */
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
    /** FileChanged: `change`, `add` or `unlink`. */
    event?: string;
    memory_type?: string;
    load_reason?: string;
    globs?: readonly string[];
    trigger_file_path?: string;
    parent_file_path?: string;
    /** Entries for `updatedPermissions` that would avoid the next question of this kind. */
    permission_suggestions?: readonly PermissionUpdate[];
    agent_id?: string;
    agent_type?: string;
    agent_transcript_path?: string;
    task_id?: string;
    task_subject?: string;
    task_description?: string;
    teammate_name?: string;
    team_name?: string;
    /** The worktree to be created. */
    name?: string;
    worktree_path?: string;
    /** Elicitation events: what an MCP server asks the user, and the answer. */
    mcp_server_name?: string;
    mode?: string;
    url?: string;
    elicitation_id?: string;
    requested_schema?: unknown;
    action?: string;
    content?: unknown;
    /** MessageDisplay: the turn and the message the text belongs to, the index of this piece, and whether it is the last. */
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
    /** The hook whose `updatedInput` counts also allowed the call. For a tool whose input is the user's answer, this is consent. */
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
    /** The denial ends the run, for this reason. */ stops?: string;
};
/**
 * Runs the hooks of an event and waits for all of them. Must not throw and must not hang: every hook has a time limit, and a broken hook
 * yields a notice and counts as a pass, except that a callback that times out on a tool call or a prompt refuses it. After `signal` aborts
 * it settles at once.
 */
export interface HookPort {
    /** False if no hook would run: lets a caller skip building the input. */
    has(event: HookEvent): boolean;
    /** The longest time limit among the event's hooks, ms, if one was configured above the default. Absent or undefined: none was. */
    limitMs?(event: HookEvent): number | undefined;
    run(input: HookInput, signal: AbortSignal): Promise<HookAnswer>;
    /** Runs hooks detached (StopFailure): the loop does not wait for them; the session owns and drains them. */
    runDetached(input: HookInput): void;
}
/** How one hook ran. */
export interface HookRun {
    /** The hook's command line, URL or question. */
    name: string;
    durationMs: number;
    isOk: boolean;
    /** What was wrong with the hook, for people. */
    problem?: string;
}
export interface HttpAnswer {
    status: number;
    headers: Record<string, string>;
    body: AsyncIterable<Uint8Array>;
}
export interface HttpExchange {
    method: string;
    /** Absolute. */
    url: string;
    path: string;
    headers: Record<string, string>;
    body: string | Uint8Array;
    signal?: AbortSignal;
}
export interface IdPort {
    /** A UUID. */
    uuid(): string;
    /** In [0, 1), for jitter. */
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
/**
 * Keeps sessions in the memory of this process, for tests and throwaway sessions: `sessionStore: new InMemorySessionStore()`. Entries are
 * copied in and out; an entry whose `uuid` is already stored is skipped.
 */
export declare class InMemorySessionStore implements SessionStore {
    #private;
    append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
    load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
    listSessions(projectKey: string): Promise<{
        sessionId: string;
        mtime: number;
    }[]>;
    listSubkeys({ projectKey, sessionId }: {
        projectKey: string;
        sessionId: string;
    }): Promise<string[]>;
    /** Deleting a session also deletes its agents' transcripts. */
    delete(key: SessionKey): Promise<void>;
}
export type InputVerdict = {
    ok: true;
} | {
    ok: false;
    message: string;
};
export type InstructionsLoadedHookInput = Of<"InstructionsLoaded", "file_path">;
/** Where a path of a call led when it was judged. What is opened later must still be there. */
export interface JudgedPath {
    /** Absolute and normalised, as the call gives it. */
    path: string;
    /** With all links resolved; null if it could not be resolved. */
    real: string | null;
}
/** Something in a file that was left out, or read differently than its author intended. */
export interface KnowledgeProblem {
    /** Absolute. */
    path: string;
    /** From 1; absent if the problem concerns the whole file. */
    line?: number;
    /** One clause, without a full stop. */
    reason: string;
    /** What the file was meant to forbid is allowed. */
    isLostRestriction?: true;
}
/** `policy`: from an administrator. `option`: from the command line or the program that holds the session. */
export type KnowledgeSource = NamedAgent["source"];
export interface LayerApplied {
    layer: string;
    savedTokens: number;
}
export interface LayerSaving {
    /** A layer's name, as in the list of context layers. */
    layer: string;
    /** How often the layer has saved something. */
    times: number;
    tokens: number;
}
export interface ListSessionsOptions extends SessionPlace {
    /** Default: all. */
    limit?: number | undefined;
    offset?: number | undefined;
    /** With `dir`: false excludes the other work trees. Default true. */
    includeWorktrees?: boolean | undefined;
    /** False excludes sessions of `pawl -p` and of programs. Default true. */
    includeProgrammatic?: boolean | undefined;
    /** Words and "phrases" that must all occur in the conversation, the title or the tag, in any case. */
    search?: string | undefined;
    tag?: string | undefined;
}
/** Every limit of the loop. Times in ms. */
export interface LoopLimits {
    /** The most turns in one user turn; undefined, the default, for no limit. */
    maxTurns?: number;
    /** How many tokens of work the caller asked for. */
    tokenBudget?: number;
    /** The `max_tokens` of an answer that was not cut yet. Default 8,000. */
    outputTokensDefault: number;
    /** The `max_tokens` for retrying an answer that was cut; undefined, the default: the model's own limit. */
    outputTokensEscalated?: number;
    /** How often an answer that was cut again is continued. Default 3. */
    outputTokensRecoveries: number;
    /** Stop hook blocks in a row; `Infinity` for no cap. Default 8. */
    stopHookBlocks: number;
    /** Overloads in a row before the fallback model takes over. Default 3. */
    overloadsBeforeFallback: number;
    /** How often an answer that the server paused is continued. Default 10. */
    pausedTurns: number;
    /** Tool calls that run side by side. Default 10. */
    toolConcurrency: number;
    /** Characters of all results of one message together. Default 200,000. */
    resultCharsPerMessage: number;
    /** How long a question for permission may stay open. Default 24 hours and a minute. */
    permissionMs: number;
    /** All hooks of one event together, or more if one of them has a longer limit of its own. Default 11 minutes. */
    hookMs: number;
    /** Everything that happens at the end of one answer, together. Default an hour. */
    turnEndMs: number;
    /** A tool call without a limit of its own. Default 30 minutes. */
    toolMs: number;
    /** Default 10 minutes. */
    compactionMs: number;
    /** A call of any other port. Default a minute. */
    portMs: number;
    /** How long the model may send no event. After that, the adapter's own watchdog must have failed. Default 15 minutes. */
    modelSilenceMs: number;
    /** How long cancelled work may take to settle before the loop writes a result for it. Default 5 s. */
    settleMs: number;
}
/** A message between agents of one session. */
export interface MailFacts {
    /** Unique in the session: a second record with the same id is a duplicate. */
    id: string;
    kind: "message" | "idle" | "ended";
    /** The name of the agent it comes from, or is about. */
    from: string;
    /** If it is from or about a teammate. */
    agentId?: string;
}
export type McpConnectionStatus = "connected" | "failed" | "needs-auth" | "pending" | "disabled";
/** What a server asks the user in the middle of its work. The texts are the server's own, cleaned. */
export interface McpElicitation {
    serverName: string;
    message: string;
    mode: "form" | "url";
    /** Mode `url`: the address the user should visit. */
    url?: string;
    elicitationId?: string;
    /** Mode `form`: the JSON Schema of a flat object. */
    requestedSchema?: Record<string, unknown>;
}
export type McpElicitationAnswer = {
    action: "accept";
    content?: Record<string, string | number | boolean | string[]>;
} | {
    action: "decline" | "cancel";
};
/** A server reports that the user has finished what it asked for at a URL. */
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
/** Who named a server: a flag, the host, a file of the user's, a file of the project, or an administrator. */
export type McpScope = "flag" | "sdk" | "local" | "project" | "user" | "policy";
export interface McpSdkServerConfig extends AnyServerConfig {
    type: "sdk";
    name?: string;
    instance: McpServerInstance;
}
export type McpServerConfig = McpStdioServerConfig | McpRemoteServerConfig | McpSdkServerConfig | McpTransportServerConfig;
/** A server in this process, such as one made by `createSdkMcpServer`. Servers made with the official MCP packages fit too. */
export interface McpServerInstance {
    connect(transport: McpTransport & {
        start(): Promise<void>;
    }): Promise<void>;
}
/** Which server a tool belongs to, and where that server comes from. Use this instead of names, which anybody may choose. */
export interface McpServerProvenance {
    /** As written where the server is configured: not safe to display without cleaning. */
    name: string;
    /**
     * `sdk`: the server lives in the host; nothing else can declare such a server. Others: `dynamic` (named by the host or a flag), `user`,
     * `project`, `local`, `managed`, `plugin`, `agent` (from an agent's definition). More may be added.
     */
    source: string;
}
export interface McpServerStatus {
    name: string;
    status: McpConnectionStatus;
    scope: McpScope;
    /** As in the `McpServerProvenance` of its tools. */
    source: string;
    /** Why the server is not connected, one sentence. */
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
/** What a server's owner says about one of its tools. `always_allow` has no effect: only permission rules allow a tool. */
export interface McpServerToolPolicy {
    /** The name the server uses. */
    name: string;
    permission_policy?: "always_allow" | "always_ask" | "always_deny";
    org_max_permission?: "allow" | "ask" | "blocked";
}
export interface McpStdioServerConfig extends AnyServerConfig {
    type?: "stdio";
    command: string;
    args?: string[];
    env?: Record<string, string>;
    /** The working directory of the server; a relative path starts from the directory it would have by default. */
    cwd?: string;
}
/** Its parts are texts, images (`data`, `mimeType`), resources and links to resources. */
export interface McpToolAnswer {
    content: {
        type: string;
        [field: string]: unknown;
    }[];
    isError?: boolean | undefined;
    structuredContent?: unknown;
    [field: string]: unknown;
}
/** Carries the messages of one connection, each a JSON-RPC object. `onmessage` and the other handlers are set before `start` is called. */
export interface McpTransport {
    start?(): Promise<void>;
    send(message: unknown): Promise<void> | void;
    close(): Promise<void> | void;
    onmessage?: ((message: never) => void) | undefined;
    onclose?: (() => void) | undefined;
    onerror?: ((error: Error) => void) | undefined;
}
/** A server behind a transport that the host provides. Each call of `open` gives a new connection. */
export interface McpTransportServerConfig extends AnyServerConfig {
    type: "transport";
    open(): McpTransport;
}
/** Facts that bound the tokens of media whose content is not at hand. */
export interface MediaFacts {
    /** The window of the requested model, tokens. Default: the largest there can be. */
    window?: number;
    /** Whether the API has counted the media. Default false. */
    isCounted?: boolean;
}
/** What became of a file or folder that a prompt mentions with an at sign, for displaying the prompt. */
export interface MentionNews {
    /** As written, without the at sign and the line range. */
    path: string;
    /** True if a person typed the mention; false if it is in a command file that the person invoked. */
    isTyped: boolean;
    /**
     * `too_large`: the files that the prompt mentions are too large together. `failed`: the file could not be read. `too_many`: this is the
     * 21st mention of the prompt; neither it nor those after it were looked up.
     */
    outcome: "read" | "listed" | "missing" | "refused" | "failed" | "too_large" | "too_many";
    /** For a text file that was read: `count` lines of `total`, starting at line `from` (1 is the first). */
    lines?: {
        from: number;
        count: number;
        total: number;
    };
    /** For a folder: how many entries it has. */
    entries?: number;
    /** Why the mention was refused or failed: one or more sentences. */
    why?: string;
}
export type Message = UserMessage | AssistantMessage | ResponseEndMessage | CompactBoundaryMessage | SnipBoundaryMessage | ResultsClearedMessage | CollapseCommitMessage | ThinkingStrippedMessage | AttachmentMessage | NoticeMessage | TransitionMessage | TombstoneMessage;
interface MessageBase {
    /** Unique in the session; the idempotency key of its transcript record. */
    uuid: string;
    /** ISO 8601, from the injected clock. */
    timestamp: string;
}
export type MessageDisplayHookInput = Of<"MessageDisplay", "message_id" | "delta">;
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
    /** Set on a `tool_use` whose JSON did not parse although the message ended normally: the raw text. Never executed. */
    invalidInput?: string;
};
export type ModelFailure = Failure & {
    /**
     * What the loop may do about it. `overflow`: the prompt is too long. `media`: an image or document was refused. `summary`: a signed
     * summary, requested or sent back, was refused. `block`: the server does not know a kind of block. `output`: the model gives no answer as
     * long as was asked for. `field`: the server does not know a field of the request; the next request leaves it out.
     */
    recovery: "retry" | "overflow" | "media" | "thinking" | "summary" | "block" | "output" | "field" | "fallback" | "none";
    /** How long the server asked to wait, ms. */
    retryAfterMs?: number;
    /** The server's own limits, tokens, if the error states them. */
    tokens?: {
        actual?: number;
        maximum: number;
        /** The part of `actual` requested for the answer (`max_tokens`). Absent if the server counted the prompt alone, or did not say. */
        answer?: number;
        /** The limit is on usage per minute or per day. What it counts is not the model's token count. */
        isRate?: true;
    };
    /** With recovery `output`: the longest answer the model gives, tokens. */
    answerLimit?: number;
    /** With recovery `field`. */
    field?: RequestField;
    /** With recovery `thinking`: the server misses thinking that the history does not hold, rather than refusing thinking that was sent. */
    thinkingMissed?: true;
    /** With recovery `thinking`: the server knows no blocks of thinking, so it takes none back from now on. */
    thinkingUnknown?: true;
    /** The missing thinking belongs to the current turn only: the next turn may think again. */
    isOfTurn?: true;
    /** An overload (529, overloaded_error): counts toward the switch to the fallback model. */
    overload?: boolean;
    /** The answer had begun, so the input is billed. */
    begun?: true;
    /** The request never reached a server (refused connection, unknown host), so it cannot have been billed. */
    neverSent?: boolean;
    /** On a failure with `neverSent`: nothing suggests a wrong address, so it is retried as often as any other failure. */
    mayPass?: true;
};
export interface ModelInfo {
    id: string;
    /** False: the model is not in the catalogue. Its window and limits are assumptions, and it has no prices. */
    known: boolean;
    contextWindow: number;
    maxOutputTokens: number;
    /** Ascending by bound; undefined if the prices are unknown. */
    prices?: PriceTier[];
    /** Prices at `speed: "fast"`; undefined if the model has no such mode. */
    fastPrices?: PriceTier[];
    thinking: "none" | "enabled" | "adaptive" | "adaptive_always" | "adaptive_or_disabled";
    /** Thinking blocks are bound to the exact prefix (preserved thinking). */
    thinkingBoundToPrefix: boolean;
    /** Nothing is known about the model: its thinking may come without a signature, and is sent back as it came. */
    unsignedThinking?: boolean;
    /** The API keeps the thinking of older turns. */
    keepsOldThinking: boolean;
    efforts: Effort[];
    defaultEffort?: Effort;
    minCacheTokens: number;
    maxImages: number;
    /** The longer side in pixels, and the tokens, that the provider scales larger images down to; undefined if unknown. */
    imageEdge?: number;
    imageTokens?: number;
    /** The model writes a signed summary on request, and accepts one in place of the messages it covers. */
    compaction?: boolean;
}
export type ModelOutcome = {
    ok: true;
    stopReason: string | null;
    stopDetails?: Record<string, unknown>;
    usage: Usage;
    /** The output limit cut a `tool_use` block, and the block was dropped. */
    partialToolUse?: boolean;
    /** The provider bills nothing for this response, whatever `usage` says. */
    unbilled?: true;
    /** The server never said how long the answer was: `usage` has fewer output tokens than the bill. */
    outputUntold?: true;
} | {
    ok: false;
    failure: ModelFailure;
    /** The usage reported before the failure; undefined if the stream never started. */
    usage?: Usage;
    /** Text of a block that was still open, kept on an interruption. */
    partialText?: string;
};
/**
 * Makes one request and streams it. Must not throw: failures are outcomes. Yields each block when it is complete, in order. Ends within 100
 * ms of `signal` aborting (outcome `aborted`), with the connection closed. Never waits without a time limit.
 */
export interface ModelPort {
    stream(request: ModelRequest, signal: AbortSignal): ModelStream;
    /** The number of bytes `stream` would send, for budget admission and measurement. Memoised together with the serialisation it reuses. */
    measure(request: ModelRequest): {
        bytes: number;
    };
    /** An exact token count if the endpoint offers one, else undefined. */
    countTokens?(request: ModelRequest, signal: AbortSignal): Promise<number | undefined>;
    info(model: string): ModelInfo;
}
export interface ModelRequest {
    model: string;
    system: SystemBlock[];
    tools: readonly ToolDefinition[];
    messages: ApiMessage[];
    /** Ascending indexes into `messages`: the last cacheable block of each gets a breakpoint. At most 4, including those in `system`. */
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
    /** Faster answers at a higher price, on models that support it. */
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
    /** The stable key of this request in the run, such as `t12.model`. */
    key: string;
}
export interface ModelStream extends AsyncGenerator<ModelEvent, ModelOutcome> {
    /**
     * Takes and returns what `next` would give if it is available now; undefined if the caller has to wait. Several events usually arrive
     * together.
     */
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
/** A definition with its name and source, for lists and for messages about it. */
export interface NamedAgent extends AgentDefinition {
    /** Usually lower case with hyphens, but some names have several words. A plugin's agent is `plugin:name`. */
    name: string;
    source: "built-in" | "option" | "policy" | "project" | "user" | "plugin";
    /** Absolute; absent if the definition does not come from a file. */
    path?: string;
    /** Why the agent is not started: a restriction in its file cannot be understood. One clause, with file and line. */
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
export type NotificationHookInput = Of<"Notification", "message" | "notification_type">;
type Of<E extends HookEvent, K extends keyof HookInput = never> = BaseHookInput & HookInput & {
    hook_event_name: E;
} & Required<Pick<HookInput, K>>;
/** Fields of messages from an agent, beside `parent_tool_use_id`. */
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
/** Messages about the hooks a session runs: always for `SessionStart`, for other events with `includeHookEvents`. */
interface OfHook {
    type: "system";
    uuid: string;
    session_id: string;
    /** The same in all messages about one run of a hook. */
    hook_id: string;
    /** The event, and the value that matchers were compared with: `PreToolUse:Bash`. */
    hook_name: string;
    hook_event: string;
}
/** Messages about work beside the session's own: agents it has started, and background commands. */
interface OfTask {
    type: "system";
    uuid: string;
    session_id: string;
    /** The agent's id. */
    task_id: string;
    /** The call that started the agent. */
    tool_use_id: string;
    description: string;
    subagent_type: string;
}
/** The host's handler. `requestId` identifies the question; `signal` aborts when the answer is no longer needed. Null declines. */
export type OnElicitation = (asked: McpElicitation, options: {
    signal: AbortSignal;
    requestId: string;
}) => Promise<McpElicitationAnswer | null>;
/** A block of a type this version does not know (server tools, compaction, …). It is stored and sent back exactly as it came. */
export interface OpaqueBlock {
    type: "opaque";
    wire: Record<string, unknown>;
}
/** The options under their name in agent SDKs. An option set to undefined counts as absent. */
export type Options = {
    [Name in keyof QueryOptions]: QueryOptions[Name] | undefined;
};
interface OwnCommandResult {
    /** The output, as the model would get it. */
    text: string;
    isError: boolean;
}
export declare abstract class PawlError extends Error {
    /** For programs; `message` is a sentence for people. */
    abstract readonly code: string;
    /** Whether the same call may work later. */
    abstract readonly retryable: boolean;
    readonly requestId: string | undefined;
    constructor(message?: string, { cause, requestId }?: PawlErrorOptions);
}
/** The base of every error the library throws: its code, whether a retry may work, and its cause. */
interface PawlErrorOptions {
    cause?: unknown;
    /** The provider's request id, if one of its requests failed. */
    requestId?: string | undefined;
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
    /** Every path that was judged. Absent if no path was looked at. */
    judged?: readonly JudgedPath[];
} | {
    behavior: "deny";
    /** For the model: what was refused, why, and what would allow it. */
    message: string;
    reason: PermissionReason;
    /** The user wants the whole turn to stop. */
    interrupt?: boolean;
    /** A hook ends the run after this call, for this reason. */
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
export type PermissionDeniedHookInput = Of<"PermissionDenied", Call>;
/** Where a change is saved. It takes effect in this session wherever it is saved. */
export type PermissionDestination = "session" | "localSettings" | "projectSettings" | "userSettings" | "cliArg";
export type PermissionMode = (typeof permissionModes)[number];
/** Judges one call, asking the user if the rules say so. Must not throw; denies when in doubt. An abort denies. */
export interface PermissionPort {
    /** Returns synchronously if nobody has to be asked. */
    decide(request: PermissionRequest, signal: AbortSignal): PermissionDecision | Promise<PermissionDecision>;
}
/** What the host (a person at a terminal, an SDK's `canUseTool`) is asked. */
export interface PermissionQuestion extends PermissionRequest {
    /** Why the question is asked. */
    reason: PermissionReason;
    /** Which part of the call needs permission, one clause; absent if `reason` says it all. */
    why?: string;
    /** The agent that makes the call, if it is an agent of the session. */
    agentId?: string;
    /** The MCP server the tool belongs to. */
    mcpServer?: McpServerProvenance;
    /** For approving a plan: the mode that follows if the answer allows it without setting one. */
    modeAfter?: PermissionMode;
    /** The answer is the purpose of the call: it comes as `updatedInput`. */
    requiresUserInteraction?: true;
    /** A rule that, added to the session, would answer similar questions. */
    suggestedRule?: string;
    /** For a line of several commands that lack permission: rules, one per command, that together would answer similar questions. */
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
/** The model that judges calls in `auto` mode. */
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
    /** The final input, after hooks changed it. */
    input: Record<string, unknown>;
    isReadOnly: boolean;
    subjects: PermissionSubject[];
    cwd: string;
    /** What a PreToolUse hook answered. `allow` only skips the question; deny and ask rules still apply. */
    hookDecision?: HookDecision;
    /** Names the question, such as `t3.permission.0`, so that any process could answer it. */
    key: string;
}
export type PermissionRequestHookInput = Of<"PermissionRequest", "tool_name" | "tool_input">;
/** The answer to a permission question. */
export type PermissionResult = (PermissionResultBase & {
    behavior: "allow";
    updatedInput?: Record<string, unknown> | undefined;
    updatedPermissions?: PermissionUpdate[] | undefined;
}) | (PermissionResultBase & {
    behavior: "deny";
    message: string;
    interrupt?: boolean | undefined;
});
interface PermissionResultBase {
    toolUseID?: string | undefined;
    /** How a person decided. Has no effect here: nothing is reported about it. */
    decisionClassification?: "user_temporary" | "user_permanent" | "user_reject" | undefined;
}
/** A permission rule in two parts, as in the public convention. */
export interface PermissionRuleValue {
    toolName: string;
    /** The text in the parentheses. */
    ruleContent?: string;
}
/** One thing a call would do. A call is allowed only if every subject is. Paths are absolute and not yet resolved. */
export type PermissionSubject = {
    kind: "read";
    path: string;
} | {
    kind: "write";
    path: string;
}
/** `shell`: the command is run by a plain `sh`, not by bash. */
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
export type PostCompactHookInput = Of<"PostCompact", "trigger" | "compact_summary">;
export type PostModelSwitchHookInput = Of<"PostModelSwitch", "from_model" | "to_model">;
export type PostToolBatchHookInput = Of<"PostToolBatch", "tool_calls">;
export type PostToolUseFailureHookInput = Of<"PostToolUseFailure", Call | "error">;
export type PostToolUseHookInput = Of<"PostToolUse", Call | "tool_response">;
export type PreCompactHookInput = Of<"PreCompact", "trigger">;
export type PreModelSwitchHookInput = Of<"PreModelSwitch", "from_model" | "to_model">;
export type PreSkillShellCommandHookInput = Of<"PreSkillShellCommand", Call | "command_name" | "invoked_by">;
export type PreToolUseHookInput = Of<"PreToolUse", Call>;
/** Prices that apply while the whole prompt is at most `upToInputTokens`. The last tier has no bound. */
export interface PriceTier extends TokenPrices {
    upToInputTokens?: number;
}
/** A prompt: text, content blocks, or the message that a client of the wire protocol would send. */
export type PromptInput = string | ContentBlock[] | SDKUserMessage;
/**
 * The messages that answer the prompts, and control of the session in the meantime. The first message or the first method call creates
 * the session; the last message, `return()` or `close()` closes it. After that, the methods throw.
 */
export interface Query extends AsyncGenerator<SDKMessage, void> {
    /** Ends the running turn, or the first turn before it has begun. The session goes on. Always resolves, and at once. */
    interrupt(): Promise<SDKInterruptReceipt>;
    /** Takes effect with the next request, also during a turn; undefined selects the model the session started with. Rejects if a `PreModelSwitch` hook refuses. */
    setModel(model?: string): Promise<void>;
    setPermissionMode(mode: PermissionMode): Promise<void>;
    /** Takes effect with the next turn. 0 turns thinking off; null restores the initial setting. */
    setMaxThinkingTokens(tokens: number | null, display?: ThinkingDisplay | null): Promise<void>;
    initializationResult(): Promise<SDKInitialization>;
    /** The same as `initializationResult()`. */
    reinitialize(): Promise<SDKInitialization>;
    supportedCommands(): Promise<SlashCommand[]>;
    supportedModels(): Promise<SDKModelInfo[]>;
    supportedAgents(): Promise<SDKAgentInfo[]>;
    mcpServerStatus(): Promise<ReturnType<SessionDesk["mcpServers"]>>;
    /** Closes the connection to a server, if there is one, and opens a new one. Throws if there is no such server. */
    reconnectMcpServer(name: string): Promise<void>;
    /** Throws if there is no such server, or if a server that is turned on does not connect. */
    toggleMcpServer(name: string, isEnabled: boolean): Promise<void>;
    /** Replaces the servers of this process and those that an earlier call of this method added. */
    setMcpServers(servers: Record<string, McpServerConfig>): Promise<SDKMcpServersSet>;
    /** Merges settings over those of the option `settings`, key by key; null removes a key. Throws `UsageError`. */
    applyFlagSettings(settings: object): Promise<void>;
    /** Writes keys to the user's own settings file; keys that run or permit anything are refused with `UsageError`. */
    updateSettings(source: "userSettings" | "localSettings", settings: object): Promise<void>;
    /** Reads the skill and command folders again. Returns the commands that can be typed, without the built-in ones. */
    reloadSkills(): Promise<{
        skills: SlashCommand[];
    }>;
    /** Reads the plugins again; hooks, servers and styles stay as they were at the start of the session. */
    reloadPlugins(): Promise<SDKPluginsReloaded>;
    /** Returns the names of the styles that exist now. */
    reloadOutputStyles(): Promise<{
        available_output_styles: string[];
    }>;
    /** Returns a page that a server provides under `ui://…`. Its content is untrusted. */
    readMcpResource(server: string, uri: string): Promise<SDKMcpResource>;
    accountInfo(): Promise<SDKAccountInfo>;
    getContextUsage(): Promise<ContextUsage>;
    /** Restores the files to their state before the prompt with this uuid. Refused while a turn runs. */
    rewindFiles(userMessageUuid: string, options?: RewindFilesOptions): Promise<RewindFilesResult>;
    /** Returns null if the file may not, or cannot, be read. */
    readFile(path: string, options?: ReadFileOptions): Promise<SDKFileContents | null>;
    seedReadState(path: string, mtimeMs: number): Promise<void>;
    /** Ends a background command or an agent (a teammate also by its name). Returns undefined if there is no task with that id. */
    stopTask(taskId: string): Promise<SDKBackgroundTask | undefined>;
    /** Moves running commands to the background: that of one call, or all. Returns false if that call has no running command. */
    backgroundTasks(toolUseId?: string): Promise<boolean>;
    /** Adds prompts after the existing ones. They are read at once; the promise resolves when all are read, not when they are answered. */
    streamInput(prompts: AsyncIterable<PromptInput>): Promise<void>;
    /** Ends whatever is running and closes the session. */
    close(): Promise<void>;
}
export declare class QueryEngine {
    #private;
    /**
     * Runs one user turn. Yields messages and finally exactly one `result`, or none if the process was told to terminate.
     * Leaving the generator early cancels the turn and records what it did.
     */
    submitMessage(prompt: string | ContentBlock[], options?: SubmitOptions): AsyncGenerator<SDKMessage, void>;
    /**
     * Shortens the conversation: a summary, made with `instructions` if given, replaces its older part. Yields status messages and
     * the `compact_boundary`; returns whether there was anything to do. Throws while a turn runs; `interrupt()` ends the turn.
     */
    compact(instructions?: string): AsyncGenerator<SDKMessage, CompactAnswer>;
    /**
     * Removes a span of history from the conversation and from every resume; the callback `snipReplay` does it. Between turns the
     * span is gone when this returns. While a turn runs the snip waits for the next border, and a message `snip_boundary` or a notice
     * `snip_refused` then reports it. Throws `SnipError` if the span is not whole (`not_whole` names a span that is), includes the
     * pinned head or the prompt being answered, or cannot be recorded.
     */
    snip(span: SnipRequest): SnipAnswer;
    /**
     * Asks the running turn to end. The turn settles, records and (except for `terminate`) yields its result. `interrupt` means that the
     * user has already submitted the next prompt. The first cause counts. Returns true if a turn was running.
     */
    interrupt(cause?: CancelCause): boolean;
    /** Work beside the turns of the present session: read it anew after `clear()`, `resume()` and `branch()`, which replace this object. */
    get background(): SessionBackground;
    /** Adds to the conversation without a turn. Throws while a turn runs, and if the prompt cannot be recorded. */
    append(prompt: string | ContentBlock[], options?: SubmitOptions): void;
    /** Answers from the conversation without becoming part of it, also while a turn runs. A failure is returned as an answer. */
    sideQuestion(question: string, options?: {
        signal?: AbortSignal;
    }): Promise<SideAnswer>;
    /** The messages of a prompt that need not wait for the running turn (`/btw`), ending with a `result`; undefined if it needs a turn. */
    submitBeside(prompt: string | ContentBlock[]): AsyncGenerator<SDKMessage, void> | undefined;
    /** Queues input while a turn runs: it joins at the next turn border, else `takeQueued` returns it. Throws once the session is closed. */
    enqueue(prompt: string | ContentBlock[], uuid?: string): void;
    /** Returns input that no turn consumed, for the next user turn; undefined if nothing waits. */
    takeQueued(): {
        uuid: string;
        prompt: ContentBlock[];
    } | undefined;
    getSessionId(): string;
    getMessages(): readonly Message[];
    /** Undefined if nothing is persisted. */
    getTranscriptPath(): string | undefined;
    getModel(): string;
    /** Takes effect with the next request, also during a turn. Runs no hooks: `desk.switchModel` does. */
    setModel(name: string): void;
    getPermissionMode(): PermissionMode;
    setPermissionMode(mode: PermissionMode): void;
    setEffort(effort: Effort | undefined): void;
    /** The commands that a prompt can begin with, after a slash. */
    supportedCommands(): SlashCommand[];
    /** What can be asked of the present session outside its turns. Like `background`, it is replaced together with the session. */
    get desk(): SessionDesk;
    /** How the tokens of the conversation are distributed in the next request. */
    getContextUsage(): ContextUsage;
    /** Counts background agents that work or whose end the model has not been told, unread team messages, and hook reports that wait. */
    get openAgents(): number;
    /** Resolves once background work has something to report, or none is left. Reports go to the model with the next prompt. */
    whenAgentsEnd: () => Promise<void>;
    /** Background hooks that may still have something to report; `whenAgentsEnd` resolves when one reports. */
    get openHooks(): number;
    mcpServerStatus(): ReturnType<SessionDesk["mcpServers"]>;
    getCost(): SessionCost;
    /** Restores files that tools changed to their state before that prompt; the conversation stays. Not while a turn runs. */
    rewindFiles(userMessageUuid: string, options?: RewindFilesOptions): Promise<RewindFilesResult>;
    /** Ends this session and starts an empty one under a new id, with the same options. Queued input moves to the new session. */
    clear(): Promise<void>;
    /**
     * Ends this session and continues with another, named as in the option `resume`: by id, the beginning of an id, or title. Choices and
     * permissions made here stay behind. Throws `UsageError` if none or several match or a process holds it; this session then continues.
     */
    resume(session: string): Promise<void>;
    /** Ends this session and continues with a copy under a new id, whole or up to a message; choices stay. Throws if nothing is kept. */
    branch(title?: string, options?: BranchOptions): Promise<void>;
    /** Ends what runs and releases everything. Safe to call twice, and while handling a message of the turn. `reason`: for SessionEnd. */
    dispose(reason?: Exclude<EndReason, "clear" | "resume">): Promise<void>;
    /** For the last moment of the process: kills the session's commands and hooks without waiting. `sparesHooks`: `dispose` will follow. */
    killNow(sparesHooks?: boolean): void;
    [Symbol.asyncDispose](): Promise<void>;
}
export type QueryEvent = Message | StreamRequestStart | StreamEvent | ApiRetry | ToolProgressEvent | AgentMessageEvent | WaitingEvent | PermissionDeniedEvent | CompactingEvent | ToolUseSummary;
/** Options of `query` and `createEngine`: pawl's own, and those of agent SDKs. */
export interface QueryOptions extends Omit<EngineOptions, Shaped> {
    /** Instead of `ask`. */
    canUseTool?: CanUseTool;
    /** Instead of `addDirs`. */
    additionalDirectories?: string[];
    /** Instead of `pluginDirs`. */
    plugins?: {
        type: "local";
        path: string;
        skipMcpDiscovery?: boolean;
    }[];
    /** `none`: nobody is asked, and calls that need permission are refused. Default `host`. */
    permissionPrompts?: "host" | "none";
    /** Read instead of the process's environment. */
    env?: Record<string, string | undefined>;
    hooks?: Partial<Record<HookEvent, (HookCallbackMatcher | HookCallbacks)[]>>;
    /** Default: pawl's own. */
    systemPrompt?: SystemPromptOption;
    /** Built-in tools on offer. Absent or the preset: the default set. Empty: none. */
    tools?: string[] | {
        type: "preset";
        preset: "claude_code";
    };
    /** A settings file's path, JSON text, or the settings themselves. */
    settings?: string | object;
    /** Gets one line at a time, for a log; `true` sends them to `stderr`. */
    debug?: boolean | ((line: string) => void);
    /** Each line of `debug` is appended to this file. */
    debugFile?: string;
    /** Gets what would be a line on a terminal, if there is no `onNotice`. */
    stderr?: (text: string) => void;
    /** Command-line flags by name, without dashes; null for a flag without a value. Only flags that are options here. */
    extraArgs?: Record<string, string | null>;
    /** Without a meaning here, as there is no process: accepted, and reported to `onNotice`. */
    executable?: string;
    executableArgs?: string[];
    pathToClaudeCodeExecutable?: string;
    spawnClaudeCodeProcess?: unknown;
    allowDangerouslySkipPermissions?: boolean;
    mcpServersDelivery?: string;
    pluginDelivery?: string;
    onUserDialog?: unknown;
    supportedDialogKinds?: string[];
    perTaskStopAffordance?: boolean;
    agentProgressSummaries?: boolean;
}
export interface QueryParams {
    prompt: string | AsyncIterable<PromptInput>;
    options?: Options | undefined;
}
export type QuerySource = "main" | "sdk" | "subagent" | "compaction" | "hook" | "side_question";
/** A raw stream event in the wire's own shape, for clients that asked for partial messages. */
export interface RawStreamEvent {
    type: string;
    [key: string]: unknown;
}
export interface ReadFileOptions {
    /** Default 1 MB; at most 16. */
    maxBytes?: number;
    /** Default `utf-8`. */
    encoding?: "utf-8" | "base64";
}
export interface RedactedThinkingBlock {
    type: "redacted_thinking";
    data: string;
}
export interface Reminder {
    kind: "reminder";
    name: string;
    text: string;
    /** The background task whose end the reminder reports. */
    task?: EndedTask;
    /** A message from another agent, or news about one. */
    mail?: MailFacts;
    /** The new permission mode, if it changes. */
    permissionMode?: PermissionMode;
}
/** The first point where today's loop differs from the recording. */
export interface ReplayDifference {
    /** Number of the pass in the run, from 1; each pass is one request and what follows from it. */
    pass: number;
    /** `decision`: another Continue or Terminal. `record`: the same decision but other messages. `request`: another request to the model. */
    kind: "decision" | "record" | "request" | "stuck";
    recorded: string;
    replayed: string;
}
export interface ReplayOptions extends Pick<EngineOptions, "cwd" | "env" | "home"> {
    onFile?: (file: Pick<ReplayedSession, "path" | "sessionId" | "agentId">) => void;
    onTurn?: (turn: ReplayedTurn) => void;
}
/** Counts user turns, including those of agents. */
export interface ReplayReport {
    same: number;
    differs: number;
    skipped: number;
    sessions: ReplayedSession[];
}
export interface ReplayedSession {
    sessionId: string;
    /** Absolute path of the transcript. */
    path: string;
    agentId?: string;
    turns: ReplayedTurn[];
    /** Its agents, each with its own transcript. */
    agents: ReplayedSession[];
    /** Why nothing in it could be replayed. */
    problem?: string;
}
/** One user turn of a recorded session. */
export interface ReplayedTurn {
    /** Counted from 1, in the order of the transcript. */
    turn: number;
    /** The decisions in order, up to the first difference: the reasons of Continues, and last that of the Terminal. */
    decisions: string[];
    /** `skipped`: it could not be replayed, or a difference would mean nothing; `remark` says why. */
    outcome: "same" | "differs" | "skipped";
    difference?: ReplayDifference;
    /** For people: why it could not be replayed, how far it was, or which notices today's version adds. */
    remark?: string;
}
/**
 * A request field, or a value of one, to leave out because the server does not know it. Without `thinking.adaptive`, a request asks for
 * thinking within a budget; without `thinking.enabled`, for adaptive thinking. `tool_use` means extra fields that another server gave to
 * calls in the messages. Without `tool_use.id`, ids are rewritten to a form that every server accepts.
 */
export type RequestField = "cache_control" | "cache_control.ttl" | "thinking" | "thinking.adaptive" | "thinking.enabled" | "thinking.display" | "output_config" | "output_config.effort" | "output_config.task_budget" | "tool_use" | "tool_use.id";
export interface ResolveSettingsOptions {
    /** Default: the process's folder. */
    cwd?: string;
    /** The scopes whose files are read in addition to an administrator's. Default: all. */
    settingSources?: readonly ("user" | "project" | "local")[];
    /** Restrictions that apply like an administrator's, if there are none on this machine. */
    managedSettings?: object;
    /** True: the folder's own settings count as trusted. Default: only if the user trusts them. */
    trust?: boolean;
    /** Replaces the process's environment: `PAWL_HOME`, `CLAUDE_CONFIG_DIR`, `HOME`. */
    env?: Record<string, string | undefined>;
    home?: string;
}
export interface ResolvedSetting {
    /** As in `effective`. */
    value: unknown;
    /** The source with the highest precedence that sets it. */
    source: ResolvedSettingSource;
    /** Absolute; absent if the source is not a file. */
    path?: string;
}
/** `managed`: an administrator's, or the host's in its place. */
export type ResolvedSettingSource = "user" | "project" | "local" | "managed" | "flag";
export interface ResolvedSettings {
    /** The values in force, in the shape of a settings file, for the keys that this version acts on. */
    effective: Record<string, unknown>;
    /** By the keys of `effective`. */
    provenance: Record<string, ResolvedSetting>;
    /** The sources' contents as written, lowest precedence first. */
    sources: {
        source: ResolvedSettingSource;
        settings: Record<string, unknown>;
        path?: string;
    }[];
    /** Parts of them that cannot be read, and values that were left out. */
    errors: SDKSettingsError[];
}
/** The end of one response, with its real usage, on which every later token measurement is based. Never sent. */
export interface ResponseEndMessage extends MessageBase {
    type: "response_end";
    messageId: string;
    model: string;
    stopReason: string | null;
    usage: Usage;
    costUsd: number;
    requestId?: string;
    /** A digest of the request's system prompt and tools: thinking may be bound to them. */
    prefixDigest?: string;
}
/** The sum over a turn's responses; tier, speed and geography are those of the last one. */
export interface ResultUsage extends Required<WireUsage> {
    output_tokens_details: {
        thinking_tokens: number;
    };
    /** Always empty. */
    iterations: [];
    speed: "standard" | "fast";
}
/** Replaces results of old calls by a one-line marker each; the calls and their ids stay. Never sent; the markers are. */
export interface ResultsClearedMessage extends MessageBase {
    type: "results_cleared";
    /** `money`: it was cheaper. `cache_expired`: none of it was cached any more. `room`: the window was nearly full. */
    why: "money" | "cache_expired" | "room";
    /** Oldest first. */
    cleared: {
        toolUseId: string;
        marker: string;
    }[];
    /** Estimated. */
    savedTokens: number;
    counted: CountedTokens | null;
    /** The number of requests assumed by the figures below, including the next one. */
    expectedRequests: number;
    /** USD of input saved over those requests, less the cost of rewriting the cache and of leaving out thinking; null without prices. */
    netUsd: number | null;
}
export interface RewindFilesOptions {
    /** Reports what would be done without doing it. */
    dryRun?: boolean;
}
export interface RewindFilesResult {
    /** False: nothing was checked, and `error` says why. */
    canRewind: boolean;
    /** One or more sentences for people. With `canRewind`: what could not be restored. */
    error?: string;
    /** Absolute. The files that were restored; with `dryRun`, those that would be. */
    filesChanged?: string[];
    /** Folders that are created, removed or get their mode back. */
    foldersChanged?: string[];
    /** Lines that come back. Binary files do not count. */
    insertions?: number;
    /** Lines that are removed. */
    deletions?: number;
    /** How many of `skipped` are links or not regular files. */
    skippedLinks?: number;
    /** Files left as they are. */
    skipped?: {
        path: string;
        reason: string;
    }[];
    /** Left as they are, because only somebody else has changed them. */
    foreign?: string[];
    /** Restored although somebody else has changed them since; their content then is in `asideFolder`. */
    contested?: string[];
    /** Absolute. */
    asideFolder?: string;
}
/** What a run of the loop was given that no message records. `limits` has only those that differ from the defaults; null means no limit. */
export interface RunBegin {
    at: "begin";
    model: string;
    agentId: string | null;
    limits: Record<string, number | null>;
    fallbackModels: readonly string[];
    thinking: ThinkingSetting;
    maxOutputTokens?: number;
}
/** Events of a run that no message records in full; a replay could not know them otherwise. */
export type RunNote = RunBegin
/** An attempt at a response failed; what follows from it is in the messages. */
 | {
    at: "failure";
    failure: ModelFailure;
}
/** The failed request is retried; `maxRetries` is the limit. */
 | {
    at: "retry";
    maxRetries: number;
}
/** The user has chosen another model, which the requests from here on go to. */
 | {
    at: "model";
    model: string;
    thinking: ThinkingSetting;
}
/** A fallback model has taken over, and is asked to think like this from here on. */
 | {
    at: "fallback";
    model: string;
    thinking: ThinkingSetting;
}
/** An answer was cut at `maxTokens`. `isLowered`: the budget covered no more. */
 | {
    at: "cut";
    maxTokens: number;
    modelMaxTokens: number;
    isLowered: boolean;
}
/** `terminal`: null if the consumer left the run. */
 | {
    at: "end";
    terminal: Terminal | null;
    cause: CancelCause | null;
};
export interface SDKAccountInfo {
    /** Where the credentials come from; absent if there are none. */
    apiKeySource?: "ANTHROPIC_API_KEY" | "ANTHROPIC_AUTH_TOKEN" | "apiKeyHelper";
    apiProvider: "firstParty";
}
/** The goal set with `/goal`: a turn ends only after a model has judged that the goal is met. */
export interface SDKActiveGoal {
    condition: string;
    /** How often the goal was judged. */
    iterations: number;
    /** ISO 8601. */
    set_at: string;
    /** The tokens the session had used when the goal was set. */
    tokens_at_start: number;
    /** Why the goal was not met at the last judgement. */
    last_reason?: string;
}
export interface SDKAgentInfo {
    name: string;
    description: string;
    model?: string;
}
/** Lets a host tell this result from that of a prompt it has given up. */
export interface SDKAnswering {
    /**
     * Ids of the user messages being answered: the one that began the turn, and those that joined it. A result also names messages that a
     * hook kept from joining. A message sent without an id has the id of its replay. Absent if there are no ids.
     */
    user_message_uuids?: string[];
    /** The last of `user_message_uuids`. */
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
    /** What a `MessageDisplay` hook shows people in place of the text of `message`. */
    display_content?: string;
}
export type SDKAssistantMessageError = "authentication_failed" | "billing_error" | "rate_limit" | "overloaded" | "invalid_request" | "model_not_found" | "server_error" | "max_output_tokens" | "unknown";
/** A background task. */
export interface SDKBackgroundTask {
    task_id: string;
    tool_use_id?: string;
    task_type: "shell" | "subagent" | "teammate";
    /** If the task is a teammate. */
    name?: string;
    /** `paused`: an idle teammate. */
    status: "running" | "paused" | "completed" | "failed" | "killed";
    description: string;
    /** If the task is a command. */
    exit_code: number | null;
}
interface SDKBase {
    uuid: string;
    session_id: string;
}
/** From here on, a summary replaces a span of finished work. */
export interface SDKCollapseCommit extends OfHistory {
    subtype: "collapse_commit";
    collapse_metadata: {
        message_uuids: string[];
        pre_tokens: number;
        post_tokens: number;
    };
}
/** Messages about a session's built-in commands: those that begin with a slash and are answered without the model. */
interface SDKCommandBase {
    uuid: string;
    session_id: string;
}
export interface SDKCompactBoundary extends SDKBase {
    type: "system";
    subtype: "compact_boundary";
    /** `left_out`: nothing was summarised; images or documents were left out instead. */
    compact_metadata: {
        trigger: "manual" | "auto";
        pre_tokens: number;
        post_tokens?: number;
        left_out?: "media";
    };
}
/** The conversation was cleared: what follows has a new id. */
export interface SDKConversationReset extends SDKCommandBase {
    type: "conversation_reset";
    new_conversation_id: string;
    trigger: "clear";
}
export interface SDKFailure {
    code: SDKFailureCode;
    /** The same prompt, sent again unchanged, may succeed later. */
    retryable: boolean;
    /** The provider's request id, if a request failed. */
    request_id?: string;
    /** The HTTP status. */
    status?: number;
}
export type SDKFailureCode = FailureKind | "interrupted" | "max_turns" | "max_budget_usd" | "structured_output";
export interface SDKFileContents {
    contents: string;
    absPath: string;
    truncated?: true;
    encoding?: "base64";
    /** Bytes that were not valid UTF-8 were replaced, so `contents` is not the file's exact text. Absent with base64. */
    lossy?: boolean;
}
export type SDKHookMessage = SDKHookStarted | SDKHookProgress | SDKHookResponse;
/** Sent every second while a hook runs, if it has printed more since the last such message. */
export interface SDKHookProgress extends OfHook {
    subtype: "hook_progress";
    stdout: string;
    stderr: string;
    output: string;
    /** The session does not wait for the hook, or stopped waiting because the hook asked for that. */
    async?: true;
}
export interface SDKHookResponse extends OfHook {
    subtype: "hook_response";
    stdout: string;
    stderr: string;
    /** `stdout` and `stderr` together. */
    output: string;
    exit_code?: number;
    /** `cancelled`: the hook ran out of time, or was not waited for. */
    outcome: "success" | "error" | "cancelled";
    duration_ms: number;
}
export interface SDKHookStarted extends OfHook {
    subtype: "hook_started";
    /** The hook's command line, URL or question. */
    command: string;
    status_message?: string;
    /** The session does not wait for the hook. */
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
        /** The hook does not run; `disabledReason` says why. */
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
    /** A hook ended the turn. */
    prevent_continuation?: true;
    /** The agent in which this was said, if any. */
    agent_id?: string;
    /** The content as data: `{event, hooks}` for `stop_hook_summary`; `{uuid}` for `prompt_blocked` if the prompt was to join a turn. */
    data?: Record<string, unknown>;
}
/** Describes a session at its beginning. */
export interface SDKInitialization {
    commands: SlashCommand[];
    agents: SDKAgentInfo[];
    output_style: string;
    available_output_styles: string[];
    models: SDKModelInfo[];
    account: SDKAccountInfo;
}
/** The result of an interrupt. */
export interface SDKInterruptReceipt {
    /** The uuids of messages that wait for turns of their own. */
    still_queued: string[];
    /** Messages that were dropped because the interrupt asked for it. */
    cancelled?: string[];
}
/** The output of a built-in command; no model was involved. */
export interface SDKLocalCommandOutput extends SDKCommandBase {
    type: "system";
    subtype: "local_command_output";
    content: string;
    /** The command's name, without the slash. */
    command: string;
    /** The output as data, if there is more than text: `ContextUsage` for `context`. */
    data?: unknown;
}
/** What a server's tool returned. Untrusted content. */
export interface SDKMcpCallResult {
    content: {
        type: string;
        [field: string]: unknown;
    }[];
    isError?: true;
    structuredContent?: unknown;
}
/** An MCP server's resource, exactly as it came. Untrusted content. */
export interface SDKMcpResource {
    contents: {
        uri: string;
        mimeType?: string;
        text?: string;
        blob?: string;
        _meta?: Record<string, unknown>;
    }[];
}
/** The result of setting the servers that the host provides. */
export interface SDKMcpServersSet {
    /** Servers that were started. */
    added: string[];
    /** Servers that were stopped. */
    removed: string[];
    /** Servers that cannot be used: by name, one sentence each. */
    errors: Record<string, string>;
}
export type SDKMessage = SDKSystemMessage | SDKAssistantMessage | SDKUserMessage | SDKPartialAssistantMessage | SDKResultMessage | SDKToolProgress | SDKToolUseSummary | SDKPromptSuggestion | SDKConversationReset;
/** Who sent the message that began a turn: a person (as the host states), a background task, or the session, continuing after a break. */
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
    /** The model id that is sent to the API. */
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
    /** The agent that made the call, if any. */
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
/** What is available after plugins were reloaded. */
export interface SDKPluginsReloaded {
    commands: SlashCommand[];
    agents: SDKAgentInfo[];
    plugins: {
        name: string;
        path: string;
        version?: string;
    }[];
    mcpServers: McpServerStatus[];
    /** How many problems were found while reading them. */
    error_count: number;
}
/** What the user might say next. Follows the `result`, with `promptSuggestions`. */
export interface SDKPromptSuggestion extends SDKBase {
    type: "prompt_suggestion";
    suggestion: string;
}
interface SDKResultBase extends SDKBase, SDKAnswering {
    type: "result";
    is_error: boolean;
    duration_ms: number;
    duration_api_ms: number;
    /** 1, plus 1 for each follow-up after tool calls: what `maxTurns` limits. */
    num_turns: number;
    /** The number of user messages yielded in this user turn. Counted separately, and not limited. */
    num_user_messages?: number;
    stop_reason: string | null;
    terminal_reason: SDKTerminalReason;
    total_cost_usd: number;
    usage: ResultUsage;
    modelUsage: Record<string, ModelUsage>;
    permission_denials: SDKPermissionDenial[];
    api_error_status?: number | null;
    /** The call that a `PreToolUse` hook deferred (`terminal_reason` `tool_deferred`): not run yet; the session's next prompt takes it up. */
    deferred_tool_use?: {
        id: string;
        name: string;
        input: Record<string, unknown>;
    };
    /** The origin of the message this result answers; absent if its sender did not state one. */
    origin?: SDKMessageOrigin;
    /** The built-in command that answered in place of the model, without the slash. */
    local_command?: string;
    /** The text after the command's name, and the command's findings as data. */
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
    /** What a `MessageDisplay` hook shows people in place of `result`. */
    display_content?: string;
    structured_output?: unknown;
}
/** In what the model is sent, the results of old calls were each replaced by one line. */
export interface SDKResultsCleared extends OfHistory {
    subtype: "results_cleared";
    reason: ResultsClearedMessage["why"];
    tool_use_ids: string[];
    saved_tokens: number;
    /** Expected savings over the requests to come; null if the model has no prices. */
    saved_usd: number | null;
}
/** Sessions, as the library's functions return them. */
export interface SDKSessionInfo {
    sessionId: string;
    /** The text to show in a list: the title, or else the beginning of the first prompt. */
    summary: string;
    /** When the last message was recorded, ms since the epoch; the time of the file if that is unknown. */
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
    /** The dotted key; empty if the error concerns the whole file. */
    path: string;
    message: string;
}
/** The settings as their files are now. A running session keeps the settings it began with. */
export interface SDKSettingsReport {
    /** The merged settings in effect, in the shape of a settings file. */
    effective: Record<string, unknown>;
    /** Lowest precedence first. */
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
/** `userSettings` and the like: a kind of settings file. `cliArg`: a command-line flag or a library option. */
export type SDKSource = "userSettings" | "projectSettings" | "localSettings" | "policySettings" | "flagSettings" | "cliArg" | "session";
export interface SDKStatus extends SDKBase {
    type: "system";
    subtype: "status";
    status: "compacting" | "requesting" | null;
    permissionMode?: PermissionMode;
    /** How a manual compaction ended; with `status: null`. */
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
/** A failed request of an agent that is being retried. */
export interface SDKSubagentRetry {
    agent_id: string;
    attempt: number;
    max_retries: number;
    retry_delay_ms: number;
    /** Null if there was no response. */
    error_status: number | null;
    /** As `error` in `api_retry`. */
    error_category: string;
}
export interface SDKSystemInit extends SDKBase {
    type: "system";
    subtype: "init";
    /** Where the API key comes from; `none` if there is none, for example because a bearer token takes its place. */
    apiKeySource: "ANTHROPIC_API_KEY" | "apiKeyHelper" | "none";
    cwd: string;
    tools: string[];
    mcp_servers: {
        name: string;
        status: string;
        source?: string;
    }[];
    model: string;
    permissionMode: PermissionMode;
    /** The effort requested; absent for models without effort levels. */
    effort?: Effort;
    /** The requested values of the `anthropic-beta` header; absent if none were requested. */
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
    /** Requested plugins that are missing or incomplete, by folder, file or `plugin@marketplace`. Absent if there are none. */
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
/** A background command or an agent has ended. */
export interface SDKTaskNotification {
    type: "system";
    subtype: "task_notification";
    uuid: string;
    session_id: string;
    task_id: string;
    /** The call that started the task. */
    tool_use_id?: string;
    status: "completed" | "failed" | "stopped";
    /** If the task was a command. */
    exit_code: number | null;
    /** Absolute; empty if no output was kept. */
    output_file: string;
    summary: string;
    /** If the task was an agent. */
    usage?: SDKTaskUsage;
}
export interface SDKTaskOutput {
    /** The last part of the output. */
    output: string;
    total_bytes: number;
    truncated: boolean;
}
/** Sent after each response of the agent that called tools. */
export interface SDKTaskProgress extends OfTask {
    subtype: "task_progress";
    usage: SDKTaskUsage;
    last_tool_name?: string;
}
export interface SDKTaskStarted extends OfTask {
    subtype: "task_started";
    /** A `local_agent` ends, which a `task_notification` reports; a teammate stays. Clients wait for the former and not for the latter. */
    task_type: "local_agent" | "in_process_teammate";
    is_backgrounded: boolean;
    /** 1: started by the session itself. */
    spawn_depth: number;
    /** The agent that started this one. */
    parent_task_id?: string;
    prompt: string;
}
/** A teammate became idle, or works again. */
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
/** Every way a run ends, under the names of the wire format. */
export type SDKTerminalReason = Exclude<TerminalReason, "max_budget_usd"> | "budget_exhausted" | "tool_deferred" | "tool_deferred_unavailable" | "structured_output_retry_exhausted";
/** Messages that were replaced: a client that has shown them should take them back. */
export interface SDKTombstone extends SDKBase {
    type: "system";
    subtype: "tombstone";
    retracted_message_uuids: string[];
    reason: string;
}
/** What a running command has printed since the last such message, or that the agent of a call is waiting. */
export interface SDKToolProgress {
    type: "tool_progress";
    uuid: string;
    session_id: string;
    tool_use_id: string;
    tool_name: string;
    parent_tool_use_id: string | null;
    elapsed_time_seconds: number;
    text?: string;
    /** If the call started an agent. */
    subagent_type?: string;
    /** Set while the agent waits to retry its model request. */
    subagent_retry?: SDKSubagentRetry;
}
export interface SDKToolUseSummary extends SDKBase {
    type: "tool_use_summary";
    summary: string;
    preceding_tool_use_ids: string[];
}
/** Why the loop continues: one per Continue. A subtype of pawl's own, for traces. */
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
    /** On input: false adds the message to the conversation without starting a turn. */
    shouldQuery?: boolean;
    /** On input, while a turn runs: `next` joins it at its next step, `now` ends it and comes next. */
    priority?: "now" | "next" | "later";
    /** On input: passes the text to the model as it is. Commands are not run, and mentioned files are not read. */
    client_composed?: boolean;
    /** On input: what the user pasted, which `message` does not contain. Its texts follow those of `message`. */
    pasted_content?: (string | WireBlock[])[];
    /** On input: states that a person wrote the message. Repeated on the result. */
    origin?: SDKMessageOrigin;
    tool_use_result?: unknown;
}
/** Marks, among the blocks of a system prompt, the end of the part shared with other sessions. */
export declare const SYSTEM_PROMPT_DYNAMIC_BOUNDARY = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";
/** A value for the option `mcpServers`. */
export interface SdkMcpServer {
    type: "sdk";
    name: string;
    instance: McpServerInstance;
    timeout?: number;
    alwaysLoad?: boolean;
}
export interface SdkMcpServerOptions {
    name: string;
    /** Default `1.0.0`. */
    version?: string;
    /** Tells the model how to use the tools together. */
    instructions?: string;
    tools?: Tool[];
    /** The time limit of a call, in ms; values below 1,000 are ignored. */
    timeout?: number;
    /** Offers the server's tools from the start, however many there are. */
    alwaysLoad?: boolean;
}
/** The work beside the turns of a session, for the code that drives the session. */
export interface SessionBackground {
    /** Waits for background work, such as notes for later sessions; ends what lasts longer than `limitMs`. */
    settle(limitMs: number): Promise<void>;
    /** The next prompt is there, so a suggestion still in progress is useless. */
    dropSuggestion(): void;
}
export interface SessionCost {
    totalUsd: number;
    modelUsage: Record<string, ModelUsage>;
    /** ms since the session was opened in this process. */
    durationMs: number;
    /** ms of all model calls together, including agents', since then. */
    apiDurationMs: number;
    /** Lines in files changed by Edit, Write and NotebookEdit, including by agents, since then. */
    linesAdded: number;
    linesRemoved: number;
}
export interface SessionDesk {
    models(): SDKModelInfo[];
    agents(): SDKAgentInfo[];
    /** Rescans the folders of skills and commands; new, changed and removed ones take effect. Returns all. */
    reloadSkills(): Promise<SlashCommand[]>;
    /**
     * Rescans plugins: their skills, commands and agent types take effect as they are now; their hooks, servers and styles stay
     * those of the session's start.
     */
    reloadPlugins(): Promise<SDKPluginsReloaded>;
    /** Names of the styles available now. The session keeps the one it began with. */
    reloadOutputStyles(): Promise<string[]>;
    /**
     * Registers a folder inside the working folders as a repository of its own: its instructions are told at the next border.
     * Throws `UsageError` if it is not such a folder, or was registered before.
     */
    registerRepoRoot(directory: string, reload: {
        instructions: boolean;
    }): Promise<void>;
    /**
     * Adds a working folder from now on, as `addDirs` would: absolute, relative to the current folder, or from `~`. Returns the
     * absolute path. Throws `UsageError` if it is not a folder, or is already inside a working folder.
     */
    addDirectory(directory: string): Promise<string>;
    /** Calls a server's tool under the session's rules and hooks; the model does not learn of it. Throws `SessionError`. */
    callMcpTool(tool: string, input: ToolInput, signal?: AbortSignal): Promise<SDKMcpCallResult>;
    /** Reads a page that a server provides, `ui://…`. Throws `SessionError`. */
    readMcpResource(server: string, uri: string): Promise<SDKMcpResource>;
    /**
     * Runs the person's own command as Bash would, in its folder, without asking and outside a sandbox. The model does not
     * learn of it. Throws `SessionError` if the session has no Bash. `onOutput` gets the end of what was printed since its last
     * call, about once a second.
     */
    runCommand(command: string, signal: AbortSignal, onOutput?: (text: string) => void): Promise<OwnCommandResult>;
    /** The colours that the settings want on a terminal; undefined if they do not say. */
    readonly theme: Theme | undefined;
    /** The settings of the status line at a terminal's prompt; undefined if there is no status line, or it is disabled. */
    readonly statusLine: StatusLineSettings | undefined;
    /**
     * Runs the status line's command as a hook would be run, with the session described on standard input. Returns what it
     * printed; empty if it failed or took longer than 5 s. Rejects once `signal` is aborted.
     */
    statusLineText(place: StatusLinePlace, signal: AbortSignal): Promise<string>;
    plugins(): {
        name: string;
        path: string;
        version?: string;
    }[];
    /** The name of the output style in use. */
    readonly outputStyle: string;
    account(): SDKAccountInfo;
    /** Every configured MCP server with its status. */
    mcpServers(): McpServerStatus[];
    /** Ends a server's connection, if any, and makes a new one. Throws if there is no such server. */
    reconnectMcpServer(name: string): Promise<McpServerStatus>;
    /** Disabling a server ends its connection, and its tools then answer with an error. Throws if there is no such server. */
    toggleMcpServer(name: string, isEnabled: boolean): Promise<McpServerStatus>;
    /**
     * Replaces the servers of this process and those this method named before: starts new ones and waits for them, and ends
     * those left out. Servers from files, flags and other options stay until they are named here; an administrator's servers
     * always stay. Tools are offered from the next turn border on.
     */
    setMcpServers(servers: Record<string, McpServerConfig>): Promise<SDKMcpServersSet>;
    /**
     * Why the tool of `permissionPromptToolName` cannot answer questions, in one clause; undefined if it is there, or may come because
     * its server is not connected yet. Waits for the servers as the first turn would, which then does not wait again. A server that
     * `setMcpServers` adds later is not considered.
     */
    promptToolProblem(signal?: AbortSignal): Promise<string | undefined>;
    /** The id of the model that the session began with. */
    readonly firstModel: string;
    /**
     * Switches the model from the next request on, also during a turn; without a name, back to the one that the session began
     * with. As for a client: `PreModelSwitch` hooks may refuse, which throws a `SessionError`, and `PostModelSwitch` hooks are
     * told. Throws `UsageError` for an unknown model.
     */
    switchModel(name?: string, signal?: AbortSignal): Promise<void>;
    /** How the tokens of the conversation are distributed in the next request. */
    contextUsage(): ContextUsage;
    /**
     * Takes effect with the next user turn. 0 turns thinking off; null restores the setting from the session's start; undefined
     * leaves it. `display`: absent leaves it, null restores the initial one. Throws `UsageError`.
     */
    setMaxThinkingTokens(tokens: number | null | undefined, display?: ThinkingDisplay | null): void;
    settings(): Promise<SDKSettingsReport>;
    /**
     * Applies settings on top of the `settings` option, key by key; null removes a key. Restrictions apply from the next tool
     * call; `model` from the next request; `effortLevel`, `permissions`, `env` and `hooks` from the next prompt. Other keys and
     * invalid values throw `UsageError`, and nothing is changed.
     */
    applyFlagSettings(settings: object): Promise<void>;
    /** Writes keys that neither run nor permit anything to a person's own file; null removes a key. Throws `UsageError`. */
    updateSettings(scope: "user" | "local", settings: object): Promise<void>;
    permissionRules(): Promise<SDKPermissionRules>;
    /** Undefined if nobody has set one. */
    readonly title: string | undefined;
    /** Sets the title for listing and resuming the session. Throws `not_recorded` if the transcript could not be written. */
    setTitle(title: string): void;
    /** Hooks from settings; the host knows its own. */
    hooks(): Promise<SDKHooksListing>;
    tasks(): SDKBackgroundTask[];
    /** The goal the user has set (`/goal`); null if there is none. */
    goal(): SDKActiveGoal | null;
    /** Calls the listener when a background command ends, even between turns; the next turn reports it too. Returns a stop function. */
    onTaskEnd(listener: (message: SDKTaskNotification) => void): () => void;
    /** Undefined if there is no such task. */
    stopTask(id: string): Promise<SDKBackgroundTask | undefined>;
    /** Lets calls continue without waiting for their commands: one call, or all. False if that call has none. */
    backgroundTasks(toolUseId?: string): Promise<boolean>;
    taskOutput(id: string): Promise<SDKTaskOutput | undefined>;
    /** Reads a file within what the Read tool may see without asking. Throws `SessionError` if it may not or cannot be read. */
    readFile(path: string, options?: ReadFileOptions): Promise<SDKFileContents>;
    /** Paths below the folder that contain these characters in this order; the best first, at most 50. */
    suggestFiles(query: string): Promise<string[]>;
    /**
     * Completes a path that somebody has begun to type, relative, from `~` or absolute: entries of its folder that begin with
     * the last part, folders with a trailing slash; if there are none, files below, as `suggestFiles` finds them, but all. Leaves out files
     * that .gitignore names or that may not be read. If settings have a `fileSuggestion`, the first 15 that its command names
     * instead, if any. Rejects once `signal` is aborted.
     */
    completePath(begun: string, signal?: AbortSignal): Promise<string[]>;
    /** The host vouches that the conversation knows this file as of `mtimeMs` (ms since the epoch): it may be edited if unchanged since. */
    seedReadState(path: string, mtimeMs: number): Promise<void>;
}
export type SessionEndHookInput = Of<"SessionEnd", "reason">;
export declare class SessionError extends PawlError {
    readonly name = "SessionError";
    readonly code: SessionErrorCode;
    readonly retryable: boolean;
    constructor(code: SessionErrorCode, message: string, options?: PawlErrorOptions);
}
export type SessionErrorCode = keyof typeof retryable;
/** Identifies one transcript. */
export interface SessionKey {
    /** Derived from the path of the working directory. */
    projectKey: string;
    sessionId: string;
    /** For an agent's transcript: `subagents/agent-<id>`. Absent: the session's own. */
    subpath?: string;
}
/** One message as it was recorded. Each block of an answer is a message of its own; blocks of one answer share `message.id`. */
export interface SessionMessage {
    type: "user" | "assistant" | "system";
    /** The id that `upToMessageId` and `resumeSessionAt` take. */
    uuid: string;
    session_id: string;
    /** As in the Messages API; for `system`, an object with a `subtype`. */
    message: unknown;
    parent_tool_use_id: string | null;
    parent_agent_id: string | null;
    /** ISO 8601. */
    timestamp: string;
}
export interface SessionMessagesOptions extends SessionPlace {
    limit?: number | undefined;
    offset?: number | undefined;
    /** Includes boundaries, notices and ends of answers, as `system`. Default false. */
    includeSystemMessages?: boolean | undefined;
    /** Includes messages that a summary replaces. Default false: only the conversation since the last summary. */
    includeCompacted?: boolean | undefined;
}
/** Where sessions are looked for. */
export interface SessionPlace {
    /** Only sessions of this folder and of its repository's other work trees; absent: of every folder. */
    dir?: string | undefined;
    /** Replaces the process's environment: `PAWL_HOME`, `HOME`. */
    env?: Record<string, string | undefined> | undefined;
    home?: string | undefined;
}
export type SessionStartHookInput = Of<"SessionStart", "source">;
export interface SessionStore {
    /** Called in the order of writing. A rejected call is retried twice; a call that takes longer than 60 s is not. */
    append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
    /** Returns all entries as they were appended; null if there are none. */
    load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
    /** Used for `continue`; `mtime` is in ms. */
    listSessions?(projectKey: string): Promise<{
        sessionId: string;
        mtime: number;
    }[]>;
    /** Returns the agents of a session. Absent: they are not resumed. */
    listSubkeys?(key: {
        projectKey: string;
        sessionId: string;
    }): Promise<string[]>;
}
/** One line of a transcript. Most entries have a `uuid`, by which a repeated entry is recognized. */
export interface SessionStoreEntry {
    type: string;
    uuid?: string;
    timestamp?: string;
    [field: string]: unknown;
}
/** What is known of a call's bill once the call is over. */
export type Settlement = {
    usage: Usage;
    /** False: the usage is the part seen before the answer was cut. */
    final: boolean;
    /** The answer is complete, but the server never said how long it was. */
    outputUntold?: true;
} | {
    notBilled: true;
} | {
    unknown: true;
};
export type SetupHookInput = Of<"Setup", "trigger">;
/** The input that a handler receives. */
export type ShapeOutput<Shape extends StandardShape> = {
    [Field in keyof Shape]: NonNullable<Shape[Field]["~standard"]["types"]>["output"];
};
type Shaped = "debug" | "env" | "hooks" | "settings" | "systemPrompt" | "tools";
export type ShrinkResult = {
    kind: "shrunk";
    messages: readonly Message[];
    records: Message[];
    beforeTokens: number;
    afterTokens: number;
    committed: number;
    /** As in `AutoCompactTracking`, but only what this step lost. */
    taskTokensLost?: number;
}
/** There was nothing to do, or what was done did not shrink the request enough. */
 | {
    kind: "no_progress";
    why: string;
};
/** `usage`: tokens of its calls. `why`: a clause for people. */
export type SideAnswer = {
    answered: true;
    text: string;
    usage: Usage;
} | {
    answered: false;
    why: string;
    usage: Usage;
};
/** A command that can be given as a prompt. */
export interface SlashCommand {
    /** Without the slash. */
    name: string;
    description: string;
    /** What may follow the name; empty if nothing. */
    argumentHint: string;
    aliases?: string[];
    builtin: boolean;
}
/** `waiting`: a turn is running, and the snip is judged again and applied at the next border. */
export type SnipAnswer = {
    state: "applied";
    boundary: SnipBoundaryMessage;
} | {
    state: "waiting";
};
/** Who asked for the snip: the program that holds the session, its user, or the model through a tool of that program. */
export type SnipAuthor = "host" | "user" | "model";
/** A span of history was taken out, from its first message to its last. A resume takes it out again. Never sent. */
export interface SnipBoundaryMessage extends MessageBase {
    type: "snip_boundary";
    fromUuid: string;
    toUuid: string;
    by: SnipAuthor;
    reason?: string;
    /** Estimated. */
    savedTokens: number;
    /** Null if no response's count includes the span. */
    counted: CountedTokens | null;
}
/** Nothing was removed; `message` says why and what would work. */
export declare class SnipError extends PawlError {
    readonly name = "SnipError";
    readonly code: SnipErrorCode;
    readonly retryable: boolean;
    constructor(code: SnipErrorCode, message: string);
}
export type SnipErrorCode = Extract<Snipped, {
    ok: false;
}>["code"]
/** No `snipReplay` was given. */
 | "no_callback"
/** Disabled by settings or environment. */
 | "switched_off"
/** The transcript could not be written. */
 | "not_recorded";
/**
 * Takes a snip's span out of a conversation. Takes and returns the whole conversation; undefined means the snip was not executed and
 * nothing changed. Pure: the same span is taken out again whenever the session is resumed. The other messages stay the same objects in the
 * same order.
 */
export type SnipReplay = (boundary: SnipBoundaryMessage, messages: readonly Message[]) => readonly Message[] | undefined;
export interface SnipRequest {
    /** First and last message of the span. */
    fromUuid: string;
    toUuid: string;
    /** Kept in the record. */
    reason?: string;
    /** Default `host`: the program that holds the session. */
    by?: SnipAuthor;
}
type Snipped = {
    ok: true;
    messages: readonly Message[];
    records: Message[];
    boundary: SnipBoundaryMessage;
} | {
    ok: false;
    code: SpanRefusal | "not_executed";
    message: string;
};
type SpanRefusal = "unknown_message" | "reversed" | "holds_head" | "not_whole" | "holds_end";
/** What schemas of zod (4.2 and later), valibot and others offer as `~standard`: interfaces Standard Schema and Standard JSON Schema. */
export interface StandardSchema<T = unknown> {
    readonly "~standard": {
        readonly validate: (value: unknown) => Verdict<T> | Promise<Verdict<T>>;
        readonly types?: {
            readonly output: T;
        } | undefined;
    };
}
/** One schema per field. */
export type StandardShape = Readonly<Record<string, StandardSchema>>;
/** The terminal that a status line is for. */
interface StatusLinePlace {
    columns: number;
    rows: number;
    /** The name of the worktree that the session works in. */
    worktree?: string | undefined;
    /** The mode of the prompt's key bindings, if they are Vim's. */
    vimMode?: "INSERT" | "NORMAL" | "VISUAL" | "VISUAL LINE" | undefined;
}
/** A command whose output is shown below the prompt. */
interface StatusLineSettings extends CommandSettings {
    /** Columns of indentation before each line. */
    padding?: number;
    /** Seconds between repeated runs, whatever else happens. */
    refreshInterval?: number;
    /** Accepted but without effect: there is no such indicator. */
    hideVimModeIndicator?: boolean;
}
export type StopFailureHookInput = Of<"StopFailure", "error">;
export type StopHookInput = Of<"Stop", "stop_hook_active">;
export interface StreamEvent {
    type: "stream_event";
    event: RawStreamEvent;
}
export interface StreamRequestStart {
    type: "stream_request_start";
    turnCount: number;
    model: string;
}
/** A session that works for another session. */
export interface SubagentIdentity {
    agentId: string;
    /** The name of the agent's type: what SubagentStop matchers are compared with. */
    agentType: string;
    /** Absolute; absent: this session's own transcript. */
    transcriptPath?: string;
}
export type SubagentStartHookInput = Of<"SubagentStart", "agent_id" | "agent_type">;
export type SubagentStopHookInput = Of<"SubagentStop", "stop_hook_active" | "agent_id" | "agent_type">;
export interface SubmitOptions {
    /** The message's uuid, which may be a client's own id. */
    uuid?: string | undefined;
    isMeta?: boolean | undefined;
    /** Passed to the model as it is: neither commands nor file names in it are expanded. For text that others wrote. */
    isVerbatim?: boolean | undefined;
    /** Repeated in the result. */
    origin?: SDKMessageOrigin | undefined;
}
export interface SystemBlock {
    text: string;
    /** A cache breakpoint falls after this block. */
    cacheBreakpoint?: true;
}
export type SystemPromptOption = string
/** Blocks; those after a `SYSTEM_PROMPT_DYNAMIC_BOUNDARY` are specific to this session. */
 | string[] | {
    type: "custom";
    prompt: string | string[];
    snapshot?: boolean;
}
/** pawl's own prompt, with `append` added. */
 | {
    type: "preset";
    preset: "claude_code";
    append?: string;
    excludeDynamicSections?: boolean;
    snapshot?: boolean;
};
type Task = "task_id" | "task_subject";
export type TaskCompletedHookInput = Of<"TaskCompleted", Task>;
export type TaskCreatedHookInput = Of<"TaskCreated", Task>;
/** A teammate's task, as in the task list. */
export interface TeamTask {
    id: string;
    subject: string;
    description?: string;
}
export type TeammateIdleHookInput = Of<"TeammateIdle", "teammate_name">;
/** Tells what a session that is a teammate still works on. */
export interface TeammatePort {
    name: string;
    teamName?: string;
    /** Returns this agent's tasks in progress. If it throws, the result is a notice and no tasks. */
    tasksInProgress(): readonly TeamTask[] | Promise<readonly TeamTask[]>;
    /** False: it has more to do, or is being shut down, and TeammateIdle hooks do not run. Absent: true. */
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
type Theme = (typeof themes)[number];
export interface ThinkingBlock {
    type: "thinking";
    thinking: string;
    /** Absent if the block was cut before its signature, or its model signs none. Only models that sign none get such a block back. */
    signature?: string;
}
/** How much of the thinking is shown: a summary, or nothing, which is faster. */
export type ThinkingDisplay = "summarized" | "omitted";
/** `auto`: the adapter uses what the model's catalogue entry says. */
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
/** Marks the history up to here as rewritten: thinking before this record is not sent again. */
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
/** The earlier messages named in `targets` were replaced: drop them. */
export interface TombstoneMessage extends MessageBase {
    type: "tombstone";
    targets: string[];
    reason: "retry" | "fallback" | "escalate" | "refusal" | "deferred";
}
/**
 * A tool. `call` should return failures as `{isError: true}`; what it throws becomes an error result too. It must settle soon after
 * `context.signal` aborts, and leave no process, handle or timer behind.
 */
export interface Tool extends ToolDefinition {
    /** Set on a tool of an MCP server. */
    mcpServer?: McpServerProvenance;
    /** Older names the model or a rule may use. */
    aliases?: readonly string[];
    /** The schema is only for the model: the tool validates its own input. */
    checksOwnInput?: true;
    /**
     * Every call is a question that a person, or the host, must answer. No mode (not even `bypassPermissions`), no rule and no judge allows
     * it; a hook does only if it provides the input to run with. In `plan` mode it may be called if it is read-only.
     */
    requiresUserInteraction?: true;
    /** For such a tool: input fields that only the person or program answering fills in. The model's values for them are ignored. */
    answeredFields?: readonly string[];
    /** For such a tool: whether an input contains an answer; without one, a hook cannot allow the call. Default: always. Must not throw. */
    isAnswered?(input: ToolInput): boolean;
    /** Whether the call may run in parallel with other such calls. Must be pure and must not throw on any validated input. */
    isConcurrencySafe(input: ToolInput): boolean;
    isReadOnly(input: ToolInput): boolean;
    /** What a new message from the user does to a running call: `block` waits for the call, `cancel` ends it. Default `cancel`. */
    interruptBehavior?: "cancel" | "block";
    /** A failed call cancels its running siblings of the same message. Default false. */
    failureCancelsSiblings?: boolean;
    /** What a resume may do with a call whose outcome is unknown. */
    replay: "safe" | "idempotent" | "never";
    /** How many characters of a result the model gets inline; the rest is spilled to a file. Infinity: never spilled. */
    maxResultSizeChars: number;
    /** The call is ended after this long, ms. Default 30 minutes. */
    timeLimitMs?(input: ToolInput): number;
    /** What the permission engine judges. Default: the tool's name alone. */
    permissionSubjects?(input: ToolInput, cwd: string): PermissionSubject[];
    /** One line for people: `Read src/a.ts`. */
    describe?(input: ToolInput): string;
    /** Makes the checks that the schema cannot express. Reads only. May return synchronously if it has nothing to wait for. */
    validateInput?(input: ToolInput, context: ToolContext): InputVerdict | Promise<InputVerdict>;
    /**
     * Called as soon as the model begins to write a call of this tool, so that resources can be prepared while the input is still streaming.
     * The call may never follow, and a call that arrives whole is not announced. Must not throw.
     */
    onAnnounced?(): void;
    /** Derives fields for hooks and clients (absolute paths). The input sent to the API does not change. */
    observableInput?(input: ToolInput, cwd: string): ToolInput;
    /** What the model receives if a hook replaces the tool's `output`. Undefined if the replacement is not of the tool's output shape. */
    contentOf?(output: unknown): ToolResultContent | undefined;
    /**
     * Called if a call is refused before it runs: by a hook, by a permission check, or because its input is invalid. True: the turn ends with
     * it, as with `endsTurn` of a result. Must not throw.
     */
    onRefused?(why: string): boolean;
    call(input: ToolInput, context: ToolContext, onProgress: (progress: ToolProgress) => void): Promise<ToolResult>;
}
/** Tool annotations of agent SDKs: `annotations.readOnlyHint` acts as `readOnlyHint`; the rest has no effect here. */
export interface ToolAnnotationOptions {
    annotations?: {
        readOnlyHint?: boolean | undefined;
        [hint: string]: unknown;
    };
    searchHint?: string;
    alwaysLoad?: boolean;
}
export interface ToolContext {
    sessionId: string;
    /** The position of the call in the run, such as `t12.tool.0`; also the key of its side effects. */
    key: string;
    toolUseId: string;
    /** Aborts when the call must end. `signal.reason` is a `CancelCause`, `"sibling"`, `"timeout"` or `"failed"`. */
    signal: AbortSignal;
    /** Working directory at the start of the call. Absolute. */
    cwd: string;
    /** A PreToolUse hook wants a person asked about the call. The call's input is validated again for that question. */
    hookAsks?: true;
    /** Where the call's paths led when the call was allowed. Absent if nobody resolved them. */
    judged?: readonly JudgedPath[] | undefined;
    /**
     * Registers a function that releases something at the end of the user turn, however the turn ends. Each runs once, in the order of
     * registration, within 5 s; a failure is silent. A later registration under the same name replaces the earlier one. In a subagent they
     * run when its session is closed.
     */
    registerTurnEnd: (name: string, dispose: () => unknown) => void;
}
/** What the model is told about a tool. */
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
    /** Text that arrived since the last progress event, bounded by the tool. */
    text?: string;
    elapsedMs?: number;
    data?: Record<string, unknown>;
    /** A message from a subagent of this call. Shown whole, and in order with the others. */
    message?: SDKMessage;
}
export interface ToolProgressEvent {
    type: "tool_progress";
    progress: ToolProgress;
}
export interface ToolResult {
    /** What the model receives. */
    content: ToolResultContent;
    isError?: boolean | undefined;
    /** The structured output for clients and hooks (`tool_use_result`), plain JSON. */
    output?: unknown;
    /** The work is done with this result: the turn ends, unless a check at the end of the turn says otherwise. */
    endsTurn?: true | undefined;
    /** A hook that the tool itself ran ends the run. */
    stoppedBy?: {
        event: string;
        message: string;
    } | undefined;
    /** Content the call adds to the conversation after its result, at the end of the batch. */
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
/** A copy of what is written to transcripts, line by line, that the host keeps elsewhere. */
export interface TranscriptMirror {
    /**
     * Called after each written line. `path`: the transcript, `<home>/projects/<project>/<id>.jsonl`, or an agent's below it. Must not throw.
     */
    wrote(path: string, line: string): void;
    /** Resolves once every line has been passed on or given up. `isLast`: no more lines will follow. Must not reject. */
    settled(isLast: boolean): Promise<void>;
}
/**
 * Appends one record. Returns only after `write` has returned, so the record survives the death of the process. Idempotent by uuid. Must
 * not throw: a full disk is returned as a value, and what is on disk stays valid. `soFar`: for a block of an answer, the usage known when
 * the answer began, for readers of the record; the answer's end has the total.
 */
export interface TranscriptPort {
    append(message: Message, soFar?: Usage): AppendResult | Promise<AppendResult>;
    /** Keeps a note beside the messages. If a note cannot be written, a replay may fail; the run does not. */
    note?(note: RunNote): void;
}
export interface TransitionMessage extends MessageBase {
    type: "transition";
    transition: Continue;
    turnCount: number;
}
export interface TurnEnd {
    /** The conversation, with the answer last; by reference. */
    messages: readonly Message[];
    /** The model that answered. */
    model: string;
    /** Null on the main thread. */
    agentId: string | null;
    stopHookActive: boolean;
    lastAssistantMessage: string;
    /** The time limit for all hooks of one event together, ms. */
    hookMs: number;
}
export interface TurnEndAnswer {
    /** Ends the run, whatever the other hooks said. */
    prevented: {
        event: string;
        message: string;
    } | null;
    blocking: TurnEndFeedback[];
    /** Why the model gets no further try, whatever hooks and the token budget want; for people. Absent: it may get one. */
    outOfTries?: string;
}
/** A hook's reason why the turn must not end yet, for the model. */
export interface TurnEndFeedback {
    event: string;
    reason: string;
}
/**
 * Must not throw: a failure yields a notice and counts as a pass. The caller records yielded messages before it shows them. Finishes
 * synchronously if nothing has to be waited for.
 */
export interface TurnEndPort {
    steps(end: TurnEnd, signal: AbortSignal): Generator<QueryEvent | Waiting, TurnEndAnswer, unknown>;
    /** Registers what a tool holds for the turn; a step of the turn's end releases it. Throws if it cannot be registered. */
    register(name: string, dispose: () => unknown): void;
}
/** Tokens of one response, split as the provider does. Total input = input + cacheCreation + cacheRead. */
export interface Usage {
    inputTokens: number;
    outputTokens: number;
    /** All cache writes. The 5m and 1h fields are its parts, if the provider tells them apart. */
    cacheCreationInputTokens: number;
    cacheReadInputTokens: number;
    cacheCreation5mInputTokens?: number;
    cacheCreation1hInputTokens?: number;
    webSearchRequests?: number;
    webFetchRequests?: number;
    thinkingTokens?: number;
    /** The service level that the provider says it used (`standard`, `priority`, `fast`…), as it came. */
    serviceTier?: string;
    /** The call was kept within the US, which costs more. */
    inferenceGeo?: "us";
}
export declare class UsageError extends PawlError {
    readonly name = "UsageError";
    readonly code: UsageErrorCode;
    readonly retryable: boolean;
    /** The available choices, one per line; a terminal shows them below the message. */
    readonly choices: readonly string[];
    constructor(message?: string, { choices, code, ...options }?: UsageErrorOptions);
}
/** `usage`: an option, a flag or a setting. `session_locked`: another process has the session open. */
export type UsageErrorCode = "usage" | "no_credentials" | "session_not_found" | "session_ambiguous" | "session_locked" | "session_exists" | "session_unreadable";
interface UsageErrorOptions extends PawlErrorOptions {
    choices?: readonly string[] | undefined;
    code?: UsageErrorCode;
}
export interface UserMessage extends MessageBase {
    type: "user";
    content: ContentBlock[];
    /** Written by the loop: the model sees it, the user's view hides it. */
    isMeta?: true;
    origin?: UserOrigin;
    /** The structured output of the tool whose result this message carries. For clients and hooks; never sent. */
    toolUseResult?: unknown;
    /** A placeholder for the result of a call that a hook deferred: the call has not run, and is taken up with the next prompt. */
    deferred?: true;
    /** The prompt was recorded before its `UserPromptSubmit` hooks ran. If the process dies in between, a resumed session runs them. */
    awaitsHooks?: true;
    /** The id a client gave the message, if that id already belongs to a message that was removed from the conversation. */
    sourceUuid?: string;
    /** A summary that replaces the messages compacted away. */
    isCompactSummary?: true;
    /** The API's own signed block of this summary, byte for byte. Models that accept it get it, not the text. Only on the first message. */
    compactionBlock?: Record<string, unknown>;
}
export type UserOrigin = "human" | "queued" | "context" | "stop_hook" | "recovery" | "token_budget" | "interruption" | "compaction" | "command";
export type UserPromptExpansionHookInput = Of<"UserPromptExpansion", "prompt">;
export type UserPromptSubmitHookInput = Of<"UserPromptSubmit", "prompt">;
type Verdict<T> = {
    value: T;
    issues?: undefined;
} | {
    issues: readonly {
        message: string;
    }[];
};
export interface WaitName {
    name: string;
    limitMs: number;
}
/** Yielded between events: the caller yields nothing until `promise` settles, then passes the result back through `next`. */
export interface Waiting {
    readonly promise: PromiseLike<unknown>;
    /** The name and time limit of this wait; absent: those of the operation it is part of. */
    readonly about?: WaitName | undefined;
}
/** The loop is waiting for something outside, for at most `limitMs`. */
export interface WaitingEvent {
    type: "waiting";
    key: string;
    on: "permission" | "hook" | "compaction" | "retry" | "agent" | "budget";
    name: string;
    limitMs: number;
}
export interface WarmQuery extends AsyncDisposable {
    /** Can be called once; the session is closed with its last message. Throws `SessionError` if it was already used or closed. */
    query(prompt: QueryParams["prompt"]): Query;
    /** Closes a session that was never used. */
    close(): Promise<void>;
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
export type WorktreeCreateHookInput = Of<"WorktreeCreate", "name">;
export type WorktreeRemoveHookInput = Of<"WorktreeRemove", "worktree_path">;
/** Marks a session as archived; it is kept and still listed. Throws like `renameSession`. */
export declare function archiveSession(sessionId: string, options?: SessionPlace): Promise<void>;
/**
 * Creates a session, or resumes one. Throws `UsageError`, one sentence each: no key, no such folder, an unknown session,
 * settings that cannot be read, a session that another process holds.
 */
export declare function createEngine(options: Options): Promise<QueryEngine>;
export declare function createSdkMcpServer(options: SdkMcpServerOptions): SdkMcpServer;
/** Removes a session with its agents' conversations, file backups and long results. Throws `UsageError` if any process has it open. */
export declare function deleteSession(sessionId: string, options?: SessionPlace): Promise<void>;
/** Copies a session, which may be in use, to a new id. Throws `UsageError` for an unknown session or message. */
export declare function forkSession(sessionId: string, options?: ForkSessionOptions): Promise<{
    sessionId: string;
}>;
/** Returns undefined if there is no session with that id, or nothing was said in it. */
export declare function getSessionInfo(sessionId: string, options?: SessionPlace): Promise<SDKSessionInfo | undefined>;
/** Returns the messages in order. Throws `UsageError` for an unknown session. */
export declare function getSessionMessages(sessionId: string, options?: SessionMessagesOptions): Promise<SessionMessage[]>;
export declare function getSubagentMessages(sessionId: string, agentId: string, options?: SessionMessagesOptions): Promise<SessionMessage[]>;
declare const hookEvents: readonly ["PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "UserPromptSubmit", "UserPromptExpansion", "SessionStart", "SessionEnd", "Stop", "SubagentStart", "SubagentStop", "TaskCreated", "TaskCompleted", "TeammateIdle", "StopFailure", "PreCompact", "PostCompact", "PermissionRequest", "PermissionDenied", "Notification", "CwdChanged", "DirectoryAdded", "InstructionsLoaded", "ConfigChange", "Setup", "PreModelSwitch", "PostModelSwitch", "WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult", "FileChanged", "MessageDisplay", "PreSkillShellCommand"];
declare function isPermissionMode(value: unknown): value is PermissionMode;
declare function isPermissionUpdate(value: unknown): value is PermissionUpdate;
/** Lists sessions, newest first. Throws `UsageError` for invalid values. */
export declare function listSessions(options?: ListSessionsOptions): Promise<SDKSessionInfo[]>;
/** Returns the ids of the agents that worked in a session, oldest first. */
export declare function listSubagents(sessionId: string, options?: SessionPlace): Promise<string[]>;
/** Returns the largest fixed thinking budget that `max_tokens` allows: part of it is kept for the answer. */
declare function mostThinking(maxTokens: number): number;
declare const noHookAnswer: HookAnswer;
declare const noUsage: Usage;
declare const permissionModes: readonly ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"];
/**
 * Runs one prompt, or several one after another. Each prompt ends in one `result`, and so does the turn about background agents that
 * report after the last prompt. Throws `UsageError` if the session cannot start (no key, unknown session); every other failure is a
 * `result`. Aborting `options.abortController` ends the running prompt with its result and asks for no other.
 */
export declare function query(params: QueryParams): Query;
/** Throws `UsageError` for an unknown session, one that another process has open, or an empty title. */
export declare function renameSession(sessionId: string, title: string, options?: SessionPlace): Promise<void>;
/**
 * Replays a recorded session and its agents' sessions through today's loop, with the recorded answers of the model and the recorded
 * results of tools, hooks and permissions. Nothing is executed, written or sent. `session`: an id, a title, or the path of a transcript.
 * Throws `UsageError` if there is no such session.
 */
export declare function replaySession(session: string, options?: ReplayOptions): Promise<ReplayReport>;
/** The same for all sessions in a folder of transcripts, oldest first. Default: this project's folder. */
export declare function replaySessions(folder?: string, options?: ReplayOptions): Promise<ReplayReport>;
/** Throws `UsageError` for unknown or invalid options, and for a folder that does not exist. */
export declare function resolveSettings(options?: ResolveSettingsOptions): Promise<ResolvedSettings>;
declare const retryable: {
    /** The session does one thing at a time. */
    readonly turn_running: true;
    readonly session_clearing: true;
    readonly files_rewinding: true;
    readonly session_closed: false;
    /** The transcript could not be written. */
    readonly not_recorded: true;
    readonly no_such_server: false;
    /** An MCP server that a host wanted connected, and that did not connect. */
    readonly server_not_connected: true;
    /** A call or a model that a host requested was refused: by a rule, a hook or a person, or because its input does not fit. */
    readonly call_refused: false;
    /** A file that cannot, or may not, be read. */
    readonly file_unreadable: false;
};
/** Splits a written rule into its parts. */
declare function ruleParts(rule: string): PermissionRuleValue;
/** Returns a rule as settings write it. */
declare function ruleText({ toolName, ruleContent }: PermissionRuleValue): string;
/**
 * Takes a snip's span out of the conversation: `createEngine({ snipReplay })`, then `engine.snip({ fromUuid, toUuid, reason })`. The other
 * messages stay the same objects in order. Records about earlier messages (thinking stripped, results cleared, an earlier snip) stay too.
 * Not executed if one of the two messages is missing, or they are out of order.
 */
export declare const snipReplay: SnipReplay;
/** Throws whatever `createEngine` throws. */
export declare function startup(params?: {
    options?: Options | undefined;
}): Promise<WarmQuery>;
/** Null removes the tag. Throws like `renameSession`. */
export declare function tagSession(sessionId: string, tag: string | null, options?: SessionPlace): Promise<void>;
/** The themes for terminals: `auto` chooses by the terminal's background; with `-ansi`, only the 16 basic colours are used. */
declare const themes: readonly ["auto", "dark", "light", "dark-daltonized", "light-daltonized", "dark-ansi", "light-ansi"];
/**
 * Makes a tool from a function. The input is checked before the handler sees it: against a JSON Schema, or by one schema per field, for
 * example of zod. What the handler throws becomes an error result for the model. Throws `UsageError` for an invalid schema or option, and
 * for a field whose schema has no equivalent in JSON Schema.
 */
export declare function tool(name: string, description: string, inputSchema: ToolInputSchema, handler: Handler<ToolInput>, options?: CustomToolOptions & ToolAnnotationOptions): Tool;
export declare function tool<Shape extends StandardShape>(name: string, description: string, inputSchema: Shape, handler: Handler<ShapeOutput<Shape>>, options?: CustomToolOptions & ToolAnnotationOptions): Tool;
declare function totalInputTokens(usage: Usage): number;
declare const turnEndPass: TurnEndAnswer;
export declare function unarchiveSession(sessionId: string, options?: SessionPlace): Promise<void>;
/** Returns `messages` with the span replaced by its summary, and the record last. Pure. If nothing of the span is left, only adds it. */
declare function withCollapsed(messages: readonly Message[], commit: CollapseCommitMessage): Message[];
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
export type { withCollapsed };
export {};
