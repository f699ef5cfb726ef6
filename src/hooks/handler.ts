/** A configured hook, read from a settings file and checked. */
import { addressForDisplay } from "../lib/basic-credentials.ts";
import type { HookEvent } from "../protocol/hook.ts";

/** `user`, `flag`, `policy`: the user's own. `project`, `local`: from the project's folder. */
export type HookOrigin = "policy" | "flag" | "user" | "project" | "local" | "plugin";

interface HandlerBase {
  /** One permission rule; the hook runs only for calls that match it. */
  condition?: string;
  /** Seconds. */
  timeout?: number;
  statusMessage?: string;
  /** A failure of the hook counts as a block. */
  blocksOnFailure: boolean;
  /** Runs only once in a session. */
  once?: true;
}

export interface CommandHandler extends HandlerBase {
  type: "command";
  command: string;
  /** If present, no shell is used: `command` is a program and these are its arguments. */
  args?: string[];
  shell?: "bash";
  isAsync: boolean;
  /** If an async hook exits with 2, the model is told at once. */
  wakes: boolean;
  /** A text to put before what the model is told then. */
  wakeMessage?: string;
}

export interface HttpHandler extends HandlerBase {
  type: "http";
  url: string;
  headers: Record<string, string>;
  allowedEnvVars: string[];
}

export interface ModelHandler extends HandlerBase {
  type: "prompt" | "agent";
  prompt: string;
  model?: string;
  continueOnBlock: boolean;
}

export interface McpHandler extends HandlerBase {
  type: "mcp_tool";
  server: string;
  tool: string;
  input: Record<string, unknown>;
}

export type HookHandler = CommandHandler | HttpHandler | ModelHandler | McpHandler;

export interface ConfiguredHook {
  event: HookEvent;
  matcher?: string;
  handler: HookHandler;
  origin: HookOrigin;
  /** Where the hook is configured: a file's path, or `--settings`. */
  source: string;
  /** Set on a hook of a plugin that an administrator enables. */
  isAdministrators?: true;
  /** Set on a hook of the session that started this agent: it may forbid, but permits nothing. */
  isAbove?: true;
  /** Set on a skill's hook: it runs even if an identical hook is configured in settings. */
  isSkills?: true;
  /** Additional variables for its environment and its arguments, such as its plugin's folder. */
  variables?: Readonly<Record<string, string>>;
}

/** The time limit of most hooks, ms. */
export const defaultTimeoutMs = 600_000;

/** Returns the time limit of a handler that configures none, in seconds. */
export function defaultTimeoutSeconds(event: HookEvent, type: HookHandler["type"]): number {
  if (type === "prompt") return 30;
  if (type === "agent") return 60;
  if (event === "MessageDisplay") return 10;
  return event.startsWith("UserPrompt") ? 30 : defaultTimeoutMs / 1_000;
}

/** Returns one line by which a person recognises the hook. */
export function handlerName(handler: HookHandler): string {
  switch (handler.type) {
    case "command":
      return [handler.command, ...(handler.args ?? [])].join(" ");
    case "http":
      return addressForDisplay(handler.url);
    case "mcp_tool":
      return `${handler.tool} of ${handler.server}`;
    case "prompt":
    case "agent":
      return `${handler.type}: ${handler.prompt}`;
    default:
      return handler satisfies never;
  }
}

const environmentEvents: ReadonlySet<HookEvent> = new Set(["SessionStart", "Setup", "CwdChanged", "FileChanged"]);

/** Whether hooks of this event may set environment variables for later commands. */
export function maySetEnvironment(event: HookEvent): boolean {
  return environmentEvents.has(event);
}
