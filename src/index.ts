/// <reference lib="esnext.disposable" preserve="true" />
/**
 * pawl as a library: `createEngine` for a session over many turns, `query` for one prompt, `tool` for tools of your own.
 * Hundreds of sessions run in one process.
 */
export { createEngine } from "./session/compose.ts";
export { query } from "./session/query/query.ts";
export { startup, type WarmQuery } from "./session/query/startup.ts";
export { resolveSettings } from "./session/settings/resolve-settings.ts";
export type {
  ResolvedSetting,
  ResolvedSettings,
  ResolvedSettingSource,
  ResolveSettingsOptions,
} from "./session/settings/resolved-settings.ts";
export { AbortError, EXIT_REASONS, HOOK_EVENTS } from "./session/convention/names.ts";
export type { PromptInput, Query, QueryParams } from "./session/query/query-types.ts";
export type {
  CanUseTool,
  CanUseToolContext,
  HookCallback,
  HookCallbacks,
  Options,
  PermissionResult,
  QueryOptions,
  SystemPromptOption,
} from "./session/options/query-options.ts";
export type * from "./session/options/hook-inputs.ts";
export { SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from "./session/convention/system-prompt.ts";
export type { ReadFileOptions, SessionDesk } from "./session/desk/desk.ts";
export { QueryEngine } from "./session/engine.ts";
export type { SessionCost } from "./session/desk/cost.ts";
export type { SubmitOptions } from "./session/intake/intake.ts";
export type { CompactAnswer } from "./session/context/compaction.ts";
export type { SideAnswer } from "./session/forks/side-question.ts";
export type { SessionBackground } from "./session/side-work.ts";
export type { RewindFilesOptions, RewindFilesResult } from "./session/files/rewind-types.ts";
export { SnipError, type SnipAnswer, type SnipErrorCode, type SnipRequest } from "./session/context/snips.ts";
export { replaySession, replaySessions } from "./session/replay/replay-session.ts";
export type {
  ReplayDifference,
  ReplayedSession,
  ReplayedTurn,
  ReplayOptions,
  ReplayReport,
} from "./session/replay/report.ts";
export type { TranscriptMirror } from "./session/options/transcript-mirror.ts";
export { InMemorySessionStore } from "./session/mirror/in-memory-store.ts";
export type { SessionKey, SessionStore, SessionStoreEntry } from "./session/options/host-store.ts";
export { snipReplay } from "./context/snip-replay.ts";
export {
  tool,
  type CustomToolAnswer,
  type CustomToolOptions,
  type McpToolAnswer,
  type ToolAnnotationOptions,
} from "./session/tools/custom-tool.ts";
export type { ShapeOutput, StandardSchema, StandardShape } from "./session/tools/standard-shape.ts";
export { createSdkMcpServer, type SdkMcpServer, type SdkMcpServerOptions } from "./session/tools/sdk-mcp-server.ts";
export {
  archiveSession,
  deleteSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  listSessions,
  listSubagents,
  renameSession,
  tagSession,
  unarchiveSession,
} from "./session/sessions/functions.ts";
export type {
  ForkSessionOptions,
  ListSessionsOptions,
  SessionMessagesOptions,
  SessionPlace,
} from "./session/sessions/options.ts";
export { PawlError } from "./lib/pawl-error.ts";
export { SessionError, type SessionErrorCode } from "./lib/session-error.ts";
export { UsageError, type UsageErrorCode } from "./lib/usage-error.ts";
export type {
  EngineOptions,
  HookCallbackMatcher,
  HookCallbackOutput,
  HttpAnswer,
  HttpExchange,
} from "./session/options/options.ts";
export type { AgentLimits } from "./session/options/agent-limits.ts";
export type { BranchOptions } from "./session/kept-choices.ts";
export type { ClockPort, IdPort, LoopLimits } from "./loop/ports.ts";
export type * from "./protocol/index.ts";
