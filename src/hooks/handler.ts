/** A configured hook: what a settings file says of it, read and checked. */
import { shownAddress } from "../lib/basic-credentials.ts";
import type { HookEvent } from "../protocol/hook.ts";

/** `user`, `flag`, `policy`: the user's own. `project`, `local`: from the folder that is worked in. */
export type HookOrigin = "policy" | "flag" | "user" | "project" | "local" | "plugin";

interface HandlerBase {
  /** One permission rule; the hook runs for the calls it concerns. */
  condition?: string;
  /** Seconds. */
  timeout?: number;
  statusMessage?: string;
  /** Its failure counts as a block. */
  blocksOnFailure: boolean;
  /** Runs one time in a session. */
  once?: true;
}

export interface CommandHandler extends HandlerBase {
  type: "command";
  command: string;
  /** Present: no shell; the command is a program and these are its arguments. */
  args?: string[];
  shell?: "bash";
  isAsync: boolean;
  /** Exit 2 of an async hook is told to the model at once. */
  wakes: boolean;
  /** Stands before what is told then. */
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
  /** Where it stands: a file's path or `--settings`. */
  source: string;
  /** Of a plugin that an administrator turns on. */
  isAdministrators?: true;
  /** Of whoever started the agent: it permits nothing. */
  isAbove?: true;
  /** Of a skill: it runs beside one of settings that is the same. */
  isSkills?: true;
  /** Further ones for its environment and its arguments, such as where its plugin lies. */
  variables?: Readonly<Record<string, string>>;
}

/** What most hooks have, ms. */
export const usualTimeoutMs = 600_000;

/** Seconds a handler may take where its configuration does not say. */
export function defaultTimeout(event: HookEvent, type: HookHandler["type"]): number {
  if (type === "prompt") return 30;
  if (type === "agent") return 60;
  if (event === "MessageDisplay") return 10;
  return event.startsWith("UserPrompt") ? 30 : usualTimeoutMs / 1_000;
}

/** What a person recognises it by, in one line. */
export function nameOf(handler: HookHandler): string {
  switch (handler.type) {
    case "command":
      return [handler.command, ...(handler.args ?? [])].join(" ");
    case "http":
      return shownAddress(handler.url);
    case "mcp_tool":
      return `${handler.tool} of ${handler.server}`;
    case "prompt":
    case "agent":
      return `${handler.type}: ${handler.prompt}`;
    default:
      return handler satisfies never;
  }
}

const writers: ReadonlySet<HookEvent> = new Set(["SessionStart", "Setup", "CwdChanged", "FileChanged"]);

/** Whether its hooks may say what commands find in their environment. */
export function writesEnvironment(event: HookEvent): boolean {
  return writers.has(event);
}
