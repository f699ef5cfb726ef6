// Written by `npm run api`. What is exported here is what semantic versioning holds for.
export interface BillSummary {
    /** USD of all calls whose model has a price. */
    totalUsd: number;
    /** By requested model. */
    perModel: Record<string, ModelBill>;
    /** Calls that used tokens but have no price. */
    unpricedCalls: number;
    /** Calls for which something was charged. */
    billedCalls: number;
}
interface BlockFacts {
    type: string;
    digest: Digest;
    /** UTF-8 bytes of the block's JSON without `cache_control` and without media. */
    bytes: number;
    ttl: CacheTtl | undefined;
    images: ImageFacts[];
    documents: {
        pages: number;
        base64Length: number;
        problem: string | undefined;
    }[];
    block: WireBlock;
    /** What the block's signature vouches for, if the scripted model made it and the text is unchanged. */
    seal: Seal | undefined;
    /** The prefix in the seal, ready for comparison. */
    sealedPrefix: Digest | undefined;
    /** The block has such a signature, but its text was changed. */
    isAltered: boolean;
}
export interface CacheFigures {
    promptTokens: number;
    readTokens: number;
    write5mTokens: number;
    write1hTokens: number;
    /** Number of breakpoints in the request, the automatic one included. */
    breakpoints: number;
    /** Share of the prompt that was read, 0 to 1. */
    readShare: number;
}
type CacheTtl = "5m" | "1h";
type ContentFaultKind = (typeof contentFaults)[number];
/** Two 32-bit halves: enough for tests, and fast enough to be mixed a thousand times per request. */
interface Digest {
    a: number;
    b: number;
}
/** A value, or a function of the request (TypeScript only). */
export type Dynamic<T> = T | ((request: RequestView) => T);
/**
 * What each model accepts and how it behaves, from the public model and thinking pages (read 2026-11).
 * A model that is not in the table is unknown: the Anthropic-like server answers 404, the compatible one accepts it.
 */
type EffortLevel = "low" | "medium" | "high" | "xhigh" | "max";
type FactsMemo = WeakMap<object, MessageFacts | BlockFacts>;
export type Fault = {
    kind: HttpFaultKind;
    status?: number;
    type?: string;
    message?: string;
    /** Seconds; sent as `retry-after`. */
    retryAfter?: number;
    headers?: Record<string, string>;
    details?: JsonObject;
    /** For `prompt_too_long`: the figures in the text. */
    tokens?: number;
    maximum?: number;
}
/** Default point: `mid_block`. */
 | {
    kind: "reset" | "stall" | "truncate";
    at?: FaultPoint;
} | {
    kind: "error_event";
    at?: FaultPoint;
    type?: string;
    message?: string;
} | {
    kind: "garbage";
} | {
    kind: "refusal";
    category?: string;
    explanation?: string;
    afterOutput?: boolean;
} | {
    kind: Exclude<ContentFaultKind, "refusal">;
};
export type FaultKind = HttpFaultKind | TransportFaultKind | ContentFaultKind;
/**
 * Where a stream breaks: before the response headers, before the first event, after a number of events, in the middle of the first
 * (or last) content block, between the last block and `message_stop`, or after a share (0 to 1) of the stream.
 */
export type FaultPoint = "headers" | "first_event" | "mid_block" | "mid_last_block" | "before_stop" | {
    events: number;
} | {
    share: number;
};
type HttpFaultKind = keyof typeof httpFaults;
interface ImageFacts {
    size: ImageSize | undefined;
    /** Characters of base64; 0 if the image is given by URL or file id. */
    base64Length: number;
    declaredType: string;
    /** The API's complaint about data that cannot be an image; undefined for base64, or if the data is not in the request. */
    problem: string | undefined;
    /** The image's place in the block: empty, or `content.N.` inside a tool result. */
    inner: string;
}
/** Sizes of images and page counts of documents, read from their headers: enough to apply the published limits. */
interface ImageSize {
    width: number;
    height: number;
    mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
}
/**
 * The Messages API as this directory sees it: bytes in, bytes out. These shapes are written from the public documentation and
 * deliberately shared with nothing else in the package, so that a mistake made there is not repeated here.
 */
export type Json = null | boolean | number | string | Json[] | {
    [key: string]: Json;
};
export type JsonObject = {
    [key: string]: Json;
};
/** A finding that depends on a single message. Its path starts inside that message. */
interface LocalFinding {
    path: string;
    message: string;
}
export interface Match {
    /** The text of the last user message that has text. */
    lastUserText?: TextMatch;
    /** Some tool result in the last message satisfies all of these. */
    lastToolResult?: ToolResultMatch;
    /** Some tool result anywhere in the conversation satisfies all of these. */
    anyToolResult?: ToolResultMatch;
    /** Number of messages in the request. */
    messages?: number | {
        min?: number;
        max?: number;
    };
    /** Number of assistant messages in the request. */
    turns?: number | {
        min?: number;
        max?: number;
    };
    model?: TextMatch;
    system?: TextMatch;
    /** The nth `/v1/messages` call the server has seen, from 1. */
    call?: number;
    /** A tool of this name (or one of these) is on offer. */
    hasTool?: string | string[];
    /** The request offers tools at all. */
    offersTools?: boolean;
    /** The request asks for a summary (`compaction`) instead of a reply. */
    compacts?: boolean;
    /** TypeScript only. */
    test?: (request: RequestView) => boolean;
}
interface MessageFacts {
    role: string;
    blocks: BlockFacts[];
    message: WireMessage;
}
export interface ModelBill {
    calls: number;
    inputTokens: number;
    outputTokens: number;
    cacheWriteTokens: number;
    cacheReadTokens: number;
    /** Undefined if the model has no price. */
    usd: number | undefined;
}
export interface ModelRequest {
    method: string;
    /** May have a prefix and a query: only the end (`/v1/messages`) counts. */
    path: string;
    headers: Record<string, string>;
    body: Uint8Array | string;
    signal?: AbortSignal;
}
/**
 * `body` may throw an error with `code: "ECONNRESET"` (the connection broke), never yield again (a stall, until the
 * request's signal or the iterator's `return` ends it), or simply end early.
 */
export interface ModelResponse {
    status: number;
    headers: Record<string, string>;
    body: AsyncIterable<Uint8Array>;
}
interface ModelTable {
    find(id: string): ModelTraits | undefined;
    list(): string[];
}
export interface ModelTraits {
    contextWindow: number;
    maxOutput: number;
    thinking: ThinkingTraits;
    /** Empty: the model does not support `output_config.effort`. */
    efforts: readonly EffortLevel[];
    defaultEffort: EffortLevel;
    /** Rejects temperature, top_p and top_k other than the defaults. */
    fixedSampling: boolean;
    /** Accepts a conversation that ends with an assistant message. */
    prefill: boolean;
    forcedToolChoice: boolean;
    /** Accepts `role: "system"` inside `messages`. */
    systemRole: boolean;
    /** Thinking blocks are bound to their exact prefix. */
    preservedThinking: boolean;
    /** Thinking of earlier turns stays in the prompt (and is billed). */
    keepsPriorThinking: boolean;
    /** Shortest cacheable prefix in tokens. */
    cacheMinimum: number;
    /** Long edge in pixels above which images are scaled down, and the token cap that goes with it. */
    imageEdge: number;
    imageTokenCap: number;
    taskBudget: boolean;
    /** Writes signed summaries on request, and accepts them back. */
    compaction: boolean;
    fastMode: "yes" | "ignored" | "no";
    /** Other models whose thinking it may read. Blocks of any other model are dropped without an error. */
    readsThinkingOf: readonly string[];
}
type Outcome = "pending" | "complete" | "cut" | "refused" | "error";
export interface Pace {
    /** Characters of one delta. Default 64. */
    deltaCharacters?: number;
    /** Waits before each delta. Default 0. */
    delayMs?: number;
    /** Waits before the first byte. Default 0. */
    firstByteMs?: number;
    /** Waits between the end of one content block and the next event. Default 0. */
    blockDelayMs?: number;
    /** Cuts the byte stream into pieces of this size, even inside UTF-8 sequences. */
    bytesPerChunk?: number;
}
/** Text, thinking and tool calls may also be written in the API's own form: with their `type`, and a tool call with its `name`. */
export type Part = string | {
    type?: "text";
    text: Dynamic<string> | Selector;
    citations?: Json[];
}
/** Left out if the request does not think; sent with empty text if the request's `display` omits thinking. */
 | {
    type?: "thinking";
    thinking: Dynamic<string> | Selector;
} | {
    redactedThinking: string;
} | ToolPart | ToolUsePart | {
    serverTool: string;
    input?: JsonObject;
    id?: string;
}
/** A signed summary, as on-demand compaction returns it. */
 | {
    compaction: string;
}
/** Any block, sent as it is: start and stop without deltas. */
 | {
    block: WireBlock;
};
export interface Price extends Rates {
    /** Rates for a whole call whose prompt (input, cache writes and reads together) has more tokens than this. */
    above?: {
        promptTokens: number;
        rates: Rates;
    };
    /** Rates under `speed: "fast"`. */
    fast?: Rates;
}
export interface RandomFaults {
    seed: number;
    /** 0 to 1, for each `/v1/messages` request. */
    probability: number;
    /** Default: every kind that a client is expected to recover from. */
    kinds?: FaultKind[];
    /** Maximum number of faults in a row in one conversation. Default 3. */
    maxInARow?: number;
}
/** USD per million tokens. */
export interface Rates {
    input: number;
    output: number;
    cacheWrite5m: number;
    cacheWrite1h: number;
    cacheRead: number;
}
export interface Reply {
    /** A string is one text part. Default: nothing, which is an empty `end_turn`. */
    content?: string | Part[];
    /** Default: `tool_use` if a client tool is called, else `end_turn`. */
    stopReason?: string;
    stopSequence?: string;
    stopDetails?: JsonObject;
    /** Replaces computed figures in the reported usage and in the bill. */
    usage?: JsonObject;
    /** The model id reported; default: the requested one. */
    model?: string;
    headers?: Record<string, string>;
    pace?: Pace;
    fault?: Fault | FaultKind;
    /** Extra stream events outside the protocol, each sent after the event with that index (0 = `message_start`). */
    extraEvents?: {
        after: number;
        event?: string;
        data: Json;
    }[];
}
export type ReplySource = string | Reply | ((request: RequestView) => Reply | string);
export interface RequestProblem {
    request: number;
    status: number;
    message: string;
}
export interface RequestRecord {
    /** From 1, over all endpoints. */
    number: number;
    /** Milliseconds since the model was created. */
    at: number;
    method: string;
    path: string;
    endpoint: "messages" | "count_tokens" | "models" | "health" | "unknown";
    headers: Record<string, string>;
    /** The parsed body; undefined if it was not JSON. Must not be changed: records share the history. */
    body: WireRequest | undefined;
    bodyBytes: number;
    /** The conversation the request belongs to, by its first user message. */
    conversation: string;
    violations: Violation[];
    status: number;
    /** The source of the reply: `step 2`, `rule "name"`, `fallback`; empty for refused requests. */
    source: string;
    /** The kind of the injected fault. */
    fault: string | undefined;
    outcome: Outcome;
    stopReason: string | undefined;
    /** As reported, with the output tokens streamed so far. */
    usage: WireUsage | undefined;
    /** USD; undefined if nothing was charged or the model has no price. */
    costUsd: number | undefined;
    isBilled: boolean;
    cache: CacheFigures | undefined;
}
declare class RequestView {
    #private;
    readonly body: WireRequest;
    readonly headers: Readonly<Record<string, string>>;
    /** The nth `/v1/messages` call the server has seen, from 1. */
    readonly call: number;
    /** The nth call of this conversation, from 1. */
    readonly conversationCall: number;
    constructor(body: WireRequest, headers: Record<string, string>, call: number, conversationCall: number);
    get model(): string;
    get messages(): WireMessage[];
    get systemText(): string;
    /** Names of the tools on offer. */
    get tools(): string[];
    /** Number of assistant messages. */
    get turns(): number;
    /** Text of the last user message that has any; tool results do not count. */
    get lastUserText(): string;
    get firstUserText(): string;
    /** Every tool result, oldest first. */
    get toolResults(): ToolResultView[];
    /** The results sent since the last assistant message, in their order. */
    get lastToolResults(): ToolResultView[];
    hasTool(...names: string[]): boolean;
}
export interface ResultSelector extends TextSelector {
    /** Only results of this tool (alternatives with `|`). Default: any. */
    tool?: string;
    /** `last` (default) looks from the newest result backwards, `first` from the oldest. */
    pick?: "first" | "last";
}
export interface Rule {
    /** Shown in records and errors. */
    name?: string;
    /** All conditions must hold. An empty object matches everything. */
    when: Match;
    reply: ReplySource;
    /** How often the rule may answer; then it no longer matches. Default: without limit. */
    times?: number;
}
export interface Script {
    /** Replies in order, each used once. A step that is never used makes `assertDone()` fail. */
    steps?: Step[];
    /** Checked before the steps, in order; the first rule that matches answers. Each may be used any number of times. */
    rules?: Rule[];
    /** Answers when no rule matches and the steps are used up. Without a fallback, such a request is refused with a 400. */
    fallback?: ReplySource;
    /**
     * Whether each conversation has its own run through `steps`. `true` distinguishes conversations by their first user message,
     * `{ header }` by a request header. Default: one sequence for the whole server.
     */
    perConversation?: boolean | {
        header: string;
    };
    /**
     * `consumed` (default): the next unused step. `turns`: the step whose index is the number of assistant messages in the request,
     * so that the same request always gets the same reply, even after either side restarts.
     */
    stepBy?: "consumed" | "turns";
    /** Overrides of, and additions to, the built-in model table. */
    models?: Record<string, Partial<ModelTraits>>;
    /** USD per million tokens by model id; overrides the built-in price list. */
    prices?: Record<string, Price>;
    /** Random faults, the same ones for the same seed. */
    faults?: RandomFaults;
    /** Replaces every model's context window, in tokens. */
    window?: number;
    /** Default pacing of every reply. */
    pace?: Pace;
}
export interface ScriptedModel {
    handle(request: ModelRequest): Promise<ModelResponse>;
    readonly requests: readonly RequestRecord[];
    /** Every request that was refused as invalid, in order, with one entry per violation. */
    readonly violations: readonly RequestProblem[];
    /** Requests for which the script had no reply, or whose reply could not be made. */
    readonly scriptProblems: readonly RequestProblem[];
    /** What the API would charge for everything so far, including failed and cut calls. */
    readonly bill: BillSummary;
    /** Share of all prompt tokens that came from the cache, 0 to 1. */
    readonly cacheReadShare: number;
    unusedSteps(): UnusedStep[];
    /** Throws an error that lists refused requests, script problems and unused steps, if there are any. */
    assertDone(): void;
}
export interface ScriptedModelOptions extends Pick<ValidationOptions, "endpoint" | "strictAlternation" | "requireKey" | "enforceBinding"> {
    /** `off` serves every request that can be read. Default `full`. */
    validate?: "full" | "light" | "off";
    /** Milliseconds. Default: the system clock. Decides cache lifetimes and record times. */
    now?: () => number;
    /** Default: a real timer that ends early with the signal. */
    sleep?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
    /** Default: 3.5 bytes of JSON per token. */
    bytesPerToken?: number;
    /** Called once a request has been answered, cut off or refused. */
    onRecord?: (record: RequestRecord) => void;
    /** Mixed into every id that the server makes. Default 1. */
    seed?: number;
}
export interface ScriptedServer extends ScriptedModel {
    /** `http://127.0.0.1:PORT`, suitable for `ANTHROPIC_BASE_URL`. */
    readonly url: string;
    readonly port: number;
    /** Closes every connection, even stalled ones, and leaves no handle behind. Afterwards each record says how it ended. */
    close(): Promise<void>;
    /** Same as `close`, for `await using`: a failing test leaves no server that keeps the process alive. */
    [Symbol.asyncDispose](): Promise<void>;
}
interface Seal {
    model: string;
    /** Digest of everything before the block: tools, system, messages, earlier blocks of the same message. */
    prefix: string;
    /** Digest of the block's own text. */
    content: string;
    /** The response that contains the block, and its index among that response's thinking blocks. For a summary: `summaryContext`. */
    response: string;
    index: number;
}
/** A value taken from the request, for scripts in JSON. */
export type Selector = {
    $fromResult: ResultSelector;
} | {
    $fromUser: TextSelector;
} | {
    $concat: Json[];
};
export interface ServerOptions extends ScriptedModelOptions {
    /** Default 0: any free port. */
    port?: number;
    /** Default 127.0.0.1. */
    host?: string;
}
export type Step = ReplySource;
/** A string must be contained; an expression must match. */
export type TextMatch = string | RegExp | {
    regex: string;
    flags?: string;
};
export interface TextSelector {
    /** Default: the whole text. */
    regex?: string;
    flags?: string;
    /** Capture group; default 1 if the expression has one, else 0. */
    group?: number;
    /** Used if nothing matches; without a default the script fails. */
    default?: Json;
}
interface ThinkingTraits {
    adaptive: boolean;
    enabled: boolean;
    /** `modest-effort`: turning thinking off is allowed only at effort high or below. */
    disabled: boolean | "modest-effort";
    betweenTools: boolean;
    /** Whether a request without a `thinking` field thinks. */
    defaultOn: boolean;
    defaultDisplay: "omitted" | "summarized";
}
export interface ToolPart {
    /** The tool's name. Alternatives (`"Read|read_file|View"` or a list) are resolved against the offered tools. */
    tool: string | string[];
    /**
     * Keys may have alternatives too (`"file_path|path"`), resolved against the tool's own schema. Values may be selectors. In
     * TypeScript, `input` may also be a function of the request.
     */
    input?: Dynamic<JsonObject>;
    /** Sent instead of the JSON of `input`, byte for byte. */
    rawInput?: string;
    /** Default: made by the server. */
    id?: string;
}
export interface ToolResultMatch {
    /** The tool's name, or alternatives. */
    tool?: string | string[];
    text?: TextMatch;
    isError?: boolean;
}
export interface ToolResultView {
    id: string;
    /** The tool name of the call that this result answers; empty if the call is not in the request. */
    tool: string;
    input: Json;
    /** Text blocks joined by newlines. */
    text: string;
    isError: boolean;
}
/** A tool call in the API's own form. */
export interface ToolUsePart extends Omit<ToolPart, "tool"> {
    type: "tool_use";
    name: ToolPart["tool"];
}
type TransportFaultKind = (typeof transportFaults)[number];
export interface UnusedStep {
    /** From 1. */
    step: number;
    conversation: string;
}
export interface ValidationOptions {
    /** `compatible`: another vendor's endpoint for the same protocol; model rules and signatures are not checked. */
    endpoint?: "anthropic" | "compatible";
    /**
     * Refuse consecutive messages of one role (default true). The real API merges them, but an agent that promises alternation should
     * learn of a mistake.
     */
    strictAlternation?: boolean;
    /** Whether a key is required. Default true. */
    requireKey?: boolean;
    /**
     * Refuse thinking blocks whose prefix has changed, on the models that bind them. Default true, as for accounts created since
     * 2026-08-31; the 5.2 models always enforce it.
     */
    enforceBinding?: boolean;
    /** `light`: headers, shapes, pairing and thinking only. Default `full`. */
    depth?: "full" | "light";
    models?: ModelTable;
    /** Which endpoint's rules apply: `count_tokens` needs no `max_tokens`. Default `messages`. */
    operation?: "messages" | "count_tokens";
}
/** What a server remembers between requests. Without it, each request is validated alone. */
export interface ValidationState {
    memo: FactsMemo;
    localChecks: WeakMap<object, LocalFinding[]>;
    /** Block types that replies contained beyond the documented ones: sending them back is legal. */
    knownBlockTypes: Set<string>;
    /** Prefix digests after a `pause_turn` reply: such a conversation may be sent back unchanged. */
    pausedPrefixes: Set<string>;
    /** For each tool call made: the response that contained it, and the number of thinking blocks before it in that response. */
    thinkingBefore: Map<string, {
        response: string;
        count: number;
    }>;
}
export interface Violation {
    status: number;
    /** The API's `error.type`. */
    type: string;
    /** The whole text as the API would send it, including the path. */
    message: string;
    /** The API's `error.details.error_code`, if there is one. */
    code?: string;
}
/** A content block in either direction. Only `type` is certain; the validator checks the rest. */
interface WireBlock {
    type: string;
    [key: string]: unknown;
}
interface WireMessage {
    role: string;
    content: string | WireBlock[];
    [key: string]: unknown;
}
/** A request body that has passed the shape checks. */
interface WireRequest {
    model: string;
    max_tokens: number;
    messages: WireMessage[];
    system?: string | WireBlock[];
    tools?: WireTool[];
    stream?: boolean;
    thinking?: {
        type: string;
        budget_tokens?: number;
        display?: string;
        [key: string]: unknown;
    };
    tool_choice?: {
        type: string;
        name?: string;
        [key: string]: unknown;
    };
    output_config?: {
        effort?: string;
        [key: string]: unknown;
    };
    [key: string]: unknown;
}
interface WireTool {
    name: string;
    type?: string;
    input_schema?: {
        properties?: Record<string, unknown>;
        [key: string]: unknown;
    };
    [key: string]: unknown;
}
/** Token counts of one call, under the API's own names. `input_tokens` excludes cache reads and writes. */
interface WireUsage {
    input_tokens: number;
    cache_creation_input_tokens: number;
    cache_read_input_tokens: number;
    cache_creation: {
        ephemeral_5m_input_tokens: number;
        ephemeral_1h_input_tokens: number;
    };
    output_tokens: number;
    service_tier?: string;
    [key: string]: unknown;
}
/** Changes the content of the answer, not its delivery. */
declare const contentFaults: readonly ["invalid_tool_json", "max_tokens_in_tool", "duplicate_tool_ids", "empty", "refusal", "pause_turn", "window_exceeded", "split_utf8", "slow_drip"];
/** Throws if the script or an option is invalid, naming each mistake, its place and what is allowed there. */
export declare function createScriptedModel(script: Script, options?: ScriptedModelOptions): ScriptedModel;
export declare function createValidationState(): ValidationState;
/** Answers with an error status before any stream. */
declare const httpFaults: {
    readonly overloaded: {
        readonly status: 529;
        readonly type: "overloaded_error";
        readonly message: "Overloaded";
    };
    readonly rate_limit: {
        readonly status: 429;
        readonly type: "rate_limit_error";
        readonly message: "This request would exceed your organization's rate limit. Please try again later.";
    };
    readonly spend_limit: {
        readonly status: 429;
        readonly type: "rate_limit_error";
        readonly message: "You have reached your organization's enforced spend limit.";
    };
    readonly server_error: {
        readonly status: 500;
        readonly type: "api_error";
        readonly message: "Internal server error";
    };
    readonly unavailable: {
        readonly status: 503;
        readonly type: "api_error";
        readonly message: "Service unavailable";
    };
    readonly gateway_timeout: {
        readonly status: 504;
        readonly type: "timeout_error";
        readonly message: "Request timed out";
    };
    readonly request_timeout: {
        readonly status: 408;
        readonly type: "timeout_error";
        readonly message: "Request timeout";
    };
    readonly conflict: {
        readonly status: 409;
        readonly type: "conflict_error";
        readonly message: "The request conflicts with another one.";
    };
    readonly unauthenticated: {
        readonly status: 401;
        readonly type: "authentication_error";
        readonly message: "invalid x-api-key";
    };
    readonly billing: {
        readonly status: 402;
        readonly type: "billing_error";
        readonly message: "Your credit balance is too low to access the API.";
    };
    readonly forbidden: {
        readonly status: 403;
        readonly type: "permission_error";
        readonly message: "Your API key does not have permission.";
    };
    readonly not_found: {
        readonly status: 404;
        readonly type: "not_found_error";
        readonly message: "model: not available";
    };
    readonly too_large: {
        readonly status: 413;
        readonly type: "request_too_large";
        readonly message: "Request exceeds the maximum size";
    };
    readonly prompt_too_long: {
        readonly status: 400;
        readonly type: "invalid_request_error";
        readonly message: "prompt is too long";
    };
    readonly bad_request: {
        readonly status: 400;
        readonly type: "invalid_request_error";
        readonly message: "The request was refused by the script.";
    };
    /** A summary cannot be made or read for the moment. */
    readonly compaction_unavailable: {
        readonly status: 529;
        readonly type: "overloaded_error";
        readonly message: "Compaction is temporarily unavailable";
    };
};
/** Rejects if the script or an option is invalid, just as `createScriptedModel` throws. */
export declare function startScriptedServer(script: Script, options?: ServerOptions): Promise<ScriptedServer>;
/** Breaks the connection or the stream at a chosen point. */
declare const transportFaults: readonly ["reset", "stall", "truncate", "error_event", "garbage"];
/**
 * Validates one request as the API would.
 *
 * @param body the parsed JSON body.
 * @param headers names in any case.
 * @param state from `createValidationState()`. Kept over a conversation, it makes repeated checks of a growing history cheap;
 * messages must then not be changed in place. Without it, every call starts afresh.
 * @returns an empty list for a valid request, else every violation found, in the API's order.
 */
export declare function validateRequest(body: unknown, headers: Record<string, string>, state?: ValidationState, options?: ValidationOptions): Violation[];
export type { RequestView };
export {};
