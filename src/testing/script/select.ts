/** Chooses the reply: rules first, then the conversation's next step, then the fallback. */
import { errorText } from "../../lib/error-text.ts";
import { ignoreRejection } from "../../lib/fire-and-forget.ts";
import { checkReply } from "./check-script.ts";
import { matches } from "./match.ts";
import type { RequestView } from "./request-view.ts";
import type { Reply, ReplySource, Script } from "./types.ts";

export interface Selection {
  reply: Reply;
  /** For records and errors: `rule "name"`, `step 3`, `fallback`. */
  source: string;
  /** Returns the step or the use of the rule: the reply never reached the client. */
  giveBack(): void;
}

export interface UnusedStep {
  /** From 1. */
  step: number;
  conversation: string;
}

export class ReplySelector {
  readonly #script: Script;
  readonly #used = new Map<string, boolean[]>();
  readonly #ruleUses: number[];

  constructor(script: Script) {
    this.#script = script;
    this.#ruleUses = (script.rules ?? []).map(() => 0);
  }

  /** Undefined if the script has no reply. Errors from a reply function propagate. */
  select(request: RequestView, conversation: string): Selection | undefined {
    return this.#fromRules(request) ?? this.#fromSteps(request, conversation) ?? this.#fromFallback(request);
  }

  unusedSteps(): UnusedStep[] {
    const count = this.#script.steps?.length ?? 0;
    if (count === 0) return [];
    const conversations = this.#used.size === 0 ? [["", []] as [string, boolean[]]] : [...this.#used];
    return conversations.flatMap(([conversation, used]) =>
      Array.from({ length: count }, (_, index) => index)
        .filter((index) => used[index] !== true)
        .map((index) => ({ step: index + 1, conversation })),
    );
  }

  #fromRules(request: RequestView): Selection | undefined {
    const rules = this.#script.rules ?? [];
    const index = rules.findIndex(
      (rule, position) =>
        (this.#ruleUses[position] as number) < (rule.times ?? Number.POSITIVE_INFINITY) && matches(rule.when, request),
    );
    const rule = rules[index];
    if (rule === undefined) return undefined;
    this.#ruleUses[index] = (this.#ruleUses[index] as number) + 1;
    const source = `rule ${rule.name === undefined ? index + 1 : JSON.stringify(rule.name)}`;
    return {
      reply: evaluate(rule.reply, request, source),
      source,
      giveBack: () => {
        this.#ruleUses[index] = (this.#ruleUses[index] as number) - 1;
      },
    };
  }

  #fromSteps(request: RequestView, conversation: string): Selection | undefined {
    const steps = this.#script.steps ?? [];
    let used = this.#used.get(conversation);
    if (used === undefined) {
      used = [];
      this.#used.set(conversation, used);
    }
    const index = this.#script.stepBy === "turns" ? request.turns : firstUnused(used);
    const step = steps[index];
    if (step === undefined) return undefined;
    const before = used[index] === true;
    used[index] = true;
    const source = `step ${index + 1}`;
    return {
      reply: evaluate(step, request, source),
      source,
      giveBack: () => {
        used[index] = before;
      },
    };
  }

  #fromFallback(request: RequestView): Selection | undefined {
    const { fallback } = this.#script;
    if (fallback === undefined) return undefined;
    return { reply: evaluate(fallback, request, "fallback"), source: "fallback", giveBack: () => undefined };
  }
}

function firstUnused(used: boolean[]): number {
  for (let index = 0; index < used.length; index++) if (used[index] !== true) return index;
  return used.length;
}

/** An error from a reply function is prefixed with its place in the script. */
function evaluate(from: ReplySource, request: RequestView, source: string): Reply {
  if (typeof from !== "function") return typeof from === "string" ? { content: from } : from;
  try {
    const reply = ignoreRejection(from(request));
    const [problem] = checkReply(reply);
    if (problem !== undefined) throw new Error(problem);
    return typeof reply === "string" ? { content: reply } : reply;
  } catch (error) {
    throw new Error(`${source}: ${errorText(error)}`, { cause: error });
  }
}
