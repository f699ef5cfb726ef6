/** Builds the parts with which a session takes in its prompts. */
import type { SessionDesk } from "./desk/desk.ts";
import { createQueueJudges, type Intake } from "./intake/intake.ts";
import type { Joined } from "./joined.ts";
import { createMentionReader } from "./knowledge/typed-prompt.ts";

export function createIntake(
  joined: Joined,
  naming: Intake["naming"],
  desk: Pick<SessionDesk, "reloadSkills">,
): Intake {
  const { agentRun, conversation, hooks, around, options, memory, skills, queue, store } = joined;
  if (agentRun === undefined) queue.judges = createQueueJudges({ hooks, naming });
  const { clock, ids } = around;
  if (options.verbatimPrompts !== true) queue.files = createMentionReader({ clock, ids, skills });
  if (hooks.has("UserPromptSubmit"))
    for (const uuid of store.restored.promptsAwaitingHooks ?? []) conversation.unjudged.add(uuid);
  // An unknown name may belong to a skill written since the last look.
  skills.onUnknown = () => desk.reloadSkills();
  return {
    conversation,
    hooks,
    clock,
    ids,
    context: (timestamp) => memory.context(timestamp),
    setup: options.setup,
    naming,
    onUser: () => joined.waking.userSubmitted(),
    isHeadless: options.headless !== false,
    async reloadSkills() {
      await desk.reloadSkills();
      return skills.news();
    },
  };
}
