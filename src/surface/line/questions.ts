/** What a session asks a person: permission for a call, what the model wants to know, and what servers do. */
import type { OnElicitation } from "../../protocol/mcp.ts";
import type { AskPermission, PermissionAnswer, PermissionQuestion } from "../../protocol/permission.ts";
import type { PatchHunk } from "../../tools/patch.ts";
import { questionTool } from "../../tools/questions.ts";
import type { Style } from "../show/style.ts";
import type { AgentNames } from "./agent-names.ts";
import type { Asked, Asking } from "./asking.ts";
import { answerByLines, type PutQuestion } from "./elicitation.ts";
import { permissionAsked } from "./question.ts";
import { sizeOf } from "./screen.ts";

interface Person {
  /** Nobody answers any more. */
  isGone(): boolean;
  /** Looked at where a question of the model's was declined. */
  hasInterrupted(): boolean;
  agents: AgentNames;
}

export class Questions {
  readonly #asking: Asking;
  readonly #style: Style;
  readonly #output: Parameters<typeof sizeOf>[0];
  readonly #person: Person;

  constructor(asking: Asking, style: Style, output: Parameters<typeof sizeOf>[0], person: Person) {
    this.#asking = asking;
    this.#style = style;
    this.#output = output;
    this.#person = person;
  }

  /** Whoever is gone has refused it. */
  readonly ask: AskPermission = (question, signal) =>
    this.#asking.inTurn(async () => {
      const put: PutQuestion = (asked) => this.#put(asked, signal);
      const asker = this.#person.agents.asking(question.agentId);
      const look = { style: this.#style, size: sizeOf(this.#output) };
      if (question.toolName !== questionTool) {
        const isCompared = !look.style.isSpoken && (question.toolName === "Edit" || question.toolName === "Write");
        const hunks = isCompared ? await this.#hunksOf(question) : undefined;
        return (await put(permissionAsked(question, look.style, look.size, { asker, hunks }))) ?? { behavior: "deny" };
      }
      const { answerByChoice } = await import("./choices.ts");
      const answer = await answerByChoice(question.input, put, look);
      return answer ?? { behavior: "deny", ...(this.#person.hasInterrupted() ? { interrupt: true } : {}) };
    }, permitsMore);

  readonly elicit: OnElicitation = (asked, { signal }) =>
    this.#asking.inTurn(() => {
      const put: PutQuestion = (question) => this.#put({ ...question, isServers: true }, signal);
      return answerByLines(asked, put, sizeOf(this.#output).columns);
    });

  /** Loaded with the first edit that is asked about. */
  async #hunksOf({ toolName, input }: PermissionQuestion): Promise<PatchHunk[] | undefined> {
    const { previewHunks } = await import("../../tools/preview.ts");
    return await previewHunks(toolName, input);
  }

  /** Undefined where nobody answers. */
  async #put<T>(question: Asked<T>, signal: AbortSignal): Promise<T | undefined> {
    if (this.#person.isGone()) return undefined;
    return await this.#asking.put({ ...question, takenBack: () => this.#takenBack() }, signal);
  }

  /** By what is permitted now, its time or a server's end. A person who ends it knows. */
  #takenBack(): string | undefined {
    if (this.#person.isGone() || this.#person.hasInterrupted()) return undefined;
    return this.#style.dim("(no answer is needed any more)");
  }
}

/** Than the call it answers. */
function permitsMore(answer: PermissionAnswer): boolean {
  return answer.behavior === "allow" && (answer.rule !== undefined || answer.updates !== undefined);
}
