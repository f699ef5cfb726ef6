/**
 * Reads the `hooks` of one settings file. Every problem is reported with its place. The valid hooks beside it still count, because a hook
 * may be a guard. A problem that disables a handler with `onFailure: "block"` is an error, not a notice.
 */
import { withoutUndefined } from "../lib/without-undefined.ts";
import { nearestName } from "../lib/edit-distance.ts";
import { isRecord } from "../lib/is-record.ts";
import { parseWebAddress } from "../lib/web-address.ts";
import { withoutNulls } from "../lib/without-nulls.ts";
import { hookEvents, type HookEvent } from "../protocol/hook.ts";
import type { ConfiguredHook, HookHandler, HookOrigin } from "./handler.ts";
import { describeMatcherProblem, miscasedToolNames } from "./matcher.ts";
import { modelHookEvents } from "./output.ts";

export interface HookProblem {
  /** `error`: a guard cannot be installed. */
  level: "error" | "notice";
  text: string;
  /** The hook is valid and does run; the text is only advice. */
  isAdvice?: true;
}

export interface ReadHooks {
  hooks: ConfiguredHook[];
  problems: HookProblem[];
}

type Fields = Record<string, unknown>;

/** Properties shared by all hooks of one place. */
export interface HookPlaceProperties {
  /** Whether `once` counts: by convention only in skills. */
  isSkill?: boolean;
  /** The skill was started before a resume, so its one-time hooks have already run. */
  isResumed?: boolean;
  /** The hook belongs to the session that started the agent and guards the agent: it may forbid, but permits nothing. */
  isAbove?: true;
  /** The hook comes from an administrator: settings that disable hooks leave it on. */
  isAdministrators?: true;
  variables?: Readonly<Record<string, string>>;
}

export function readHookConfig(
  value: unknown,
  origin: HookOrigin,
  source: string,
  hookPlace: HookPlaceProperties = {},
): ReadHooks {
  const read: ReadHooks = { hooks: [], problems: [] };
  const complain: ReportProblem = (text, level = "notice") => {
    const said = { text: `${source}: ${text}.` };
    read.problems.push(level === "advice" ? { level: "notice", ...said, isAdvice: true } : { level, ...said });
  };
  if (value === undefined || value === null) return read;
  if (!isRecord(value)) {
    complain(`"hooks" should be an object of events; none of its hooks can run`, "error");
    return read;
  }
  for (const [name, groups] of Object.entries(withoutNulls(value))) {
    const event = hookEvents.find((known) => known === name);
    if (event === undefined) {
      reportUnknownEvent(name, groups, complain);
      continue;
    }
    if (!Array.isArray(groups)) {
      complain(`hooks.${name} should be a list; its hooks do not run`, "error");
      continue;
    }
    for (const [index, group] of groups.entries())
      readGroup({ group, place: `hooks.${name}[${index}]`, event, origin, source, hookPlace }, read, complain);
  }
  adviseOnMilliseconds(read.hooks, complain);
  return read;
}

/**
 * Warns about timeouts that look like milliseconds. An hour is written 3600 and ten hours 36000, so multiples of an hour are fine. A hook
 * that hangs would hold everything up for that long.
 */
function adviseOnMilliseconds(hooks: readonly ConfiguredHook[], complain: ReportProblem): void {
  const times = hooks.map(({ handler: { timeout = 0 } }) => timeout);
  const [first, ...more] = times.filter((timeout) => timeout >= 1_000 && timeout % 500 === 0 && timeout % 3_600 > 0);
  if (first === undefined) return;
  const whose = more.length === 0 ? "a hook" : `${more.length + 1} hooks`;
  complain(`the timeout of ${whose} is in seconds: ${first} are ${Math.floor(first / 60)} minutes`, "advice");
}

/** Reports an unknown event. An event of other programs or of later versions is not a mistake: it could guard nothing here. */
function reportUnknownEvent(name: string, groups: unknown, complain: ReportProblem): void {
  // A comment, or hooks that were disabled by renaming the key.
  if (/^(?:\/\/|[_#$])/u.test(name)) return;
  const nearestEvent = nearestName(name, hookEvents);
  const near = nearestEvent === undefined ? "the names are case-sensitive" : `the event is called "${nearestEvent}"`;
  const losesGuard = nearestEvent !== undefined && Array.isArray(groups) && groups.some(containsGuard);
  complain(`hooks.${name} is not an event; ${near}`, losesGuard ? "error" : "notice");
}

function containsGuard(group: unknown): boolean {
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

const handlerOnlyFields = new Set(["if", "timeout", "once", "onFailure", "async", "asyncRewake"]);

/** Fields people add for themselves, although they resemble known names. */
const commentFields = new Set(["comment", "id"]);

/** Reports misspelt fields, since ignoring one may disable a guard. A field does not misspell a known field that is also present. */
function reportMisspeltFields(written: Fields, place: string, known: readonly string[], complain: ReportProblem): void {
  const absent = known.filter((each) => !Object.hasOwn(written, each));
  for (const name of Object.keys(written).filter((each) => !known.includes(each) && !commentFields.has(each))) {
    const near = nearestName(name, absent);
    if (near !== undefined) complain(`${place}.${name} is ignored: the field is called "${near}"`);
  }
}

interface GroupContext {
  hookPlace: HookPlaceProperties;
  group: unknown;
  place: string;
  event: HookEvent;
  origin: HookOrigin;
  source: string;
}

type ReportProblem = (text: string, level?: HookProblem["level"] | "advice") => void;

function readGroup(given: GroupContext, read: ReadHooks, complain: ReportProblem): void {
  const { place, event, origin, source, hookPlace } = given;
  const group = isRecord(given.group) ? withoutNulls(given.group) : given.group;
  const { isSkill = false, isResumed = false, variables, isAdministrators, isAbove } = hookPlace;
  if (!isRecord(group) || !Array.isArray(group["hooks"])) {
    complain(`${place} should be an object with a list of "hooks"; its hooks do not run`, "error");
    return;
  }
  const { matcher } = group;
  reportMisspeltFields(group, place, groupFields, complain);
  for (const name of Object.keys(group).filter((each) => handlerOnlyFields.has(each)))
    complain(`${place}.${name} has no effect there: it belongs in each entry of "hooks"`);
  if (matcher !== undefined && typeof matcher !== "string") {
    complain(`${place}.matcher should be a text; its hooks do not run`, "error");
    return;
  }
  const slip = describeMatcherProblem(matcher, event);
  if (slip !== undefined)
    complain(`${place}.matcher ${slip.replace(/\.$/u, "")}`, containsGuard(group) ? "error" : "notice");
  for (const { written, tool } of miscasedToolNames(matcher, event))
    complain(`${place}.matcher: "${written}" is not the tool ${tool}: names are case-sensitive`);
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
 * Variables that widely copied guides and templates use. No hook gets them, so a check based on them checks nothing. A command that gives a
 * default (`${CLAUDE_FILE_PATHS:-}`) is deliberate.
 */
const unavailableVariable =
  /\$\{?(CLAUDE_(?:TOOL_(?:NAME|INPUT|INPUT_\w+|ARGS|FILE_PATH|OUTPUT|RESULT|RESPONSE|EXIT_CODE)|FILE_PATHS?|EVENT_TYPE|USER_PROMPT))\b(?!:?[-+?=])/u;

function adviseOnVariable(command: unknown, place: string, complain: ReportProblem): void {
  const name = typeof command === "string" ? unavailableVariable.exec(command)?.[1] : undefined;
  if (name === undefined || new RegExp(`\\b${name}=`, "u").test(String(command))) return;
  complain(
    `${place}.command names $${name}, which hooks are not given: the event's input is JSON on standard input`,
    "advice",
  );
}

function readHandler(
  given: unknown,
  place: string,
  { event, isSkill }: { event: HookEvent; isSkill: boolean },
  complain: ReportProblem,
): HookHandler | undefined {
  if (!isRecord(given)) {
    complain(`${place} should be an object with a "type"; it does not run`);
    return undefined;
  }
  const written = withoutNulls(given);
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
