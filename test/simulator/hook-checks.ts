// What a hook said has its effect, and none without it having been said.
import type { SDKResultMessage } from "../../src/protocol/sdk.ts";
import type { HookSeen } from "./book.ts";
import { callsIn } from "./hooks.ts";
import { answeredToolUses, type Seat } from "./seat.ts";
import type { TurnSeen } from "./watcher.ts";

/** Ends that StopFailure hooks are told of. */
const failureReasons = ["model_error", "prompt_too_long", "image_error"];

export function checkHooks(seat: Seat, turn: TurnSeen, result: SDKResultMessage | null): void {
  const own = seat.world.book.hooks.filter(
    (hook) => hook.session === seat.session && hook.turn === turn.number && hook.process === seat.process,
  );
  if (result === null || seat.isDiskBroken) return;
  const reason = result.terminal_reason;
  const isCancelled = turn.cancel !== null || turn.wasStopped;
  const said = (event: string, kinds: string[]): HookSeen[] =>
    own.filter((hook) => hook.event === event && kinds.includes(hook.kind));
  const after = (kinds: string[]): HookSeen[] => [
    ...said("PreToolUse", kinds),
    ...said("PostToolUse", kinds),
    ...said("PostToolUseFailure", kinds),
    // A block of this one has no call to answer: it ends the run too.
    ...said("PostToolBatch", [...kinds, "block"]),
  ];
  const asked = said("PermissionRequest", ["prevent"]);
  if (reason === "hook_stopped" && after(["prevent"]).length + asked.length === 0)
    seat.addProblem("hooks", "hook_stopped, and no hook has said so");
  if (after(["prevent"]).length > 0 && !isCancelled && !["hook_stopped", "model_error"].includes(reason))
    seat.addProblem("hooks", `a tool's hook said enough, and the turn ended ${reason}`);
  const prevented = [
    ...["Stop", "SessionStart", "Setup", "SubagentStart"].flatMap((event) => said(event, ["prevent"])),
    ...said("UserPromptSubmit", ["prevent", "block", "late"]),
  ];
  if (reason === "stop_hook_prevented" && prevented.length === 0)
    seat.addProblem("hooks", "stop_hook_prevented, and no hook has said so");
  if (said("Stop", ["prevent"]).length > 0 && !isCancelled && reason !== "stop_hook_prevented")
    seat.addProblem("hooks", `a stop hook said enough, and the turn ended ${reason}`);
  if (!isCancelled && reason !== "tool_deferred") checkDeferredCalls(seat, turn, own);
  checkStopHooks(seat, turn, own, reason, isCancelled);
  const failures = own.filter((hook) => hook.event === "StopFailure").length;
  if (
    seat.world.plan.hooked.includes("StopFailure") &&
    failureReasons.includes(reason) &&
    failures === 0 &&
    hasAskedModel(turn)
  )
    seat.addProblem("hooks", `${reason}, and no StopFailure hook was told`);
  if (failures > 0 && !failureReasons.includes(reason))
    seat.addProblem("hooks", `StopFailure hooks were told, and the turn ended ${reason}`);
}

/** A call that was put off is taken up by a later turn, and shown to hooks of the batch as any other. */
function checkDeferredCalls(seat: Seat, { messages }: TurnSeen, turnHooks: readonly HookSeen[]): void {
  const { world } = seat;
  const made = new Set(
    messages.flatMap((message) =>
      message.type === "assistant" ? message.message.content.flatMap((block) => ("id" in block ? [block.id] : [])) : [],
    ),
  );
  const taken = messages
    .flatMap((message) => (message.type === "user" ? answeredToolUses(message) : []))
    .filter((id) => !made.has(id));
  for (const id of taken) {
    world.count("seen", "call taken up");
    const asked = turnHooks.filter(({ event, input }) => event.startsWith("PostTool") && callsIn(input).includes(id));
    if (asked.some(({ kind }) => kind === "prevent")) world.count("seen", "call taken up ended the turn");
    if (world.plan.hooked.includes("PostToolBatch") && !asked.some(({ event }) => event === "PostToolBatch"))
      seat.addProblem("hooks", `${id} was put off and taken up, and hooks of the batch were not asked`);
  }
}

function hasAskedModel({ messages }: TurnSeen): boolean {
  return messages.some((message) => message.type === "system" && message.subtype === "status");
}

/** Asked at each end of a turn and only there; blocks lead on; the flag says whether one has blocked. */
function checkStopHooks(
  seat: Seat,
  turn: TurnSeen,
  turnHooks: readonly HookSeen[],
  reason: string,
  isCancelled: boolean,
): void {
  const { plan } = seat.world;
  const stops = turnHooks.filter((hook) => hook.event === "Stop");
  const blocks = turn.messages.filter(
    (message) =>
      message.type === "system" &&
      message.subtype === "transition" &&
      message.transition.reason === "stop_hook_blocking",
  ).length;
  const blocking = stops.filter(({ kind }) => kind === "block" || kind === "context").length;
  if (blocks > blocking) seat.addProblem("hooks", `${blocks} blocks, and stop hooks said ${blocking}`);
  if (reason === "completed" && plan.hooked.includes("Stop") && stops.length === 0 && hasAskedModel(turn))
    seat.addProblem("hooks", "completed, and no stop hook was asked");
  if (
    reason === "completed" &&
    !isCancelled &&
    stops.at(-1)?.kind === "block" &&
    blocks < plan.stopHookBlocks &&
    blocks < 12
  )
    seat.addProblem("hooks", "a stop hook blocked, and the turn is completed");
}
