/** `/resume` and `/branch`: another session takes the place of the one that is spoken with. */
import { errorText } from "../../lib/error-text.ts";
import { oneLine, sanitize } from "../../lib/sanitize.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import { readCommand } from "../../session/commands/read-command.ts";
import type { ListedSession } from "../../session/sessions/desk.ts";
import type { Engine } from "../engine-port.ts";
import type { Style } from "../show/style.ts";
import type { Asking } from "./asking.ts";
import { readyPrompt } from "./keyboard.ts";
import { pastLines } from "./past.ts";

export const sessionCommands: readonly SlashCommand[] = [
  {
    name: "resume",
    aliases: ["continue"],
    argumentHint: "[session]",
    description: "go on with another session: by its id, its title, or from a list",
    builtin: true,
  },
  {
    name: "branch",
    aliases: ["fork"],
    argumentHint: "[title]",
    description: "go on in a copy of this session",
    builtin: true,
  },
];

/** Where sessions are looked for. */
export interface SessionPlace {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}

export class OtherSession {
  readonly #place: SessionPlace;
  readonly #style: Style;
  readonly #asking: Asking;
  readonly #show: (line: string) => void;
  #isPicking = false;

  constructor(place: SessionPlace, style: Style, asking: Asking, show: (line: string) => void) {
    this.#place = place;
    this.#style = style;
    this.#asking = asking;
    this.#show = show;
  }

  /** Ctrl+C: whether it gives the list up. */
  interrupt(): boolean {
    return this.#isPicking && this.#asking.decline();
  }

  /** True where another session is spoken with from now on, false where not; undefined: the line was not for it. */
  async takes(engine: Engine, text: string): Promise<boolean | undefined> {
    const given = readCommand(text);
    const command = sessionCommands.find(({ name, aliases }) => [name, ...(aliases ?? [])].includes(given?.name ?? ""));
    if (given === undefined || command === undefined) return undefined;
    try {
      return command.name === "branch"
        ? await this.#branch(engine, given.argument)
        : await this.#resume(engine, given.argument);
    } catch (error) {
      const choices = error instanceof UsageError ? error.choices : [];
      this.#show(this.#style.red(sanitize(errorText(error))));
      for (const choice of choices) this.#show(`  ${sanitize(choice)}`);
      return false;
    }
  }

  async #branch(engine: Engine, title: string): Promise<true> {
    const before = engine.getSessionId();
    await engine.branch(title === "" ? undefined : title);
    const name = oneLine(engine.desk.title ?? "", 80);
    this.#show(`A copy, ${engine.getSessionId()}${name === "" ? "" : ` "${name}"`}. /resume ${before} goes back.`);
    return true;
  }

  async #resume(engine: Engine, wanted: string): Promise<boolean> {
    const session = wanted === "" ? await this.#picked(engine.getSessionId()) : wanted;
    if (session === undefined) return false;
    await engine.resume(session);
    const title = oneLine(engine.desk.title ?? "", 80);
    this.#show(this.#style.dim(`session ${engine.getSessionId()}${title === "" ? "" : ` "${title}"`}`));
    for (const line of pastLines(engine.getMessages(), this.#style, readyPrompt)) this.#show(line);
    return true;
  }

  async #picked(current: string): Promise<string | undefined> {
    const { SessionDesk } = await import("../../session/sessions/desk.ts");
    const { pickOf } = await import("./session-picker.ts");
    const now = (): number => Date.now();
    const desk = new SessionDesk({ ...this.#place, env: { ...this.#place.env }, now });
    const isOther = ({ sessionId, archived }: ListedSession): boolean => sessionId !== current && archived !== true;
    const list = async (search?: string): Promise<ListedSession[]> =>
      (await desk.list({ everywhere: false, ...(search === undefined ? {} : { search }) })).filter(isOther);
    const all = await list();
    if (all.length === 0) throw new UsageError("There is no other session of this folder.");
    const show = (text: string): void => text.split("\n").forEach((line) => this.#show(line));
    const never = new AbortController().signal;
    const ask = (prompt: string): Promise<string | undefined> =>
      this.#asking.inTurn(() =>
        this.#asking.put({ lines: [], prompt, read: (text) => text, isExpected: true, isModels: true }, never),
      );
    this.#isPicking = true;
    try {
      return await pickOf(all, { list, show, ask, now });
    } finally {
      this.#isPicking = false;
    }
  }
}
