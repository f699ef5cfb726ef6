/** The hooks around a compaction: PreCompact may add instructions or block it; PostCompact and SessionStart(compact) run after it. */
import type {
  AttachmentMessage,
  CompactBoundaryMessage,
  ContextEvent,
  HookAnswer,
  HookInput,
} from "../protocol/index.ts";
import { middleCut } from "../lib/text-cut.ts";
import type { Pass, World } from "./layer.ts";
import { newNotice, attachmentRecord } from "../protocol/new-record.ts";
import { messageTokens } from "./measure.ts";

type Trigger = CompactBoundaryMessage["trigger"];

/** Hooks know two triggers: manual and automatic. */
const hookTrigger = (trigger: Trigger) => (trigger === "manual" ? "manual" : "auto");

export async function* beforeCompaction(
  world: World,
  trigger: Trigger,
  instructions: string | null,
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, { blocked?: string; extra: string[] }> {
  const input: HookInput = {
    hook_event_name: "PreCompact",
    trigger: hookTrigger(trigger),
    custom_instructions: instructions,
  };
  const answer = yield* runHooks(world, input, signal);
  if (answer === undefined) return { extra: [] };
  const blocked = answer.preventContinuation ?? (answer.blocking.length > 0 ? answer.blocking.join("\n") : undefined);
  return { blocked, extra: answer.additionalContext };
}

/** Runs the hooks after a compaction. The context from SessionStart hooks is returned as attachments. */
export async function* afterCompaction(
  { world, input }: Pick<Pass, "world" | "input">,
  trigger: Trigger,
  summary: string,
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, AttachmentMessage[]> {
  yield* runHooks(
    world,
    { hook_event_name: "PostCompact", trigger: hookTrigger(trigger), compact_summary: summary },
    signal,
  );
  const title = world.sessionTitle?.();
  const about = { model: input.model.id, ...(title === undefined ? {} : { session_title: title }) };
  const answer = yield* runHooks(world, { hook_event_name: "SessionStart", source: "compact", ...about }, signal);
  return (answer?.additionalContext ?? []).map((text): AttachmentMessage => {
    const attachment = { kind: "hook_context" as const, event: "SessionStart", text };
    return attachmentRecord(attachment, world);
  });
}

/** Returns as much of the hook context as fits `room` (tokens, unscaled): hooks must not refill what a compaction has just freed. */
export function* fittingContext(
  world: World,
  context: readonly AttachmentMessage[],
  room: number,
): Generator<ContextEvent, { fitting: AttachmentMessage[]; roomLeft: number }> {
  const fitting: AttachmentMessage[] = [];
  let roomLeft = room;
  for (const message of context) {
    const cost = messageTokens(message).total;
    const kept = cost <= roomLeft ? message : cutToFit(message, cost, roomLeft);
    if (kept !== message)
      yield newNotice(
        world,
        "warning",
        "hook_context_cut",
        `The output of a SessionStart hook after a compaction was cut: it has ${Math.ceil(cost)} tokens, and there is room for ${Math.max(0, Math.floor(roomLeft))}.`,
      );
    if (kept === undefined) continue;
    roomLeft -= messageTokens(kept).total;
    fitting.push(kept);
  }
  return { fitting, roomLeft };
}

const shortestCut = 200;

/** Returns a cut message; undefined if too little would be left to be useful. */
function cutToFit(message: AttachmentMessage, cost: number, room: number): AttachmentMessage | undefined {
  const { attachment } = message;
  if (attachment.kind !== "hook_context") return undefined;
  const { text: whole } = attachment;
  // The ends of the text may have more tokens per character than the whole.
  for (let length = (whole.length * room * 0.9) / cost; length >= shortestCut; length *= 0.9) {
    const text = middleCut(whole, Math.floor(length), "\n[… cut …]\n");
    const cut = { ...message, attachment: { ...attachment, text } };
    if (messageTokens(cut).total <= room) return cut;
  }
  return undefined;
}

async function* runHooks(
  { hooks }: World,
  input: HookInput,
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, HookAnswer | undefined> {
  if (signal.aborted || !hooks.has(input.hook_event_name)) return undefined;
  const answer = await hooks.run(input, signal);
  yield* answer.notices;
  return answer;
}
