/** A call that waited for a permission when the process died, and got its answer since: it is run or refused once. */
import { waitFor, type Steps } from "../../lib/steps.ts";
import { drain } from "../../loop/act.ts";
import type { Cancel } from "../../loop/cancel.ts";
import { defaultLimits } from "../../loop/ports.ts";
import { append, createRun, mint } from "../../loop/run.ts";
import { ToolBatch } from "../../loop/tool-batch.ts";
import type { QueryEvent } from "../../protocol/event.ts";
import type { ToolUseBlock } from "../../protocol/message.ts";
import type { AskPermission, PermissionAnswer } from "../../protocol/permission.ts";
import type { EngineOptions } from "../options.ts";
import type { SessionParts } from "../parts.ts";
import type { Store } from "../store.ts";

/** Null where there is none, or nobody has answered. */
export function orphanOf({ orphan }: Store, { orphanedPermission }: EngineOptions): OrphanedCall | null {
  return orphan === undefined || orphanedPermission === undefined
    ? null
    : new OrphanedCall(orphan, orphanedPermission.answer);
}

type OrphanParts = Pick<SessionParts, "ports" | "limits" | "conversation" | "loopConfig">;

export class OrphanedCall {
  readonly block: ToolUseBlock;
  readonly #answer: PermissionAnswer;
  #ask: AskPermission | undefined;

  constructor(block: ToolUseBlock, answer: PermissionAnswer) {
    this.block = block;
    this.#answer = answer;
  }

  /** Answers in the place of the host, while the call runs. */
  get ask(): AskPermission | undefined {
    return this.#ask;
  }

  /** As any other call: checked, shown to hooks, held against the rules; only the question is not put again. */
  *run(parts: OrphanParts, cancel: Cancel): Steps<QueryEvent, void> {
    const { ports, conversation } = parts;
    const limits = { ...defaultLimits, ...parts.limits };
    const run = createRun(ports, parts.loopConfig(), limits, cancel, conversation.messages);
    const batch = new ToolBatch(run);
    let isOver = false;
    this.#ask = async () => this.#answer;
    try {
      batch.add({ block: this.block, key: "t0.tool.0" });
      yield* drain(run, batch);
      for (const draft of batch.followUps()) {
        const message = mint(run, draft);
        if (!(yield* append(run, message))) break;
        yield message;
      }
      isOver = true;
    } finally {
      if (!isOver) cancel.cancel("consumer");
      yield* waitFor(batch.settle());
      this.#ask = undefined;
    }
  }
}
