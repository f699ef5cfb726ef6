/**
 * Variables whose value is invalid, or that this version cannot follow. Each is reported once at the start of a session and ignored.
 * Variables for requests and turn limits are reported where they are read.
 */
import { isAbsolute } from "node:path";
import { configuredTemporaryFolder } from "../../lib/temporary-folder.ts";
import type { Environment } from "../../lib/environment.ts";
import { yesOrNo } from "../../lib/yes-or-no.ts";
import { configuredRipgrep } from "../../tools/search/configured-ripgrep.ts";
import { configuredShell } from "../../tools/shell/configured-shell.ts";
import { variablesOf } from "./variables.ts";

/** Variables that hold whole numbers, by the smallest value they accept. */
const numberVariables: Readonly<Record<number, string>> = {
  0: `CLAUDE_ASYNC_AGENT_STALL_TIMEOUT_MS CLAUDE_CODE_EXIT_AFTER_STOP_DELAY
    CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS`,
  1: `BASH_DEFAULT_TIMEOUT_MS BASH_MAX_OUTPUT_LENGTH BASH_MAX_TIMEOUT_MS CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS
    CLAUDE_CODE_GLOB_TIMEOUT_SECONDS CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS
    CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS CLAUDE_CODE_WEBFETCH_CACHE_TTL_MS MAX_MCP_OUTPUT_TOKENS
    MAX_STRUCTURED_OUTPUT_RETRIES MCP_TIMEOUT CLAUDE_SUBAGENT_BG_SHELL_MAX_MS SLASH_COMMAND_TOOL_CHAR_BUDGET`,
  1000: "MCP_TOOL_TIMEOUT",
};

const flagVariables = `CLAUDE_AX_SCREEN_READER CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD
  CLAUDE_CODE_DISABLE_AUTO_MEMORY CLAUDE_CODE_DISABLE_BACKGROUND_TASKS CLAUDE_CODE_DISABLE_CLAUDE_MDS
  CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS CLAUDE_CODE_DISABLE_WEB_FETCH
  CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS
  CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING CLAUDE_CODE_ENABLE_TASKS CLAUDE_CODE_ENABLE_TELEMETRY
  CLAUDE_CODE_ENABLE_TODO_TOOLS CLAUDE_CODE_ENHANCED_TELEMETRY_BETA CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS
  CLAUDE_CODE_GLOB_HIDDEN CLAUDE_CODE_GLOB_NO_IGNORE CLAUDE_CODE_PROPAGATE_TRACEPARENT
  CLAUDE_CODE_RESUME_INTERRUPTED_TURN CLAUDE_CODE_SAFE_MODE CLAUDE_CODE_SIMPLE CLAUDE_CODE_SKIP_PROMPT_HISTORY
  CLAUDE_CODE_SUBPROCESS_ENV_SCRUB`;

const numbers = Object.entries(numberVariables).map(([least, names]) => [Number(least), names.split(/\s+/u)] as const);
const flagNames = flagVariables.split(/\s+/u);

export function environmentProblems(env: Environment): string[] {
  const trimmedValue = (name: string): string => env[name]?.trim() ?? "";
  const wrong: string[] = [];
  const variables = variablesOf(env, (text) => wrong.push(text));
  for (const [least, names] of numbers) for (const name of names) variables.number(name, least);
  for (const name of flagNames) variables.flag(name);
  const search = trimmedValue("ENABLE_TOOL_SEARCH");
  if (search !== "" && yesOrNo(search) === undefined && !/^auto(?::\d{1,3})?$/iu.test(search))
    wrong.push("ENABLE_TOOL_SEARCH is ignored: it is none of true, false, auto:N.");
  const age = trimmedValue("CLAUDE_CODE_RESUME_INTERRUPTED_TURN_MAX_AGE_MS");
  if (age !== "" && !(Number(age) >= 0 && Number(age) < Infinity))
    wrong.push("CLAUDE_CODE_RESUME_INTERRUPTED_TURN_MAX_AGE_MS is not a number of at least 0: one hour is used.");
  const shell = configuredShell(env);
  if (shell?.ok === false) wrong.push(`CLAUDE_CODE_SHELL is ignored: ${shell.why}.`);
  const ripgrep = configuredRipgrep(env);
  if (ripgrep?.ok === false) wrong.push(`PAWL_RG is ignored: ${ripgrep.why}.`);
  const temporary = configuredTemporaryFolder(env);
  if (temporary?.ok === false) wrong.push(`CLAUDE_CODE_TMPDIR is ignored: ${temporary.why}.`);
  const file = env["CLAUDE_ENV_FILE"] ?? "";
  if (file !== "" && !isAbsolute(file)) wrong.push("CLAUDE_ENV_FILE is ignored: it is not an absolute path.");
  const isOff = (text: string): boolean => text === "" || /^none$/iu.test(text) || yesOrNo(text) === false;
  for (const [name, why] of unsupportedVariables)
    if (!isOff(trimmedValue(name))) wrong.push(`${name} is ignored: ${why}.`);
  return wrong;
}

/** Variables this version cannot follow, reported because somebody relies on them. */
const unsupportedVariables = [
  ["CLAUDE_CODE_TOOL_MEMORY_LIMIT", "this version does not limit the memory of commands"],
  ["CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS", "calls of MCP tools are always waited for, up to their time limit"],
  ["CLAUDE_AGENT_SDK_MCP_NO_PREFIX", "tools of servers keep the names that rules know them by"],
] as const;
