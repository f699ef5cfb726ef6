/**
 * Reads the `hooks` of one settings file. Every problem is reported with its place. The valid hooks beside it still count, because a hook
 * may be a guard. A problem that disables a handler with `onFailure: "block"` is an error, not a notice.
 */
import { nearestName } from "../lib/edit-distance.ts";
import { isRecord } from "../lib/is-record.ts";
import { withoutNulls } from "../lib/without-nulls.ts";
import { withoutUndefined } from "../lib/without-undefined.ts";
import { hookEvents, type HookEvent } from "../protocol/hook.ts";
import type { ConfiguredHook, HookOrigin } from "./handler.ts";
import { reportMisspeltFields, type HookProblem, type ReportProblem } from "./hook-problem.ts";
import { describeMatcherProblem, miscasedToolNames } from "./matcher.ts";
import { isGuard, readHandler } from "./read-handler.ts";

export interface ReadHooks {
  hooks: ConfiguredHook[];
  problems: HookProblem[];
}

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
    const problem = { text: `${source}: ${text}.` };
    read.problems.push(level === "advice" ? { level: "notice", ...problem, isAdvice: true } : { level, ...problem });
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
  const subject = more.length === 0 ? "a hook" : `${more.length + 1} hooks`;
  complain(`the timeout of ${subject} is in seconds: ${first} are ${Math.floor(first / 60)} minutes`, "advice");
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

const groupFields = ["matcher", "hooks"];

const handlerOnlyFields = new Set(["if", "timeout", "once", "onFailure", "async", "asyncRewake"]);

interface GroupContext {
  hookPlace: HookPlaceProperties;
  group: unknown;
  place: string;
  event: HookEvent;
  origin: HookOrigin;
  source: string;
}

function readGroup(context: GroupContext, read: ReadHooks, complain: ReportProblem): void {
  const { place, event, origin, source, hookPlace } = context;
  const group = isRecord(context.group) ? withoutNulls(context.group) : context.group;
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
  const shared = withoutUndefined({
    matcher,
    variables,
    isSkills: isSkill ? (true as const) : undefined,
    isAdministrators,
    isAbove,
  });
  for (const [index, written] of group["hooks"].entries()) {
    const at = `${place}.hooks[${index}]`;
    const handler = readHandler(written, at, { event, isSkill }, complain);
    if (handler === undefined || (isResumed && handler.once === true)) continue;
    read.hooks.push({ event, handler, origin, source, ...shared });
  }
}
