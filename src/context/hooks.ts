/** The hooks around a compaction: PreCompact may add to it or block it, PostCompact and SessionStart(compact) come after. */
import type {
  AttachmentMessage,
  CompactBoundaryMessage,
  ContextEvent,
  HookAnswer,
  HookInput,
} from "../protocol/index.ts";
import { timestampOf, type World } from "./layer.ts";

type Trigger = CompactBoundaryMessage["trigger"];

/** Hooks know two triggers: by hand, or not. */
const wordFor = (trigger: Trigger) => (trigger === "manual" ? "manual" : "auto");

export async function* beforeCompaction(
  world: World,
  trigger: Trigger,
  instructions: string | null,
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, { blocked?: string; extra: string[] }> {
  const input: HookInput = {
    hook_event_name: "PreCompact",
    trigger: wordFor(trigger),
    custom_instructions: instructions,
  };
  const answer = yield* run(world, input, signal);
  if (answer === undefined) return { extra: [] };
  const blocked = answer.preventContinuation ?? (answer.blocking.length > 0 ? answer.blocking.join("\n") : undefined);
  return { blocked, extra: answer.additionalContext };
}

/** What SessionStart hooks want the model to know goes back as attachments. */
export async function* afterCompaction(
  world: World,
  trigger: Trigger,
  summary: string,
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, AttachmentMessage[]> {
  yield* run(world, { hook_event_name: "PostCompact", trigger: wordFor(trigger), compact_summary: summary }, signal);
  const answer = yield* run(world, { hook_event_name: "SessionStart", source: "compact" }, signal);
  return (answer?.additionalContext ?? []).map((text): AttachmentMessage => {
    const attachment = { kind: "hook_context" as const, event: "SessionStart", text };
    return { type: "attachment", uuid: world.ids.uuid(), timestamp: timestampOf(world), attachment };
  });
}

async function* run(
  { hooks }: World,
  input: HookInput,
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, HookAnswer | undefined> {
  if (signal.aborted || !hooks.has(input.hook_event_name)) return undefined;
  const answer = await hooks.run(input, signal);
  yield* answer.notices;
  return answer;
}
