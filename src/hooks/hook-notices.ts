/** Notices about hooks: matchers that match nothing, problems and messages of their answers, and decisions that have no effect. */
import type { HookAnswer, HookInput } from "../protocol/hook.ts";
import type { NoticeMessage } from "../protocol/message.ts";
import { newNotice } from "../protocol/new-record.ts";
import { describeMatcherProblem } from "./matcher.ts";
import type { HookOutput } from "./output.ts";
import type { HookDependencies } from "./runner.ts";

export type NoticeDependencies = HookDependencies & Required<Pick<HookDependencies, "reportedMatchers">>;

export function matcherNotices(
  matcher: string | undefined,
  { hook_event_name: event }: HookInput,
  dependencies: NoticeDependencies,
): NoticeMessage[] {
  if (matcher === undefined || dependencies.reportedMatchers.has(matcher)) return [];
  const slip = describeMatcherProblem(matcher, event);
  if (slip === undefined) return [];
  dependencies.reportedMatchers.add(matcher);
  return [createHookNotice(`The hook matcher ${JSON.stringify(matcher)} ${slip}`, dependencies)];
}

export function outputNotices(output: HookOutput, input: HookInput, dependencies: HookDependencies): NoticeMessage[] {
  const { problem, systemMessage, hint: _, ...further } = output;
  const pass = systemMessage === undefined && Object.keys(further).length === 0 ? "; it counts as a pass" : "";
  // By convention, problems of this event are reported only in the debug file.
  const isHidden = input.hook_event_name === "DirectoryAdded";
  const texts = problem === undefined || isHidden ? [] : [`${input.hook_event_name}: ${problem}${pass}.`];
  if (systemMessage !== undefined) texts.push(systemMessage);
  return texts.map((text) => createHookNotice(text, dependencies));
}

export function createHookNotice(text: string, dependencies: HookDependencies): NoticeMessage {
  return newNotice(dependencies, "warning", "hook", text);
}

/** Drops a deferral if nobody can take the call up again; the usual permissions decide then. */
export function withoutDeferral(merged: HookAnswer, dependencies: HookDependencies) {
  if (merged.permission?.behavior !== "defer" || dependencies.canDefer === true) return { merged, ignored: [] };
  const { permission: deferral, ...others } = merged;
  const { otherwise: permission } = deferral;
  const left = { ...others, ...(permission === undefined ? {} : { permission }) };
  return { merged: left, ignored: [createHookNotice(deferralIgnored, dependencies)] };
}

const deferralIgnored =
  "A PreToolUse hook deferred a call, which only works in sessions of pawl -p and of programs; the usual permissions decide instead.";
