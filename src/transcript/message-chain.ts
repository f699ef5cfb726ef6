/** The chain of parents from message to message, which other programs follow from the last line to the first to show a conversation. */
import type { Message } from "../protocol/index.ts";
import { isShown } from "./line-format.ts";
import type { MessageRecord } from "./record.ts";

/** The most messages that are remembered. */
const maxRecent = 1024;

interface Link {
  parentUuid: string | null;
  isShown: boolean;
}

/** The end of the chain that is being written. */
export class MessageChain {
  leafUuid: string | null;
  /** The latest messages, oldest first; undefined for those that another process wrote. */
  readonly #recent: Map<string, Link | undefined>;

  constructor(leafUuid: string | null, recentUuids: readonly string[]) {
    this.leafUuid = leafUuid;
    this.#recent = new Map(recentUuids.map((uuid) => [uuid, undefined]));
  }

  has(uuid: string): boolean {
    return this.#recent.has(uuid);
  }

  /** The parent of the next message. That of a retraction leads past what it retracts, if no message that stays came after it. */
  parentOf(message: Message): string | null {
    let parentUuid = this.leafUuid;
    if (message.type !== "tombstone") return parentUuid;
    for (let at = parentUuid; at !== null;) {
      const link = this.#recent.get(at);
      const isRetracted = message.targets.includes(at);
      if (link === undefined || (link.isShown && !isRetracted)) break;
      if (isRetracted) parentUuid = link.parentUuid;
      at = link.parentUuid;
    }
    return parentUuid;
  }

  add(message: Message): void {
    const { uuid, type } = message;
    this.#recent.set(uuid, { parentUuid: this.parentOf(message), isShown: isShown(type) });
    this.leafUuid = uuid;
    if (this.#recent.size > maxRecent) this.#forgetOldest();
  }

  #forgetOldest(): void {
    for (const oldest of this.#recent.keys()) {
      this.#recent.delete(oldest);
      return;
    }
  }
}

/**
 * Whether no message is missing between the record and the last one that was read. Between a retraction and its parent there is only what
 * is retracted or what other programs do not show.
 */
export function isNextInChain(record: MessageRecord, leafUuid: string | null, seenUuids: ReadonlySet<string>): boolean {
  const { parentUuid, message } = record;
  if (parentUuid === leafUuid) return true;
  return message.type === "tombstone" && (parentUuid === null || seenUuids.has(parentUuid));
}
