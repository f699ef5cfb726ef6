/** Reads one entry of a group's `hooks`: the handler, with the fields of its type. */
import { withoutUndefined } from "../lib/without-undefined.ts";
import { isRecord } from "../lib/is-record.ts";
import { parseWebAddress } from "../lib/web-address.ts";
import { withoutNulls } from "../lib/without-nulls.ts";
import type { HookEvent } from "../protocol/hook.ts";
import type { HookHandler } from "./handler.ts";
import { reportMisspeltFields, type ReportProblem } from "./hook-problem.ts";
import { modelHookEvents } from "./output-events.ts";

type Fields = Record<string, unknown>;

const handlerFields = (
  "type if timeout statusMessage once onFailure command args async asyncRewake rewakeMessage shell url headers allowedEnvVars " +
  "server tool input prompt model continueOnBlock"
).split(" ");

/** Whether a handler, checked or not, asks that its failure count as a block. */
export function isGuard(handler: unknown): boolean {
  return isRecord(handler) && handler["onFailure"] === "block";
}

/**
 * Variables that widely copied guides and templates use. No hook gets them, so a check based on them checks nothing. A command that gives a
 * default (`${CLAUDE_FILE_PATHS:-}`) is deliberate.
 */
const unavailableVariable =
  /\$\{?(CLAUDE_(?:TOOL_(?:NAME|INPUT|INPUT_\w+|ARGS|FILE_PATH|OUTPUT|RESULT|RESPONSE|EXIT_CODE)|FILE_PATHS?|EVENT_TYPE|USER_PROMPT)|TOOL_(?:NAME|INPUT|OUTPUT))\b(?!:?[-+?=])/gu;

function adviseOnVariable(command: unknown, place: string, complain: ReportProblem): void {
  if (typeof command !== "string") return;
  const names = [...command.matchAll(unavailableVariable)].map(([, name = ""]) => name);
  const name = names.find((each) => !isSetIn(command, each));
  if (name === undefined) return;
  complain(
    `${place}.command names $${name}, which hooks are not given: the event's input is JSON on standard input`,
    "advice",
  );
}

/** A file or text that the shell reads may set anything. */
const readsScript = /(?:^|[;&|\n({]|\b(?:if|then|else|do)\s)\s*(?:source|\.|eval)\s/u;

/** Whether a command itself may give the variable a value: by an assignment, with `read` or `for`, or in a program of jq. */
function isSetIn(command: string, name: string): boolean {
  const settings = [
    `${name}\\+?=`,
    `(?:read|readarray|mapfile|printf\\s+-v)\\b[^\\n;|&]*\\b${name}\\b`,
    `for\\s+${name}\\b`,
    `as\\s+\\$${name}\\b`,
  ];
  return (
    readsScript.test(command) ||
    new RegExp(`\\b(?:${settings.join("|")})|--arg(?:json)?\\s+${name}\\b`, "u").test(command)
  );
}

export function readHandler(
  value: unknown,
  place: string,
  { event, isSkill }: { event: HookEvent; isSkill: boolean },
  complain: ReportProblem,
): HookHandler | undefined {
  if (!isRecord(value)) {
    complain(`${place} should be an object with a "type"; it does not run`);
    return undefined;
  }
  const written = withoutNulls(value);
  if (written["matcher"] !== undefined) complain(`${place}.matcher has no effect there: it belongs beside "hooks"`);
  reportMisspeltFields(written, place, handlerFields, complain);
  const level = isGuard(written) ? "error" : "notice";
  const refuse = (text: string): undefined => complain(`${place} ${text}; it does not run`, level) as undefined;
  const base = readCommonFields(written, place, isSkill, complain);
  switch (written["type"]) {
    case "command":
      adviseOnVariable(written["command"], place, complain);
      return readCommand(written, base, refuse);
    case "http":
      return readHttp(written, base, refuse);
    case "prompt":
    case "agent": {
      const { prompt, model, continueOnBlock, type } = written;
      if (!isText(prompt)) return refuse(`needs a "prompt"`);
      if (!modelHookEvents.has(event)) return refuse(`asks a model, whose answer decides nothing on ${event}`);
      const chosen = isText(model) ? { model } : {};
      return { ...base, type, prompt, ...chosen, continueOnBlock: type === "agent" || continueOnBlock === true };
    }
    case "mcp_tool":
      return readMcpTool(written, base, refuse);
    default:
      return refuse(
        `has the type ${JSON.stringify(written["type"]) ?? "none"}, which is none of command, http, mcp_tool, prompt and agent`,
      );
  }
}

function readCommonFields(
  written: Fields,
  place: string,
  isSkill: boolean,
  complain: ReportProblem,
): Pick<HookHandler, "condition" | "timeout" | "statusMessage" | "blocksOnFailure" | "once"> {
  const { if: condition, timeout, statusMessage, onFailure, once } = written;
  if (once !== undefined && once !== false && !isSkill)
    complain(`${place}.once works in skills only; the hook runs each time`);
  if (onFailure !== undefined && onFailure !== "continue" && onFailure !== "block")
    complain(`${place}.onFailure should be "continue" or "block"; its failure counts as a block`);
  const isTime = typeof timeout === "number" && timeout > 0;
  if (timeout !== undefined && !isTime) complain(`${place}.timeout should be a number of seconds; the default applies`);
  if (condition !== undefined && !isText(condition))
    complain(`${place}.if should be one permission rule; the hook runs for every call`);
  return {
    ...(isText(condition) ? { condition } : {}),
    ...(isTime ? { timeout } : {}),
    ...(isText(statusMessage) ? { statusMessage } : {}),
    blocksOnFailure: onFailure !== undefined && onFailure !== "continue",
    ...(isSkill && once === true ? { once } : {}),
  };
}

type CommonFields = ReturnType<typeof readCommonFields>;

function readCommand(
  written: Fields,
  base: CommonFields,
  refuse: (text: string) => undefined,
): HookHandler | undefined {
  const { command, args, async: isAsync, asyncRewake, rewakeMessage } = written;
  // A program with arguments has no shell, whatever `shell` says.
  const shell = args === undefined ? written["shell"] : undefined;
  if (Array.isArray(command))
    return refuse(`has a list as "command": the program goes there, its arguments into "args"`);
  if (!isText(command)) return refuse(`needs a "command"`);
  if (args !== undefined && !isTexts(args)) return refuse(`should have a list of texts as "args"`);
  if (shell !== undefined && shell !== "bash")
    return refuse(`asks for the shell ${JSON.stringify(shell)}, which is not supported`);
  return {
    ...base,
    type: "command",
    command,
    ...withoutUndefined({ args, shell }),
    ...(isText(rewakeMessage) ? { wakeMessage: rewakeMessage } : {}),
    isAsync: isAsync === true || asyncRewake === true,
    wakes: asyncRewake === true,
  };
}

function readHttp(written: Fields, base: CommonFields, refuse: (text: string) => undefined): HookHandler | undefined {
  const { url, headers = {}, allowedEnvVars = [] } = written;
  if (!isText(url) || parseWebAddress(url) === undefined) return refuse(`needs an http or https "url"`);
  const isPlain =
    isRecord(headers) && Object.values(headers).every((value) => typeof value === "string" && !/[\r\n\0]/u.test(value));
  if (!isPlain) return refuse(`should have texts as "headers"`);
  if (!isTexts(allowedEnvVars)) return refuse(`should have a list of names as "allowedEnvVars"`);
  return { ...base, type: "http", url, headers: headers as Record<string, string>, allowedEnvVars };
}

function readMcpTool(
  written: Fields,
  base: CommonFields,
  refuse: (text: string) => undefined,
): HookHandler | undefined {
  const { server, tool, input = {} } = written;
  if (!isText(server) || !isText(tool)) return refuse(`needs a "server" and a "tool"`);
  if (!isRecord(input)) return refuse(`should have an object as "input"`);
  return { ...base, type: "mcp_tool", server, tool, input };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string" && !each.includes("\0"));
}
