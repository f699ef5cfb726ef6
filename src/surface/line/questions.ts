/** What a session asks a person: permission for a call, and what servers want to know. */
import type { OnElicitation } from "../../protocol/mcp.ts";
import type { AskPermission } from "../../protocol/permission.ts";
import type { Style } from "../show/style.ts";
import type { Asked, Asking } from "./asking.ts";
import { answerByLines } from "./elicitation.ts";
import { permissionAsked } from "./question.ts";
import { sizeOf } from "./screen.ts";

export class Questions {
  readonly #asking: Asking;
  readonly #style: Style;
  readonly #output: Parameters<typeof sizeOf>[0];
  readonly #isClosed: () => boolean;

  /** `isClosed`: nobody answers any more. */
  constructor(asking: Asking, style: Style, output: Parameters<typeof sizeOf>[0], isClosed: () => boolean) {
    this.#asking = asking;
    this.#style = style;
    this.#output = output;
    this.#isClosed = isClosed;
  }

  readonly ask: AskPermission = (question, signal) =>
    this.#asking.inTurn(async () => {
      const asked = permissionAsked(question, this.#style, sizeOf(this.#output));
      return (await this.#put(asked, signal)) ?? { behavior: "deny" };
    });

  readonly elicit: OnElicitation = (asked, { signal }) =>
    this.#asking.inTurn(() => answerByLines(asked, (question) => this.#put(question, signal)));

  /** Undefined where nobody answers. */
  async #put<T>(question: Asked<T>, signal: AbortSignal): Promise<T | undefined> {
    return this.#isClosed() ? undefined : await this.#asking.put(question, signal);
  }
}
