// Written by `npm run api`. What is exported here is what semantic versioning holds for.
/// <reference lib="esnext.disposable" preserve="true" />
/** For programs that look for it. An aborted query ends with its `result` here, and throws nothing. */
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
/** How much the agents of one session may do, all of them together. */
interface AgentLimits {
    /** Agents below agents; the deepest cannot start any. */
    depth: number;
    /** Running at once. */
    concurrent: number;
    /** Started in the life of the session. */
    count: number;
    /** Model responses of all of them together. */
    turns: number;
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
/** What hooks of all events are told. */
export type BaseHookInput = Record<string, unknown> & {
    session_id: string;
    transcript_path: string;
    cwd: string;
    permission_mode?: string;
    /** The prompt that is answered. */
    prompt_id?: string;
    /** Within an agent. */
    agent_id?: string;
    agent_type?: string;
};
/** What `branch` may be told. */
interface BranchOptions {
    /** The uuid of the last message that the copy has; absent: it has all. */
    upToMessageId?: string;
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
type Call = "tool_name" | "tool_input" | "tool_use_id";
/** Called for what no rule decides. What it throws, and null, refuses the call. */
export type CanUseTool = (toolName: string, input: Record<string, unknown>, context: CanUseToolContext) => Promise<PermissionResult | null>;
export interface CanUseToolContext {
    signal: AbortSignal;
    /** What would spare the next question of the kind, for `updatedPermissions`. */
    suggestions?: PermissionUpdate[];
    /** The file that it is asked for. */
    blockedPath?: string;
    decisionReason?: string;
    displayName?: string;
    description?: string;
    toolUseID: string;
    /** Whose call it is, where an agent of the session makes it. */
    agentID?: string;
    requestId: string;
    matchedAskRule?: PermissionRuleValue & {
        source: string;
    };
    /** Whose tool it is, where it is one of an MCP server: to be gone by instead of the tool's name. */
    mcpServer?: McpServerProvenance;
}
/** Who ended a run, written once: the first cause wins. `interrupt` means the user has already submitted the next message. */
export type CancelCause = "user" | "interrupt" | "terminate" | "consumer" | "shutdown";
interface ClockPort {
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
/** A command of settings that prints something for the terminal. */
interface CommandSettings {
    type: "command";
    command: string;
}
/** Tokens before and after, estimated; or why nothing was done, in a clause for people. */
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
export type ConfigChangeHookInput = Of<"ConfigChange", "source">;
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
/** What a handler may return: text, a whole result, or a result as the Model Context Protocol has it. */
export type CustomToolAnswer = string | ToolResult | McpToolAnswer;
export interface CustomToolOptions {
    /** Changes nothing: may run beside others, and is allowed where reading is. */
    readOnlyHint?: boolean | undefined;
    /** May simply be called again after a crash. Default: `safe` for read-only tools, else `never`. */
    replay?: Tool["replay"] | undefined;
    /** Characters of result the model gets inline. Default 100,000. */
    maxResultSizeChars?: number | undefined;
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
/** What a `SessionEnd` hook may be told as `reason`. */
export declare const EXIT_REASONS: readonly ["clear", "resume", "prompt_input_exit", "other"];
/** How hard a model is asked to think. */
export type Effort = "low" | "medium" | "high" | "xhigh" | "max";
export type ElicitationHookInput = Of<"Elicitation", "mcp_server_name" | "message">;
export type ElicitationResultHookInput = Of<"ElicitationResult", "mcp_server_name" | "action">;
/** What SessionEnd hooks are told: of `clear` and `resume`, another session takes its place. */
type EndReason = "clear" | "resume" | "prompt_input_exit" | "other";
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
export interface EngineOptions {
    /** Where the session works. Absolute; default: the process's. */
    cwd?: string;
    /** Read instead of the process's environment. */
    env?: Record<string, string | undefined>;
    home?: string;
    /** Id or alias. */
    model?: string;
    /** Tried in order when the model is overloaded or missing; comma-separated or a list. */
    fallbackModel?: string | string[];
    /** Turns of one user turn. */
    maxTurns?: number;
    /** USD this process may spend on the session. */
    maxBudgetUsd?: number;
    /** Output tokens of work on each prompt: the loop nudges a model that stops well short of it, and stops where nudges bring little. */
    tokenBudget?: number;
    /** Tokens from 20,000 on that the server counts down before the model's eyes, of models that have this. It limits nothing. */
    taskBudget?: {
        total: number;
    };
    permissionMode?: PermissionMode;
    /** What the model is told of how a plan is made, in the place of pawl's own words; what the mode is, and how it ends, is told anyway. */
    planModeInstructions?: string;
    allowedTools?: string[];
    disallowedTools?: string[];
    /** Names that the model may call a tool by, each with the tool that it is then; one that is not there answers with an error. */
    toolAliases?: Record<string, string>;
    /** Names of skills that the model is offered; a person may still type the others. Default: `all`. */
    skills?: string[] | "all";
    /** Shows what agents say, and not only their calls. Default false. */
    forwardSubagentText?: boolean;
    /** Values for the `anthropic-beta` header, beside those of `ANTHROPIC_BETAS`. */
    betas?: string[];
    /** Built-in tools on offer. Absent: the default set. Empty: none. */
    tools?: string[];
    /** How previews are written that `AskUserQuestion` may show with an option. Absent: there are none. */
    toolConfig?: {
        askUserQuestion?: {
            previewFormat?: "markdown" | "html";
        };
    };
    /** Tools of the caller's own, beside the built-in ones. */
    customTools?: Tool[];
    /** MCP servers by name, beside those that files configure; `createSdkMcpServer` makes one of functions. */
    mcpServers?: Record<string, McpServerConfig>;
    /** Further ones: paths of files such as `.mcp.json`, or their text. */
    mcpConfig?: string[];
    /** Only the servers of `mcpServers` and `mcpConfig`. Default false. */
    strictMcpConfig?: boolean;
    /** Answers what MCP servers ask the user; absent: it is declined. */
    onElicitation?: OnElicitation;
    /** Told once what a server asked to be done at an address is done there, as the server says. */
    onElicitationComplete?: (done: McpElicitationDone) => void;
    /** Replaces the default system prompt. */
    systemPrompt?: string;
    appendSystemPrompt?: string;
    /** Added to the system prompts of agents below the session. */
    appendSubagentSystemPrompt?: string;
    /**
     * Where the work is done, and git's state, are told with the first message: the default system prompt is then the same in each folder
     * and on each machine, and so is what a provider's cache keeps of it. No effect with `systemPrompt` or `agent`.
     */
    excludeDynamicSections?: boolean;
    /** Folders to work in besides `cwd`: absolute, or from there. */
    addDirs?: string[];
    /** Folders of plugins, with all that they bring: skills, commands, agents, hooks, servers, styles. Absolute. */
    pluginDirs?: string[];
    /** The same, but for the servers they bring. */
    pluginDirsWithoutServers?: string[];
    /** A session's id or title. */
    resume?: string;
    /** The newest session of this folder. */
    continue?: boolean;
    /** With `resume` or `continue`: the uuid of the message after which the session goes on. What came later stays in the transcript. */
    resumeSessionAt?: string;
    /** With `resumeSessionAt`: the uuid of the prompt whose turn is to be dropped; where more would go, the session is refused. */
    resumeDropsTurn?: string;
    forkSession?: boolean;
    /** What the session is called in lists, and can be resumed by. A session that goes on is renamed. */
    title?: string;
    /** UUID for a new session. */
    sessionId?: string;
    /** Gets what transcripts get; a session of it is resumed from there. */
    sessionStore?: SessionStore;
    /** `eager`: each entry by itself. Default `batched`: what comes within 100 ms together. */
    sessionStoreFlush?: "batched" | "eager";
    /** Of the session store, for each answer to a resume, ms. Default 60,000. */
    loadTimeoutMs?: number;
    /** The same for a host that has its own way. */
    transcriptMirror?: TranscriptMirror;
    /** Where sessions are kept, instead of `$PAWL_HOME`. Absolute. */
    sessionsHome?: string;
    /** False: nothing is written. Default true. */
    persistSession?: boolean;
    /**
     * What can be rewound. `true`: whatever the work changes in the working folders, by commands and other people's tools as well, which
     * takes a look at every file there once a prompt. `false`: nothing. Default: what Write, Edit and NotebookEdit change.
     */
    enableFileCheckpointing?: boolean;
    /** A settings file's path, or JSON text. */
    settings?: string;
    /** Whose settings and memory files count; an administrator's always do. Default: all. */
    settingSources?: ("user" | "project" | "local")[];
    /**
     * Laid down as by an administrator, where this machine has none: what forbids counts (rules that deny and ask, lists of servers and
     * models, hooks, parts of `sandbox`), what would permit is left out, and told.
     */
    managedSettings?: object;
    /** What commands may reach, over `settings`. With `enabled`, no session without a sandbox unless `failIfUnavailable` is false. */
    sandbox?: Record<string, unknown>;
    /**
     * Nothing that is found around the session is taken: no hooks but an administrator's, no skills, commands, agents, plugins,
     * instructions and notes; of MCP servers those of `mcpServers` and `mcpConfig`; without `tools`, only Bash, Read and Edit. What
     * settings permit and forbid counts. Default: where `CLAUDE_CODE_SIMPLE` is set.
     */
    bare?: boolean;
    /** Takes the folder's own settings for trusted in this session, whatever they hold. Default: where the user has said so. */
    trust?: boolean;
    includePartialMessages?: boolean;
    /**
     * With `includePartialMessages`: `MessageDisplay` hooks are asked about each batch of completed lines, and what they answer stands in
     * the `stream_event`s. For a surface that shows the answer as it comes. Default: about each whole message.
     */
    displayByLines?: boolean;
    /** An answer that fits this JSON Schema: the result has it as `structured_output`, or is no success. */
    outputFormat?: {
        type: "json_schema";
        schema: Record<string, unknown>;
    };
    /** Messages `hook_started`, `hook_progress` and `hook_response` of all hooks; else of those of `SessionStart`. Default false. */
    includeHookEvents?: boolean;
    /** With the first prompt: runs `Setup` hooks with this trigger, before those of `SessionStart`. */
    setup?: "init" | "maintenance";
    /** After three or more calls at once: a `tool_use_summary` message, one line by the small model. Default false. */
    toolUseSummaries?: boolean;
    /** After a `result`: a `prompt_suggestion` message with what the user might say next, where one comes within 15 s. Default false. */
    promptSuggestions?: boolean;
    /** How thorough the model is. What it does not have becomes the nearest below; `onNotice` is told. */
    effort?: Effort;
    /** `budgetTokens` from 1024 on, default 31,999, for models that think within a budget. What a model does not take is mapped and told. */
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
    /** Cap on output tokens of a response. Absent: 8,000, and as many as the model gives where that cut an answer. */
    maxOutputTokens?: number;
    /** Answers permission questions; absent: what would be asked is denied. */
    ask?: AskPermission;
    /**
     * Name of a tool (`mcp__server__tool`, or one of `customTools`) that answers permission questions where `ask` is absent. It gets
     * `tool_name`, `input` and `tool_use_id`, and answers in JSON: `{behavior: "allow", updatedInput?}` or `{behavior: "deny", message?}`.
     */
    permissionPromptToolName?: string;
    /**
     * With `resume`: the answer to a permission question that was open when the process died. Its call is run or refused once, with
     * the first prompt; where it does not wait, or may have run, the answer is not used, which is said.
     */
    orphanedPermission?: {
        toolUseId: string;
        answer: PermissionAnswer;
    };
    hooks?: Partial<Record<HookEvent, HookCallbackMatcher[]>>;
    /** Aborting it ends the turn that runs, with its result, and every later one before it asks anything. */
    abortController?: AbortController;
    /** Every prompt is for the model: none is read as a command. For text that others wrote. Default false. */
    verbatimPrompts?: boolean;
    /** No person is there to answer: denials name the flag that would allow. */
    headless?: boolean;
    /**
     * Takes out of the conversation the spans that `QueryEngine.snip` names, now and at every resume; `snipReplay` of this library
     * does. Absent: nothing is taken out, and what was taken out before a resume is back.
     */
    snipReplay?: SnipReplay;
    /** Kinds of agent that the model may start, by name, beside those of files and those that come with pawl. */
    agents?: Record<string, AgentDefinition>;
    /** The kind of agent that the main thread is: its prompt, tools, model and hooks, in no laxer mode. Default: what a resumed session was. */
    agent?: string;
    /** Bounds of all agents together. Default: 3 deep, 20 at once, 200 started, 5,000 responses. */
    agentLimits?: Partial<AgentLimits>;
    /** This session works for another one: its end is told to SubagentStop hooks, and nothing is begun there that a main thread begins. */
    subagent?: SubagentIdentity;
    /** This session is one of a team: TaskCompleted and TeammateIdle hooks are asked where its Stop hooks have passed. */
    teammate?: TeammatePort;
    /** One line each, for a log. */
    debug?: (line: string) => void;
    /** For people, on a terminal: settings ignored, memory skipped. */
    onNotice?: (text: string) => void;
    /** What became of each file that a prompt names with an at sign, told before the model answers; no message says it. */
    onMention?: (news: MentionNews) => void;
    /** What a hook would have the terminal do (`terminalSequence`): a title, a notification or the bell, and nothing else. */
    onTerminalSequence?: (sequence: string) => void;
    version?: string;
    /** Makes the HTTP exchange instead of `node:http`: an in-process scripted model, a recording proxy. */
    transport?: (exchange: HttpExchange) => Promise<HttpAnswer>;
    limits?: Partial<LoopLimits>;
    clock?: ClockPort;
    ids?: IdPort;
    /** `process`: a record survives the process. `power`: it survives a power cut (fdatasync before a call runs and before a request leaves). */
    durability?: "process" | "power";
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
export type FileChangedHookInput = Of<"FileChanged", "file_path" | "event">;
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
export interface ForkSessionOptions extends SessionPlace {
    /** The last message of the copy; results of calls that are open there come along. Default: all. */
    upToMessageId?: string | undefined;
    /** Default: that of the original, with `(fork)`. */
    title?: string | undefined;
}
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
/** The events there are hooks of. */
export declare const HOOK_EVENTS: readonly ["PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "UserPromptSubmit", "UserPromptExpansion", "SessionStart", "SessionEnd", "Stop", "SubagentStart", "SubagentStop", "TaskCreated", "TaskCompleted", "TeammateIdle", "StopFailure", "PreCompact", "PostCompact", "PermissionRequest", "PermissionDenied", "Notification", "CwdChanged", "DirectoryAdded", "InstructionsLoaded", "ConfigChange", "Setup", "PreModelSwitch", "PostModelSwitch", "WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult", "FileChanged", "MessageDisplay", "PreSkillShellCommand"];
type Handler<Input> = (input: Input, context: ToolContext) => Promise<CustomToolAnswer>;
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
/** Answers in the public convention's JSON. `toolUseID` where a tool is called. */
export type HookCallback = (input: HookCallbackInput, toolUseID: string | undefined, context: {
    signal: AbortSignal;
}) => Promise<HookCallbackOutput>;
/** What a callback is told: `hook_event_name` says which of them it is. */
export type HookCallbackInput = PreToolUseHookInput | PostToolUseHookInput | PostToolUseFailureHookInput | PostToolBatchHookInput | PermissionRequestHookInput | PermissionDeniedHookInput | NotificationHookInput | UserPromptSubmitHookInput | UserPromptExpansionHookInput | PreSkillShellCommandHookInput | SessionStartHookInput | SessionEndHookInput | StopHookInput | StopFailureHookInput | SubagentStartHookInput | SubagentStopHookInput | PreCompactHookInput | PostCompactHookInput | PreModelSwitchHookInput | PostModelSwitchHookInput | TaskCreatedHookInput | TaskCompletedHookInput | TeammateIdleHookInput | ConfigChangeHookInput | CwdChangedHookInput | DirectoryAddedHookInput | FileChangedHookInput | InstructionsLoadedHookInput | WorktreeCreateHookInput | WorktreeRemoveHookInput | ElicitationHookInput | ElicitationResultHookInput | MessageDisplayHookInput | SetupHookInput;
export interface HookCallbackMatcher {
    /** Tool name, list or expression; absent matches all. */
    matcher?: string | undefined;
    /** ms; default 60,000. */
    timeoutMs?: number | undefined;
    /** `block`: where it fails, what it was asked about is refused. Default `continue`: it is passed over, with a notice. */
    onFailure?: "continue" | "block" | undefined;
    callback: (input: HookCallbackInput, context: {
        signal: AbortSignal;
        toolUseId?: string;
    }) => Promise<HookCallbackOutput>;
    /** Of the other shape. */
    hooks?: never;
    timeout?: never;
}
/** What a hook callback returns, in the public convention's JSON; see the hook documentation for the fields. */
export type HookCallbackOutput = Record<string, unknown> | undefined | void;
export interface HookCallbacks {
    /** Tool name, list or expression; absent matches all. */
    matcher?: string | undefined;
    hooks: HookCallback[];
    /** Seconds. */
    timeout?: number | undefined;
    onFailure?: "continue" | "block" | undefined;
    /** Of the other shape. */
    callback?: never;
    timeoutMs?: never;
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
interface IdPort {
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
/**
 * Sessions in the memory of this process, for tests and for what nobody needs later: `sessionStore: new InMemorySessionStore()`.
 * Copies are kept and given; an entry whose `uuid` was appended before is not appended again.
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
    /** A session goes with those of its agents. */
    delete(key: SessionKey): Promise<void>;
}
export type InputVerdict = {
    ok: true;
} | {
    ok: false;
    message: string;
};
export type InstructionsLoadedHookInput = Of<"InstructionsLoaded", "file_path">;
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
export interface ListSessionsOptions extends SessionPlace {
    /** Default: all. */
    limit?: number | undefined;
    offset?: number | undefined;
    /** With `dir`: false leaves the other work trees out. Default true. */
    includeWorktrees?: boolean | undefined;
    /** False leaves out those of `pawl -p` and of programs. Default true. */
    includeProgrammatic?: boolean | undefined;
    /** Words and "phrases" that all occur in what was said, whatever their case, or in title and tag. */
    search?: string | undefined;
    tag?: string | undefined;
}
/** Every bound of the loop. Times in ms. */
interface LoopLimits {
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
/** Its parts are texts, pictures (`data`, `mimeType`), resources and links to them. */
export interface McpToolAnswer {
    content: {
        type: string;
        [field: string]: unknown;
    }[];
    isError?: boolean | undefined;
    structuredContent?: unknown;
    [field: string]: unknown;
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
export type NotificationHookInput = Of<"Notification", "message" | "notification_type">;
type Of<E extends HookEvent, K extends keyof HookInput = never> = BaseHookInput & HookInput & {
    hook_event_name: E;
} & Required<Pick<HookInput, K>>;
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
/** What agent SDKs call them. One that is undefined is as one that is not there. */
export type Options = {
    [Name in keyof QueryOptions]: QueryOptions[Name] | undefined;
};
interface OwnCommandResult {
    /** What it printed, as the model would be given it. */
    text: string;
    isError: boolean;
}
export declare abstract class PawlError extends Error {
    /** For programs; `message` is one sentence for a person. */
    abstract readonly code: string;
    /** The same call, unchanged, may work later. */
    abstract readonly retryable: boolean;
    readonly requestId: string | undefined;
    constructor(message?: string, { cause, requestId }?: PawlErrorOptions);
}
/** What every error that the library throws has: which it is, whether the same may work later, and what was behind it (`cause`). */
interface PawlErrorOptions {
    cause?: unknown;
    /** Of the provider, where a request of its failed. */
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
export type PermissionDeniedHookInput = Of<"PermissionDenied", Call>;
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
export type PermissionRequestHookInput = Of<"PermissionRequest", "tool_name" | "tool_input">;
/** What a permission question is answered with. */
export type PermissionResult = {
    behavior: "allow";
    updatedInput?: Record<string, unknown> | undefined;
    updatedPermissions?: PermissionUpdate[] | undefined;
    toolUseID?: string | undefined;
} | {
    behavior: "deny";
    message: string;
    interrupt?: boolean | undefined;
    toolUseID?: string | undefined;
};
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
export type PostCompactHookInput = Of<"PostCompact", "trigger" | "compact_summary">;
export type PostModelSwitchHookInput = Of<"PostModelSwitch", "from_model" | "to_model">;
export type PostToolBatchHookInput = Of<"PostToolBatch", "tool_calls">;
export type PostToolUseFailureHookInput = Of<"PostToolUseFailure", Call | "error">;
export type PostToolUseHookInput = Of<"PostToolUse", Call | "tool_response">;
export type PreCompactHookInput = Of<"PreCompact", "trigger">;
export type PreModelSwitchHookInput = Of<"PreModelSwitch", "from_model" | "to_model">;
export type PreSkillShellCommandHookInput = Of<"PreSkillShellCommand", Call | "command_name" | "invoked_by">;
export type PreToolUseHookInput = Of<"PreToolUse", Call>;
/** Prices that hold while the whole prompt is at most `upToInputTokens`. The last tier has no bound. */
export interface PriceTier extends TokenPrices {
    upToInputTokens?: number;
}
/** A prompt as text, as blocks, or as the message that a client of the wire would send. */
export type PromptInput = string | ContentBlock[] | SDKUserMessage;
/**
 * The messages of its prompts, and control of the session meanwhile. The session is made with the first message or the first
 * method called, and closed with the last message, `return()` or `close()`; afterwards the methods throw.
 */
export interface Query extends AsyncGenerator<SDKMessage, void> {
    /** Ends the running turn, or the first one before it has begun; the session goes on. Answers at once, and always. */
    interrupt(): Promise<SDKInterruptReceipt>;
    /** From the next turn on; nothing is the model it began with. Rejects where a `PreModelSwitch` hook refuses it. */
    setModel(model?: string): Promise<void>;
    setPermissionMode(mode: PermissionMode): Promise<void>;
    /** From the next turn on. 0 turns thinking off, null is as at first. */
    setMaxThinkingTokens(tokens: number | null, display?: ThinkingDisplay | null): Promise<void>;
    initializationResult(): Promise<SDKInitialization>;
    /** The same again. */
    reinitialize(): Promise<SDKInitialization>;
    supportedCommands(): Promise<SlashCommand[]>;
    supportedModels(): Promise<SDKModelInfo[]>;
    supportedAgents(): Promise<SDKAgentInfo[]>;
    mcpServerStatus(): Promise<ReturnType<SessionDesk["mcpServers"]>>;
    /** Ends the connection to a server, if there is one, and makes a new one. Throws where there is no such server. */
    reconnectMcpServer(name: string): Promise<void>;
    toggleMcpServer(name: string, isEnabled: boolean): Promise<void>;
    /** Has the servers of this process, and those this method named before, be these. */
    setMcpServers(servers: Record<string, McpServerConfig>): Promise<SDKMcpServersSet>;
    /** Lays settings over those of the option `settings`, key by key; null takes a key away. Throws `UsageError`. */
    applyFlagSettings(settings: object): Promise<void>;
    /** Writes keys that neither run nor permit anything into a person's own file. Throws `UsageError`. */
    updateSettings(source: "userSettings" | "localSettings", settings: object): Promise<void>;
    /** Looks at the folders of skills and commands again. Answers those that can be typed, which the session's own are not among. */
    reloadSkills(): Promise<{
        skills: SlashCommand[];
    }>;
    /** Looks at plugins again; what runs with the session stays as it began. */
    reloadPlugins(): Promise<SDKPluginsReloaded>;
    /** Names of the styles there are now. */
    reloadOutputStyles(): Promise<{
        available_output_styles: string[];
    }>;
    /** A page of a server's own, `ui://…`: a stranger's words. */
    readMcpResource(server: string, uri: string): Promise<SDKMcpResource>;
    accountInfo(): Promise<SDKAccountInfo>;
    getContextUsage(): Promise<ContextUsage>;
    /** Files back to what they were before the prompt of this uuid; not while a turn runs. */
    rewindFiles(userMessageUuid: string, options?: RewindFilesOptions): Promise<RewindFilesResult>;
    /** Null where it may not, or cannot, be read. */
    readFile(path: string, options?: ReadFileOptions): Promise<SDKFileContents | null>;
    seedReadState(path: string, mtimeMs: number): Promise<void>;
    /** Ends a command of the background, or an agent, a teammate by its name too; undefined where there is none of that id. */
    stopTask(taskId: string): Promise<SDKBackgroundTask | undefined>;
    /** Has calls go on without the commands they wait for: that of one call, or all. False: there is none of that call. */
    backgroundTasks(toolUseId?: string): Promise<boolean>;
    /** Further prompts, after those there are. They are read at once: resolves when that is done, and not when they are answered. */
    streamInput(prompts: AsyncIterable<PromptInput>): Promise<void>;
    /** Ends what runs and closes the session. */
    close(): Promise<void>;
}
export declare class QueryEngine {
    #private;
    /**
     * Runs one user turn. Yields messages and, last, exactly one `result`; none where the process was told to terminate.
     * Leaving the generator early cancels the turn and records what it did.
     */
    submitMessage(prompt: string | ContentBlock[], options?: SubmitOptions): AsyncGenerator<SDKMessage, void>;
    /**
     * Shortens the conversation: a summary, made with `instructions` where given, stands for its older part. Yields status messages
     * and the `compact_boundary`; returns whether there was something to do. Throws while a turn runs; `interrupt()` ends it.
     */
    compact(instructions?: string): AsyncGenerator<SDKMessage, CompactAnswer>;
    /**
     * Takes a span of history out of the conversation, and out of every resume: the callback `snipReplay` does it. Between turns it
     * is done when this returns; while a turn runs it waits for the next border, and a message `snip_boundary`, or a notice
     * `snip_refused`, tells of it then. Throws `SnipError` where the span is not whole (`not_whole` names one that is), holds the
     * pinned head or what is being answered, or cannot be recorded.
     */
    snip(span: SnipRequest): SnipAnswer;
    /**
     * Asks the running turn to end; it settles, records and (but for `terminate`) yields its result. `interrupt` says that the
     * user has already submitted what comes next. The first cause counts. True where a turn was running.
     */
    interrupt(cause?: CancelCause): boolean;
    /** What goes on beside the turns. Another one after `clear()`. */
    get background(): SessionBackground;
    /** Adds to the conversation without a turn. Throws while one runs, and where it cannot be recorded. */
    append(prompt: string | ContentBlock[], options?: SubmitOptions): void;
    /** Answers from what the conversation holds and becomes no part of it; also while a turn runs. A failure is an answer. */
    sideQuestion(question: string, options?: {
        signal?: AbortSignal;
    }): Promise<SideAnswer>;
    /** Messages of a prompt that need not wait for the turn that runs (`/btw`), a `result` last; undefined: it is to be a turn. */
    submitBeside(prompt: string | ContentBlock[]): AsyncGenerator<SDKMessage, void> | undefined;
    /** Input that arrives while a turn runs: it joins at the next turn border, else `takeQueued` hands it out. Throws once it is closed. */
    enqueue(prompt: string | ContentBlock[], uuid?: string): void;
    /** What no turn consumed, for the next user turn; undefined where nothing waits. */
    takeQueued(): {
        uuid: string;
        prompt: ContentBlock[];
    } | undefined;
    getSessionId(): string;
    getMessages(): readonly Message[];
    /** Undefined where nothing is persisted. */
    getTranscriptPath(): string | undefined;
    getModel(): string;
    /** From the next user turn on. Asks no hooks: `desk.switchModel` does. */
    setModel(name: string): void;
    getPermissionMode(): PermissionMode;
    setPermissionMode(mode: PermissionMode): void;
    setEffort(effort: Effort | undefined): void;
    /** What can be given as a prompt that begins with a slash. */
    supportedCommands(): SlashCommand[];
    /** What can be asked of this session beside its turns. Another one after `clear()`. */
    get desk(): SessionDesk;
    /** Where the tokens of the conversation are, as the next request would send it. */
    getContextUsage(): ContextUsage;
    /** Agents in the background that work, or whose end was not told to the model, with what hooks have to tell. */
    get openAgents(): number;
    /** Resolves once none works there any more; what they said is told with the next prompt. */
    whenAgentsEnd: () => Promise<void>;
    /** Hooks in the background that may yet have something to tell; `whenAgentsEnd` resolves where one has. */
    get openHooks(): number;
    mcpServerStatus(): ReturnType<SessionDesk["mcpServers"]>;
    getCost(): SessionCost;
    /** Puts files that tools changed back to what they were before that prompt; the conversation stays. Not while a turn runs. */
    rewindFiles(userMessageUuid: string, options?: RewindFilesOptions): Promise<RewindFilesResult>;
    /** Ends this session and starts an empty one under a new id, with the same options. What was queued waits there. */
    clear(): Promise<void>;
    /**
     * Ends this session and goes on with another one: by id, the beginning of one, or title, as the option `resume` does. What was chosen
     * and allowed here stays behind. Throws `UsageError`, and this session goes on: none, several, or one that a process holds.
     */
    resume(session: string): Promise<void>;
    /** Ends this session and goes on with a copy under a new id, whole or up to a message; what was chosen stays. Throws where there is none. */
    branch(title?: string, options?: BranchOptions): Promise<void>;
    /** Ends what runs, settles it, and lets go of everything. Safe to call twice, and while a message of the turn is in hand. `reason`: for SessionEnd hooks. */
    dispose(reason?: Exclude<EndReason, "clear" | "resume">): Promise<void>;
    /** For the last moment of the process: kills every command and hook the session started, without waiting; `sparesHooks`: `dispose` is to come. */
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
    /** `none`: nobody is asked, and what would be is refused. Default `host`. */
    permissionPrompts?: "host" | "none";
    /** Read instead of the process's environment. */
    env?: Record<string, string | undefined>;
    hooks?: Partial<Record<HookEvent, (HookCallbackMatcher | HookCallbacks)[]>>;
    /** Default: pawl's own. */
    systemPrompt?: SystemPromptOption;
    /** Built-in tools on offer. Absent and the preset: the default set. Empty: none. */
    tools?: string[] | {
        type: "preset";
        preset: "claude_code";
    };
    /** A settings file's path, JSON text, or the settings themselves. */
    settings?: string | object;
    /** One line each, for a log; `true`: to `stderr`. */
    debug?: boolean | ((line: string) => void);
    /** Each line of `debug` is appended to this file. */
    debugFile?: string;
    /** Hears what would be a line on a terminal, where there is no `onNotice`. */
    stderr?: (text: string) => void;
    /** Flags of the command by name, without dashes; null for one without a value. Those that are options here. */
    extraArgs?: Record<string, string | null>;
    /** Without a meaning here, where there is no process: accepted, and told to `onNotice`. */
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
    /** The work in the background whose end it tells. */
    task?: EndedTask;
    /** What an agent wrote to this one, or is told of it. */
    mail?: MailFacts;
    /** The mode from here on, where it is another. */
    permissionMode?: PermissionMode;
}
/** Where today's loop does something else than is recorded. */
export interface ReplayDifference {
    /** Of the run, from 1: each pass is one request and what follows from it. */
    pass: number;
    /** `decision`: another Continue or Terminal. `record`: the same, but other messages. `request`: the model would be sent something else. */
    kind: "decision" | "record" | "request" | "stuck";
    recorded: string;
    replayed: string;
}
export interface ReplayOptions extends Pick<EngineOptions, "cwd" | "env" | "home"> {
    onFile?: (file: Pick<ReplayedSession, "path" | "sessionId" | "agentId">) => void;
    onTurn?: (turn: ReplayedTurn) => void;
}
/** Counts are of user turns, those of agents included. */
export interface ReplayReport {
    same: number;
    differs: number;
    skipped: number;
    sessions: ReplayedSession[];
}
export interface ReplayedSession {
    sessionId: string;
    /** Of the transcript. Absolute. */
    path: string;
    agentId?: string;
    turns: ReplayedTurn[];
    /** Its agents, each with a transcript of its own. */
    agents: ReplayedSession[];
    /** Why nothing of it could be replayed. */
    problem?: string;
}
/** One user turn of a recorded session. */
export interface ReplayedTurn {
    /** From 1, in the order of the transcript. */
    turn: number;
    /** What was decided, in order: the reasons of Continues, the Terminal's last. Up to the first difference. */
    decisions: string[];
    /** `skipped`: it could not be replayed, or not so that a difference means something; `remark` says why. */
    outcome: "same" | "differs" | "skipped";
    difference?: ReplayDifference;
    /** For people: why it could not be played, or how far, or what today's version tells them beside. */
    remark?: string;
}
/**
 * A field that a request can do without, where its server does not know it, or what of it the server does not know. Without
 * `thinking.adaptive` a request asks for thinking within a budget, and without `thinking.enabled` for adaptive thinking. `tool_use`
 * are fields of calls in its messages that their own server gave them, and without `tool_use.id` their ids are such that any server takes.
 */
export type RequestField = "cache_control" | "cache_control.ttl" | "thinking" | "thinking.adaptive" | "thinking.enabled" | "thinking.display" | "output_config" | "output_config.effort" | "output_config.task_budget" | "tool_use" | "tool_use.id";
export interface ResolveSettingsOptions {
    /** Default: the process's folder. */
    cwd?: string;
    /** Whose files are read besides an administrator's. Default: all. */
    settingSources?: readonly ("user" | "project" | "local")[];
    /** What forbids, as by an administrator, where there is none. */
    managedSettings?: object;
    /** True: the folder's own settings count as those of a trusted one. Default: where the user trusts it. */
    trust?: boolean;
    /** Read instead of the process's environment: `PAWL_HOME`, `CLAUDE_CONFIG_DIR`, `HOME`. */
    env?: Record<string, string | undefined>;
    home?: string;
}
export interface ResolvedSetting {
    /** As in `effective`. */
    value: unknown;
    /** The highest of those that say it. */
    source: ResolvedSettingSource;
    /** Absolute; absent where it is no file's. */
    path?: string;
}
/** `managed`: an administrator's, or the host's in its place. */
export type ResolvedSettingSource = "user" | "project" | "local" | "managed" | "flag";
export interface ResolvedSettings {
    /** What counts, in the shape of a settings file: keys that this version acts on. */
    effective: Record<string, unknown>;
    /** By key of `effective`. */
    provenance: Record<string, ResolvedSetting>;
    /** As they stand there, lowest first. */
    sources: {
        source: ResolvedSettingSource;
        settings: Record<string, unknown>;
        path?: string;
    }[];
    /** What cannot be read in them, and values that were left out. */
    errors: SDKSettingsError[];
}
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
export interface RewindFilesOptions {
    /** Says what would be done, and does nothing. */
    dryRun?: boolean;
}
export interface RewindFilesResult {
    /** False: nothing was looked at, and `error` says why. */
    canRewind: boolean;
    /** One or more sentences, for people. With `canRewind`: what could not be put back. */
    error?: string;
    /** Absolute. Put back, or (`dryRun`) to be. */
    filesChanged?: string[];
    /** Folders that are made, removed or get their mode back. */
    foldersChanged?: string[];
    /** Lines that come back. Binary files count none. */
    insertions?: number;
    /** Lines that go. */
    deletions?: number;
    /** How many of `skipped` are links, or what is no plain file. */
    skippedLinks?: number;
    /** Left as they are. */
    skipped?: {
        path: string;
        reason: string;
    }[];
    /** Left as they are, because nothing but somebody else has changed them. */
    foreign?: string[];
    /** Put back although somebody else has changed them since; what they held then is in `asideFolder`. */
    contested?: string[];
    /** Absolute. */
    asideFolder?: string;
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
/** Marks, among blocks of a system prompt, where what other sessions share ends. */
export declare const SYSTEM_PROMPT_DYNAMIC_BOUNDARY = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";
/** For the option `mcpServers`. */
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
    /** For the model: how the tools are to be used together. */
    instructions?: string;
    tools?: Tool[];
    /** Of a call, ms; below 1,000 it is ignored. */
    timeout?: number;
    /** Its tools are offered from the start, however many there are. */
    alwaysLoad?: boolean;
}
/** What goes on beside the turns of a session, for whoever drives it. */
export interface SessionBackground {
    /** Waits for it, such as notes for later sessions; what lasts longer than `limitMs` is ended. */
    settle(limitMs: number): Promise<void>;
    /** The next prompt is there: a suggestion of one that is still being made is of no use. */
    dropSuggestion(): void;
}
export interface SessionCost {
    totalUsd: number;
    modelUsage: Record<string, ModelUsage>;
    /** ms since the session was opened here. */
    durationMs: number;
    /** ms of all calls of models together, agents' included, since then. */
    apiDurationMs: number;
    /** Of files that Edit, Write and NotebookEdit changed, by agents too, since then. */
    linesAdded: number;
    linesRemoved: number;
}
export interface SessionDesk {
    models(): SDKModelInfo[];
    agents(): SDKAgentInfo[];
    /** Looks at the folders of skills and commands again; those that are new, changed or gone count as they are now. Answers all. */
    reloadSkills(): Promise<SlashCommand[]>;
    /**
     * Looks at plugins again: their skills, commands and kinds of agent count as they are now, their hooks, servers and styles are
     * those of the session's start.
     */
    reloadPlugins(): Promise<SDKPluginsReloaded>;
    /** Names of the styles there are now. The session keeps the one it began with. */
    reloadOutputStyles(): Promise<string[]>;
    /**
     * A folder inside those the session works in, as a repository of its own: its instructions are told at the next border. Throws
     * `UsageError` where it is none, or was named before.
     */
    registerRepoRoot(directory: string, reload: {
        instructions: boolean;
    }): Promise<void>;
    /**
     * Has the session work in one more folder from now on, as `addDirs` would: absolute, from the current folder, or from `~`.
     * Answers it, absolute. Throws `UsageError` where it is none, or inside a working folder already.
     */
    addDirectory(directory: string): Promise<string>;
    /** A server's tool, under the session's rules and hooks; the model learns nothing of it. Throws `SessionError`. */
    callMcpTool(tool: string, input: ToolInput, signal?: AbortSignal): Promise<SDKMcpCallResult>;
    /** A page of a server's own, `ui://…`. Throws `SessionError`. */
    readMcpResource(server: string, uri: string): Promise<SDKMcpResource>;
    /**
     * A command of the person's own: run as Bash runs one, in its folder, unasked and outside of a sandbox. The model learns nothing of
     * it. Throws `SessionError` where the session has no Bash.
     */
    runCommand(command: string, signal: AbortSignal): Promise<OwnCommandResult>;
    /** What is to stand at a terminal's prompt; undefined where settings have none, or it is switched off. */
    readonly statusLine: StatusLineSettings | undefined;
    /**
     * Runs its command as hooks are run, told of the session on its standard input. Answers what it printed: empty where it failed, or
     * took longer than 5 s. Rejects once `signal` is aborted.
     */
    statusLineText(place: StatusLinePlace, signal: AbortSignal): Promise<string>;
    plugins(): {
        name: string;
        path: string;
        version?: string;
    }[];
    /** The name of the style that answers are given in. */
    readonly outputStyle: string;
    account(): SDKAccountInfo;
    /** Each configured MCP server, and whether it is there. */
    mcpServers(): McpServerStatus[];
    /** Ends a server's connection, if there is one, and makes a new one. Throws where there is no such server. */
    reconnectMcpServer(name: string): Promise<McpServerStatus>;
    /** Switched off, a server is ended, and its tools answer with an error. Throws where there is no such server. */
    toggleMcpServer(name: string, isEnabled: boolean): Promise<McpServerStatus>;
    /**
     * Has the servers of this process, and those this method named before, be these: new ones are begun and waited for, those left
     * out are ended. Those of files, flags and other options stay until they are named here; an administrator's always. Tools are
     * on offer from the next turn border on.
     */
    setMcpServers(servers: Record<string, McpServerConfig>): Promise<SDKMcpServersSet>;
    /** The id of the model the session began with. */
    readonly firstModel: string;
    /**
     * Another model from the next user turn on; without a name the one the session began with. As a client asks for it: `PreModelSwitch`
     * hooks may refuse it, which throws a `SessionError`, and `PostModelSwitch` hooks are told. Throws `UsageError` where there is no
     * such model.
     */
    switchModel(name?: string, signal?: AbortSignal): Promise<void>;
    /** Where the tokens of the conversation are, as the next request would send it. */
    contextUsage(): ContextUsage;
    /**
     * From the next user turn on. 0 turns thinking off; null goes back to what the session began with; undefined leaves it.
     * `display`: absent as it is, null as at first. Throws `UsageError`.
     */
    setMaxThinkingTokens(tokens: number | null | undefined, display?: ThinkingDisplay | null): void;
    settings(): Promise<SDKSettingsReport>;
    /**
     * Lays settings over those of the `settings` option, key by key; null takes a key away. What forbids counts from the next call
     * of a tool on, `model`, `effortLevel`, `permissions`, `env` and `hooks` from the next prompt on; other keys there are, and
     * values that are not fit, throw `UsageError`, and nothing is changed.
     */
    applyFlagSettings(settings: object): Promise<void>;
    /** Writes keys that neither run nor permit anything into a person's own file; null takes a key out. Throws `UsageError`. */
    updateSettings(scope: "user" | "local", settings: object): Promise<void>;
    permissionRules(): Promise<SDKPermissionRules>;
    /** Undefined: nobody gave it one. */
    readonly title: string | undefined;
    /** What the session is listed and resumed by. Throws `not_recorded` where the transcript could not be written. */
    setTitle(title: string): void;
    /** Of settings; those of the host are its own. */
    hooks(): Promise<SDKHooksListing>;
    tasks(): SDKBackgroundTask[];
    /** What the user wants reached (`/goal`); null: nothing. */
    goal(): SDKActiveGoal | null;
    /** Called when a command of the background is over, also while no turn runs; the next turn tells it too. Returns what ends that. */
    onTaskEnd(listener: (message: SDKTaskNotification) => void): () => void;
    /** Undefined: there is no such task. */
    stopTask(id: string): Promise<SDKBackgroundTask | undefined>;
    /** Has calls go on without the commands they wait for: that of one call, or all. False: there is none of that call. */
    backgroundTasks(toolUseId?: string): Promise<boolean>;
    taskOutput(id: string): Promise<SDKTaskOutput | undefined>;
    /** A file as the Read tool may see it, unasked. Throws an `Error` where it may not, or cannot be read. */
    readFile(path: string, options?: ReadFileOptions): Promise<SDKFileContents>;
    /** Paths below the folder that hold these characters in this order; the best first, at most 50. */
    suggestFiles(query: string): Promise<string[]>;
    /**
     * What a path may become that somebody has begun to write, from the current folder, from `~` or absolute: what its folder holds
     * under that name's beginning, a folder's name with a slash at its end; where there is none, files below that `suggestFiles` finds.
     * None that .gitignore names, or that may not be read. Where settings have a `fileSuggestion`, the first 15 that its command names
     * instead, if there are any. Rejects once `signal` is aborted.
     */
    completePath(begun: string, signal?: AbortSignal): Promise<string[]>;
    /** The host vouches that the conversation knows this file as it was at `mtimeMs` (ms since the epoch): it may be edited unless it changed since. */
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
/** Names one transcript. */
export interface SessionKey {
    /** Of the folder that is worked in, by its path. */
    projectKey: string;
    sessionId: string;
    /** Of an agent's: `subagents/agent-<id>`. Absent: the session's own. */
    subpath?: string;
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
export interface SessionMessagesOptions extends SessionPlace {
    limit?: number | undefined;
    offset?: number | undefined;
    /** Also boundaries, notices and ends of answers, as `system`. Default false. */
    includeSystemMessages?: boolean | undefined;
    /** Also what a summary stands for. Default false: the conversation since the last one. */
    includeCompacted?: boolean | undefined;
}
/** Where sessions are looked for. */
export interface SessionPlace {
    /** Those of this folder and of its repository's other work trees; absent: of every folder. */
    dir?: string | undefined;
    /** Read instead of the process's environment: `PAWL_HOME`, `HOME`. */
    env?: Record<string, string | undefined> | undefined;
    home?: string | undefined;
}
export type SessionStartHookInput = Of<"SessionStart", "source">;
export interface SessionStore {
    /** Called in the order of writing. What it rejects is tried again twice; what takes longer than 60 s is not. */
    append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
    /** All entries, as they were appended; null where there are none. */
    load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
    /** For `continue`: `mtime` in ms. */
    listSessions?(projectKey: string): Promise<{
        sessionId: string;
        mtime: number;
    }[]>;
    /** The agents of a session. Absent: they are not resumed. */
    listSubkeys?(key: {
        projectKey: string;
        sessionId: string;
    }): Promise<string[]>;
}
/** A line of a transcript. Most have a `uuid`, by which one that comes twice is known. */
export interface SessionStoreEntry {
    type: string;
    uuid?: string;
    timestamp?: string;
    [field: string]: unknown;
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
export type SetupHookInput = Of<"Setup", "trigger">;
/** What a handler gets of it. */
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
    /** As in `AutoCompactTracking`: by this alone. */
    taskTokensLost?: number;
}
/** Nothing was there to do, or what was done did not shrink the request by the stated amount. */
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
    /** What may follow the name; empty for nothing. */
    argumentHint: string;
    aliases?: string[];
    builtin: boolean;
}
/** `waiting`: a turn runs, and it is done at the next border, where it is judged again. */
export type SnipAnswer = {
    state: "applied";
    boundary: SnipBoundaryMessage;
} | {
    state: "waiting";
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
/** Nothing was taken out; `message` says why and what would do. */
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
/** By settings or environment. */
 | "switched_off"
/** The transcript could not be written. */
 | "not_recorded";
/**
 * Takes a snip's span out of a conversation, given and answered whole; undefined: it was not executed, and all is as it was.
 * Pure: the same span is taken out again whenever the session is resumed. The rest stays as it is, the same objects in order.
 */
export type SnipReplay = (boundary: SnipBoundaryMessage, messages: readonly Message[]) => readonly Message[] | undefined;
export interface SnipRequest {
    /** First and last message of the span. */
    fromUuid: string;
    toUuid: string;
    /** For the record. */
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
/** What schemas of zod (4.2 and later), valibot and others offer under `~standard`: the interfaces Standard Schema and Standard JSON Schema. */
export interface StandardSchema<T = unknown> {
    readonly "~standard": {
        readonly validate: (value: unknown) => Verdict<T> | Promise<Verdict<T>>;
        readonly types?: {
            readonly output: T;
        } | undefined;
    };
}
/** A schema for each field. */
export type StandardShape = Readonly<Record<string, StandardSchema>>;
/** The terminal that a status line is for. */
interface StatusLinePlace {
    columns: number;
    rows: number;
    /** The name of the work tree that the session works in. */
    worktree?: string | undefined;
    /** Of the prompt's keys, where they are Vim's. */
    vimMode?: "INSERT" | "NORMAL" | undefined;
}
/** One whose output stands at its prompt. */
interface StatusLineSettings extends CommandSettings {
    /** Columns in front of each line. */
    padding?: number;
    /** Seconds after which it is run again, whatever happens. */
    refreshInterval?: number;
    /** Taken, and without an effect: there is none. */
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
/** A session that works for another one. */
export interface SubagentIdentity {
    agentId: string;
    /** The name of its kind: what matchers of SubagentStop are held against. */
    agentType: string;
    /** Absolute; absent: this session's own. */
    transcriptPath?: string;
}
export type SubagentStartHookInput = Of<"SubagentStart", "agent_id" | "agent_type">;
export type SubagentStopHookInput = Of<"SubagentStop", "stop_hook_active" | "agent_id" | "agent_type">;
export interface SubmitOptions {
    /** The message's uuid; a client's own id for it. */
    uuid?: string | undefined;
    isMeta?: boolean | undefined;
    /** For the model as it is: no command, no file that it names. For text that others wrote. */
    isVerbatim?: boolean | undefined;
    /** Told again with the result. */
    origin?: SDKMessageOrigin | undefined;
}
export interface SystemBlock {
    text: string;
    /** A cache breakpoint falls after this block. */
    cacheBreakpoint?: true;
}
export type SystemPromptOption = string
/** Blocks; `SYSTEM_PROMPT_DYNAMIC_BOUNDARY` among them marks what follows as of this session. */
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
/** Work of a teammate, as the task list has it. */
export interface TeamTask {
    id: string;
    subject: string;
    description?: string;
}
export type TeammateIdleHookInput = Of<"TeammateIdle", "teammate_name">;
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
/** What agent SDKs say of a tool; `annotations.readOnlyHint` is `readOnlyHint`, the rest changes nothing here. */
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
/** A copy of what transcripts get, line by line, kept elsewhere by the host. */
export interface TranscriptMirror {
    /** After each line that was written. `path`: of its transcript, `<home>/projects/<project>/<id>.jsonl` or an agent's below. Must not throw. */
    wrote(path: string, line: string): void;
    /** Resolves once all of it was handed on, or given up. `isLast`: no more will come. Must not reject. */
    settled(isLast: boolean): Promise<void>;
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
export declare class UsageError extends PawlError {
    readonly name = "UsageError";
    readonly code: UsageErrorCode;
    readonly retryable: boolean;
    /** What there is to choose from, a line each; for a terminal, below the message. */
    readonly choices: readonly string[];
    constructor(message?: string, { choices, code, ...options }?: UsageErrorOptions);
}
/** `usage`: an option, a flag or a setting. `session_locked`: another process has it now. */
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
export interface WarmQuery extends AsyncDisposable {
    /** Once; the session is closed with its last message. Throws `SessionError` where it was asked before, or closed. */
    query(prompt: QueryParams["prompt"]): Query;
    /** Closes a session that nobody asked. */
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
/** Marks a session as put away; it is kept and listed all the same. Throws as `renameSession`. */
export declare function archiveSession(sessionId: string, options?: SessionPlace): Promise<void>;
/**
 * Makes a session, or goes on with one. Throws `UsageError`, one sentence each: no key, no such folder, an unknown session,
 * settings that cannot be read, a session that another process holds.
 */
export declare function createEngine(options: Options): Promise<QueryEngine>;
export declare function createSdkMcpServer(options: SdkMcpServerOptions): SdkMcpServer;
/** Removes a session with its agents' conversations, kept files and long results. Throws `UsageError` where it is open anywhere, this process included. */
export declare function deleteSession(sessionId: string, options?: SessionPlace): Promise<void>;
/** Copies a session, which may be in use, under a new id. Throws `UsageError`: an unknown session or message. */
export declare function forkSession(sessionId: string, options?: ForkSessionOptions): Promise<{
    sessionId: string;
}>;
/** Undefined where there is none of that id, or nothing was said in it. */
export declare function getSessionInfo(sessionId: string, options?: SessionPlace): Promise<SDKSessionInfo | undefined>;
/** In the order in which they were said. Throws `UsageError` for an unknown session. */
export declare function getSessionMessages(sessionId: string, options?: SessionMessagesOptions): Promise<SessionMessage[]>;
export declare function getSubagentMessages(sessionId: string, agentId: string, options?: SessionMessagesOptions): Promise<SessionMessage[]>;
declare const hookEvents: readonly ["PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "UserPromptSubmit", "UserPromptExpansion", "SessionStart", "SessionEnd", "Stop", "SubagentStart", "SubagentStop", "TaskCreated", "TaskCompleted", "TeammateIdle", "StopFailure", "PreCompact", "PostCompact", "PermissionRequest", "PermissionDenied", "Notification", "CwdChanged", "DirectoryAdded", "InstructionsLoaded", "ConfigChange", "Setup", "PreModelSwitch", "PostModelSwitch", "WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult", "FileChanged", "MessageDisplay", "PreSkillShellCommand"];
declare function isPermissionMode(value: unknown): value is PermissionMode;
declare function isPermissionUpdate(value: unknown): value is PermissionUpdate;
/** Newest first. Throws `UsageError` for values that cannot be meant. */
export declare function listSessions(options?: ListSessionsOptions): Promise<SDKSessionInfo[]>;
/** Ids of the agents that worked in a session, those that were begun first at the front. */
export declare function listSubagents(sessionId: string, options?: SessionPlace): Promise<string[]>;
/** How much of `max_tokens` a fixed budget of thinking may take: the answer keeps a part. */
declare function mostThinking(maxTokens: number): number;
declare const noHookAnswer: HookAnswer;
declare const noUsage: Usage;
declare const permissionModes: readonly ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"];
/**
 * Runs one prompt, or several one after another. Each ends in one `result`, and so does what agents in the background report after
 * the last. Throws `UsageError` where the session cannot start (no key, unknown session); every other failure is a `result`. Aborting
 * `options.abortController` ends the running prompt with its result, and asks for no other.
 */
export declare function query(params: QueryParams): Query;
/** Throws `UsageError`: an unknown session, one that another process has open, an empty title. */
export declare function renameSession(sessionId: string, title: string, options?: SessionPlace): Promise<void>;
/**
 * Plays a recorded session, and those of its agents, to today's loop: with the model's recorded answers and the recorded results of
 * tools, hooks and permissions. Nothing is executed, written or sent. `session`: an id, a title, or a transcript's path.
 * Throws `UsageError` where there is no such session.
 */
export declare function replaySession(session: string, options?: ReplayOptions): Promise<ReplayReport>;
/** The same for all sessions of a folder of transcripts, oldest first. Default: those of this project. */
export declare function replaySessions(folder?: string, options?: ReplayOptions): Promise<ReplayReport>;
/** Throws `UsageError` for options that are none, and for a folder that is not there. */
export declare function resolveSettings(options?: ResolveSettingsOptions): Promise<ResolvedSettings>;
declare const retryable: {
    /** It does one thing at a time. */
    readonly turn_running: true;
    readonly session_clearing: true;
    readonly files_rewinding: true;
    readonly session_closed: false;
    /** The transcript could not be written. */
    readonly not_recorded: true;
    readonly no_such_server: false;
    /** A call, or a model, that a host asked for: a rule, a hook or a person said no, or its input does not fit. */
    readonly call_refused: false;
    /** A file that may not, or cannot, be read. */
    readonly file_unreadable: false;
};
/** The parts of a written rule. */
declare function ruleParts(rule: string): PermissionRuleValue;
/** As it is written in settings. */
declare function ruleText({ toolName, ruleContent }: PermissionRuleValue): string;
/**
 * Takes a snip's span out of the conversation: `createEngine({ snipReplay })`, then `engine.snip({ fromUuid, toUuid, reason })`.
 * All else stays, the same objects in order. What says something of the messages before it (thinking stripped, results
 * cleared, an earlier snip) stays too. Not executed where one of the two messages is not there, or they are not in order.
 */
export declare const snipReplay: SnipReplay;
/** Throws what `createEngine` does. */
export declare function startup(params?: {
    options?: Options | undefined;
}): Promise<WarmQuery>;
/** Null takes the tag off. Throws as `renameSession`. */
export declare function tagSession(sessionId: string, tag: string | null, options?: SessionPlace): Promise<void>;
/**
 * Makes a tool from a function. The input has been checked before the handler sees it: against a JSON Schema, or by a schema for
 * each field, of zod for example. What the handler throws becomes an error result for the model. Throws `UsageError` where a
 * field's schema cannot be said as JSON Schema, and for a schema or an option that is none.
 */
export declare function tool(name: string, description: string, inputSchema: ToolInputSchema, handler: Handler<ToolInput>, options?: CustomToolOptions & ToolAnnotationOptions): Tool;
export declare function tool<Shape extends StandardShape>(name: string, description: string, inputSchema: Shape, handler: Handler<ShapeOutput<Shape>>, options?: CustomToolOptions & ToolAnnotationOptions): Tool;
declare function totalInputTokens(usage: Usage): number;
declare const turnEndPass: TurnEndAnswer;
export declare function unarchiveSession(sessionId: string, options?: SessionPlace): Promise<void>;
/**
 * `messages` with what stands for the span in its place, and the record itself last. Pure. Where nothing of the span is there
 * any more, only the record is added.
 */
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
