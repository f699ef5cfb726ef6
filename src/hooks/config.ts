/**
 * Reads the `hooks` of one settings file. What is wrong is said, with its place; what is right beside it still counts, since a hook
 * may be a guard. What keeps a handler from running that says that it must block on failure is an error, not a notice.
 */
import { present } from "../lib/present.ts";
import { nearestName } from "../lib/edit-distance.ts";
import { isRecord } from "../lib/is-record.ts";
import { webAddress } from "../lib/web-address.ts";
import { withoutNulls } from "../lib/without-nulls.ts";
import { hookEvents, type HookEvent } from "../protocol/hook.ts";
import type { ConfiguredHook, HookHandler, HookOrigin } from "./handler.ts";
import { matcherSlip, miscased } from "./matcher.ts";
import { heedsModels } from "./output.ts";

export interface HookProblem {
  /** `error`: a guard cannot be kept. */
  level: "error" | "notice";
  text: string;
  /** It is read whole, and does run. */
  isAdvice?: true;
}

export interface ReadHooks {
  hooks: ConfiguredHook[];
  problems: HookProblem[];
}

type Fields = Record<string, unknown>;

/** What holds for all hooks of a place. */
export interface HookPlace {
  /** `once` counts: by convention in skills alone. */
  isSkill?: boolean;
  /** It was begun before a resume: what runs one time has had it. */
  isResumed?: boolean;
  /** Whoever started the agent has it, and the agent is guarded by it: it forbids, and permits nothing. */
  isAbove?: true;
  /** An administrator has it: what switches hooks off leaves them on. */
  isAdministrators?: true;
  variables?: Readonly<Record<string, string>>;
}

export function readHookConfig(
  value: unknown,
  origin: HookOrigin,
  source: string,
  hookPlace: HookPlace = {},
): ReadHooks {
  const read: ReadHooks = { hooks: [], problems: [] };
  const complain: Complain = (text, level = "notice") => {
    const said = { text: `${source}: ${text}.` };
    read.problems.push(level === "advice" ? { level: "notice", ...said, isAdvice: true } : { level, ...said });
  };
  if (value === undefined || value === null) return read;
  if (!isRecord(value)) {
    complain(`"hooks" should be an object of events; no hook of it can run`, "error");
    return read;
  }
  for (const [name, groups] of Object.entries(withoutNulls(value))) {
    const event = hookEvents.find((known) => known === name);
    if (event === undefined) {
      tellNoEvent(name, groups, complain);
      continue;
    }
    if (!Array.isArray(groups)) {
      complain(`hooks.${name} should be a list; its hooks do not run`, "error");
      continue;
    }
    for (const [index, group] of groups.entries())
      readGroup({ group, place: `hooks.${name}[${index}]`, event, origin, source, hookPlace }, read, complain);
  }
  tellMilliseconds(read.hooks, complain);
  return read;
}

/** By the look of it: who means an hour writes 3600, and of ten 36000. One that hangs would hold everything up for as long. */
function tellMilliseconds(hooks: readonly ConfiguredHook[], complain: Complain): void {
  const times = hooks.map(({ handler: { timeout = 0 } }) => timeout);
  const [first, ...more] = times.filter((timeout) => timeout >= 1_000 && timeout % 500 === 0 && timeout % 3_600 > 0);
  if (first === undefined) return;
  const whose = more.length === 0 ? "a hook" : `${more.length + 1} hooks`;
  complain(`the timeout of ${whose} is in seconds: ${first} are ${Math.floor(first / 60)} minutes`, "advice");
}

/** One that is known elsewhere, or only later, is nobody's slip: there is nothing here that it could guard. */
function tellNoEvent(name: string, groups: unknown, complain: Complain): void {
  // A note, or what somebody has switched off so.
  if (/^(?:\/\/|[_#$])/u.test(name)) return;
  const meant = nearestName(name, hookEvents);
  const near = meant === undefined ? "the names are case-sensitive" : `the event is called "${meant}"`;
  const isLost = meant !== undefined && Array.isArray(groups) && groups.some(holdsGuard);
  complain(`hooks.${name} is no event; ${near}`, isLost ? "error" : "notice");
}

function holdsGuard(group: unknown): boolean {
  return isRecord(group) && Array.isArray(group["hooks"]) && group["hooks"].some(isGuard);
}

function isGuard(handler: unknown): boolean {
  return isRecord(handler) && handler["onFailure"] === "block";
}

const groupFields = ["matcher", "hooks"];
const handlerFields = (
  "type if timeout statusMessage once onFailure command args async asyncRewake rewakeMessage shell url headers allowedEnvVars " +
  "server tool input prompt model continueOnBlock"
).split(" ");

const ofHandlers = new Set(["if", "timeout", "once", "onFailure", "async", "asyncRewake"]);

/** What people add for themselves, near as it is to names that count. */
const notes = new Set(["comment", "id"]);

/** A misspelt field is passed over, and with it what was to guard. What stands there itself is not what another name means. */
function tellSlips(written: Fields, place: string, known: readonly string[], complain: Complain): void {
  const absent = known.filter((each) => !Object.hasOwn(written, each));
  for (const name of Object.keys(written).filter((each) => !known.includes(each) && !notes.has(each))) {
    const near = nearestName(name, absent);
    if (near !== undefined) complain(`${place}.${name} is passed over: the field is called "${near}"`);
  }
}

interface Group {
  hookPlace: HookPlace;
  group: unknown;
  place: string;
  event: HookEvent;
  origin: HookOrigin;
  source: string;
}

type Complain = (text: string, level?: HookProblem["level"] | "advice") => void;

function readGroup(given: Group, read: ReadHooks, complain: Complain): void {
  const { place, event, origin, source, hookPlace } = given;
  const group = isRecord(given.group) ? withoutNulls(given.group) : given.group;
  const { isSkill = false, isResumed = false, variables, isAdministrators, isAbove } = hookPlace;
  if (!isRecord(group) || !Array.isArray(group["hooks"])) {
    complain(`${place} should be an object with a list of "hooks"; they do not run`, "error");
    return;
  }
  const { matcher } = group;
  tellSlips(group, place, groupFields, complain);
  for (const name of Object.keys(group).filter((each) => ofHandlers.has(each)))
    complain(`${place}.${name} does not count there: it belongs into each of "hooks"`);
  if (matcher !== undefined && typeof matcher !== "string") {
    complain(`${place}.matcher should be a text; its hooks do not run`, "error");
    return;
  }
  const slip = matcherSlip(matcher, event);
  if (slip !== undefined)
    complain(`${place}.matcher ${slip.replace(/\.$/u, "")}`, holdsGuard(group) ? "error" : "notice");
  for (const { written, tool } of miscased(matcher, event))
    complain(`${place}.matcher: "${written}" is not the tool ${tool}, since names are compared with their case`);
  for (const [index, written] of group["hooks"].entries()) {
    const at = `${place}.hooks[${index}]`;
    const handler = readHandler(written, at, { event, isSkill }, complain);
    if (handler === undefined || (isResumed && handler.once === true)) continue;
    const own = {
      ...(variables === undefined ? {} : { variables }),
      ...(isSkill ? { isSkills: isSkill } : {}),
      ...(isAdministrators === true ? { isAdministrators } : {}),
      ...(isAbove === true ? { isAbove } : {}),
    };
    read.hooks.push({ event, ...(matcher === undefined ? {} : { matcher }), handler, origin, source, ...own });
  }
}

/**
 * As guides and templates have them, that are copied a lot: nobody sets them, so that what is asked with them is asked of nothing. Who
 * says what holds without one (`${CLAUDE_FILE_PATHS:-}`) knows.
 */
const unset =
  /\$\{?(CLAUDE_(?:TOOL_(?:NAME|INPUT|INPUT_\w+|ARGS|FILE_PATH|OUTPUT|RESULT|RESPONSE|EXIT_CODE)|FILE_PATHS?|EVENT_TYPE|USER_PROMPT))\b(?!:?[-+?=])/u;

function tellVariable(command: unknown, place: string, complain: Complain): void {
  const name = typeof command === "string" ? unset.exec(command)?.[1] : undefined;
  if (name === undefined || new RegExp(`\\b${name}=`, "u").test(String(command))) return;
  complain(
    `${place}.command names $${name}, which no hook is given: what it runs for is JSON on its standard input`,
    "advice",
  );
}

function readHandler(
  given: unknown,
  place: string,
  { event, isSkill }: { event: HookEvent; isSkill: boolean },
  complain: Complain,
): HookHandler | undefined {
  if (!isRecord(given)) {
    complain(`${place} should be an object with a "type"; it does not run`);
    return undefined;
  }
  const written = withoutNulls(given);
  if (written["matcher"] !== undefined) complain(`${place}.matcher does not count there: it belongs beside "hooks"`);
  tellSlips(written, place, handlerFields, complain);
  const level = isGuard(written) ? "error" : "notice";
  const refuse = (text: string): undefined => complain(`${place} ${text}; it does not run`, level) as undefined;
  const base = readBase(written, place, isSkill, complain);
  switch (written["type"]) {
    case "command":
      tellVariable(written["command"], place, complain);
      return readCommand(written, base, refuse);
    case "http":
      return readHttp(written, base, refuse);
    case "prompt":
    case "agent": {
      const { prompt, model, continueOnBlock, type } = written;
      if (!isText(prompt)) return refuse(`needs a "prompt"`);
      if (!heedsModels.has(event)) return refuse(`asks a model, whose answer decides nothing on ${event}`);
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

function readBase(
  written: Fields,
  place: string,
  isSkill: boolean,
  complain: Complain,
): Pick<HookHandler, "condition" | "timeout" | "statusMessage" | "blocksOnFailure" | "once"> {
  const { if: condition, timeout, statusMessage, onFailure, once } = written;
  if (once !== undefined && once !== false && !isSkill)
    complain(`${place}.once counts in skills only; the hook runs each time`);
  if (onFailure !== undefined && onFailure !== "continue" && onFailure !== "block")
    complain(`${place}.onFailure should be "continue" or "block"; its failure counts as a block`);
  const isTime = typeof timeout === "number" && timeout > 0;
  if (timeout !== undefined && !isTime)
    complain(`${place}.timeout should be a number of seconds; the usual time counts`);
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

type Base = ReturnType<typeof readBase>;

function readCommand(written: Fields, base: Base, refuse: (text: string) => undefined): HookHandler | undefined {
  const { command, args, async: isAsync, asyncRewake, rewakeMessage } = written;
  // A program with arguments has none, whatever is named.
  const shell = args === undefined ? written["shell"] : undefined;
  if (!isText(command)) return refuse(`needs a "command"`);
  if (args !== undefined && !isTexts(args)) return refuse(`should have a list of texts as "args"`);
  if (shell !== undefined && shell !== "bash")
    return refuse(`asks for the shell ${JSON.stringify(shell)}, which is not here`);
  return {
    ...base,
    type: "command",
    command,
    ...present({ args, shell }),
    ...(isText(rewakeMessage) ? { wakeMessage: rewakeMessage } : {}),
    isAsync: isAsync === true || asyncRewake === true,
    wakes: asyncRewake === true,
  };
}

function readHttp(written: Fields, base: Base, refuse: (text: string) => undefined): HookHandler | undefined {
  const { url, headers = {}, allowedEnvVars = [] } = written;
  if (!isText(url) || webAddress(url) === undefined) return refuse(`needs an http or https "url"`);
  const isPlain =
    isRecord(headers) && Object.values(headers).every((value) => typeof value === "string" && !/[\r\n\0]/u.test(value));
  if (!isPlain) return refuse(`should have texts as "headers"`);
  if (!isTexts(allowedEnvVars)) return refuse(`should have a list of names as "allowedEnvVars"`);
  return { ...base, type: "http", url, headers: headers as Record<string, string>, allowedEnvVars };
}

function readMcpTool(written: Fields, base: Base, refuse: (text: string) => undefined): HookHandler | undefined {
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
