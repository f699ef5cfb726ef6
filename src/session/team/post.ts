/**
 * The mailboxes of a session: bounded, ordered, and on disk until their messages are recorded in the recipient's conversation. That
 * record names the message, so none is delivered twice, wherever a process dies.
 */
import type { Attachment, Message } from "../../protocol/message.ts";
import { KeptFileError, type KeptFile } from "./kept-file.ts";
import { attachmentOf, type Mail, type Member, type PostState } from "./mail.ts";
import { leadName } from "./names.ts";

/** The most messages that may wait for one agent. */
const maxWaitingPerAgent = 100;
const maxMembers = 50;
/** The most messages that may wait for all agents together. */
const maxWaitingInAll = 500;

export interface PostOptions {
  stateFile: Pick<KeptFile<PostState>, "read" | "write">;
  newId: () => string;
  /** Shows a text to people. */
  notice: (text: string) => void;
}

export class Post {
  readonly #options: PostOptions;
  readonly #listeners = new Map<string, Set<() => void>>();
  #state: PostState;
  /** Messages that are not news: those already waiting for the lead when its last turn began, and quiet ones. */
  #announced = new Set<string>();
  /** Whether teammates were in the middle of their work when an earlier process died. */
  hasCutOff = false;

  /** Throws `KeptFileError`. */
  constructor(options: PostOptions) {
    this.#options = options;
    this.#state = options.stateFile.read();
    this.#reportCutOff();
  }

  /** Reports the teammates that were in the middle of their work when an earlier process died. */
  #reportCutOff(): void {
    const cut = this.#state.members.filter(({ isWorking }) => isWorking);
    if (cut.length === 0) return;
    this.hasCutOff = true;
    const letters = cut.map(({ name, agentId }): Mail => {
      const summary = "cut off in the middle of its work, as the program ended";
      return { id: this.#options.newId(), kind: "idle", from: name, to: leadName, agentId, summary, text: "(none)" };
    });
    const members = this.#state.members.map((member) => ({ ...member, isWorking: false }));
    this.#write({ ...this.#state, members, mail: [...this.#state.mail, ...letters] });
  }

  get members(): readonly Member[] {
    return this.#state.members;
  }

  member(name: string): Member | undefined {
    return this.#state.members.find((member) => member.name === name);
  }

  /** A new member replaces one of the same name and gets the messages that wait for the name. Throws `KeptFileError`. */
  join(member: Member): void {
    const members = this.#state.members.filter(({ name }) => name !== member.name);
    if (members.length >= maxMembers)
      throw new KeptFileError(`This session has had ${maxMembers} teammates: go on with one of them.`);
    this.#write({ ...this.#state, members: [...members, member] });
  }

  setWorking(name: string, isWorking: boolean): void {
    const members = this.#state.members.map((member) => {
      if (member.name !== name) return member;
      const { prompt, ...known } = member;
      return isWorking && prompt !== undefined ? { ...known, prompt, isWorking } : { ...known, isWorking };
    });
    this.#writeOrReport({ ...this.#state, members });
  }

  /** Sends all messages, or none and returns why. Quiet messages wake nobody. Throws `KeptFileError`. */
  send(letters: readonly Omit<Mail, "id">[], isQuiet = false): string | null {
    for (const { to } of letters)
      if (this.pending(to).filter(({ kind }) => kind === "message").length >= maxWaitingPerAgent)
        return `${maxWaitingPerAgent} messages wait for ${to} already: wait until it has read some.`;
    if (this.#state.mail.length + letters.length > maxWaitingInAll && letters.some(({ kind }) => kind === "message"))
      return `${this.#state.mail.length} messages wait for teammates already: wait until they have read some.`;
    // A newer report about a teammate replaces an older one.
    const isOld = ({ kind, from, to }: Mail): boolean =>
      kind === "idle" &&
      letters.some((letter) => letter.kind !== "message" && letter.from === from && letter.to === to);
    const mail = this.#state.mail.filter((letter) => !isOld(letter));
    const added = letters.map((letter): Mail => ({ ...letter, id: this.#options.newId() }));
    this.#write({ ...this.#state, mail: [...mail, ...added] });
    for (const { id } of isQuiet ? added : []) this.#announced.add(id);
    if (isQuiet) return null;
    for (const { to } of letters) for (const listen of this.#listeners.get(to) ?? []) listen();
    return null;
  }

  pending(to: string): readonly Mail[] {
    return this.#state.mail.filter((letter) => letter.to === to);
  }

  /** Returns the messages for the border of a turn. They stay until `markDelivered`. */
  attachments(to: string): Attachment[] {
    return this.pending(to).map(attachmentOf);
  }

  /** Called once the message is recorded in the recipient's conversation. */
  markDelivered(id: string): void {
    if (!this.#state.mail.some((letter) => letter.id === id)) return;
    this.#writeOrReport({ ...this.#state, mail: this.#state.mail.filter((letter) => letter.id !== id) });
  }

  /** Removes the messages that the conversation of a resumed session already has. */
  dropDelivered(to: string, messages: readonly Message[]): void {
    const waiting = new Set(this.pending(to).map(({ id }) => id));
    if (waiting.size === 0) return;
    for (const message of messages) {
      if (message.type !== "attachment" || message.attachment.kind !== "reminder") continue;
      const id = message.attachment.mail?.id;
      if (id !== undefined && waiting.has(id)) this.markDelivered(id);
    }
  }

  /** Called when a turn of the lead begins: messages that wait now are no longer news, even if they cannot be delivered. */
  markAnnounced(): void {
    this.#announced = new Set(this.pending(leadName).map(({ id }) => id));
  }

  /** The number of messages for the lead since its last turn began. */
  get newsCount(): number {
    return this.pending(leadName).filter(({ id }) => !this.#announced.has(id)).length;
  }

  /** Returns the function that removes the listener. */
  onMail(to: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(to) ?? new Set();
    this.#listeners.set(to, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(to);
    };
  }

  #write(state: PostState): void {
    this.#options.stateFile.write(state);
    this.#state = state;
  }

  /** The change has happened even if it cannot be written: the next process learns about it from the conversations. */
  #writeOrReport(state: PostState): void {
    this.#state = state;
    try {
      this.#options.stateFile.write(state);
    } catch (error) {
      if (!(error instanceof KeptFileError)) throw error;
      this.#options.notice(error.message);
    }
  }
}
