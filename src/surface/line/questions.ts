/** Asks a person for permission for a call, and puts the questions of the model and of MCP servers. */
import type { OnElicitation } from "../../protocol/mcp.ts";
import type { AskPermission, PermissionAnswer, PermissionQuestion } from "../../protocol/permission.ts";
import type { PatchHunk } from "../../tools/patch.ts";
import { questionTool } from "../../tools/questions.ts";
import type { Style } from "../show/style.ts";
import type { AgentNames } from "./agent-names.ts";
import type { ApprovedChanges } from "./approved-changes.ts";
import type { TerminalQuestion, QuestionQueue } from "./question-queue.ts";
import { answerByLines, type AskQuestion } from "./elicitation.ts";
import { contentLines, createPermissionQuestion } from "./question.ts";
import { sizeOf } from "./screen.ts";

interface Person {
  /** Returns whether the person has left. */
  isGone(): boolean;
  /** Returns whether the turn was interrupted. Checked when a question of the model was declined. */
  hasInterrupted(): boolean;
  agents: AgentNames;
  approved: ApprovedChanges;
}

export class Questions {
  readonly #questionQueue: QuestionQueue;
  readonly #style: Style;
  readonly #output: Parameters<typeof sizeOf>[0];
  readonly #person: Person;

  constructor(questionQueue: QuestionQueue, style: Style, output: Parameters<typeof sizeOf>[0], person: Person) {
    this.#questionQueue = questionQueue;
    this.#style = style;
    this.#output = output;
    this.#person = person;
  }

  /** If the person has left, the call is denied. */
  readonly ask: AskPermission = (question, signal) =>
    this.#questionQueue.enqueue(async () => {
      const ask: AskQuestion = (terminalQuestion) => this.#askUnlessGone(terminalQuestion, signal);
      const asker = this.#person.agents.askerSuffix(question.agentId);
      const look = { style: this.#style, size: sizeOf(this.#output) };
      if (question.toolName !== questionTool) {
        const isCompared = !look.style.isSpoken && (question.toolName === "Edit" || question.toolName === "Write");
        const hunks = isCompared ? await this.#questionQueue.lookUp(this.#hunksOf(question), signal) : undefined;
        // A question never leaves out a single line.
        let most = contentLines(look.size) + 1;
        const about = { asker, hunks, onShownWhole: () => void (most = Infinity) };
        const permission = await ask(createPermissionQuestion(question, look.style, look.size, about));
        if (permission?.behavior === "allow" && question.agentId === undefined)
          this.#person.approved.add(question, hunks, most);
        return permission ?? { behavior: "deny" };
      }
      const { answerByChoice } = await import("./choices.ts");
      const answer = await answerByChoice(question.input, ask, look);
      return answer ?? { behavior: "deny", ...(this.#person.hasInterrupted() ? { interrupt: true } : {}) };
    }, permitsMore);

  readonly elicit: OnElicitation = (elicitation, { signal }) =>
    this.#questionQueue.enqueue(() => {
      const ask: AskQuestion = (question) => this.#askUnlessGone({ ...question, isFromServer: true }, signal);
      return answerByLines(elicitation, ask, sizeOf(this.#output).columns);
    });

  /** Computes the change of an edit. The code is loaded at the first question about an edit. */
  async #hunksOf({ toolName, input, subjects }: PermissionQuestion): Promise<PatchHunk[] | undefined> {
    const { previewHunks } = await import("../../tools/preview.ts");
    // The call may name it by a relative path.
    const written = subjects.find((subject) => subject.kind === "write")?.path;
    return await previewHunks(toolName, written === undefined ? input : { ...input, file_path: written });
  }

  /** Resolves to undefined if nobody answers. */
  async #askUnlessGone<T>(question: TerminalQuestion<T>, signal: AbortSignal): Promise<T | undefined> {
    if (this.#person.isGone()) return undefined;
    return await this.#questionQueue.ask({ ...question, withdrawnLine: () => this.#withdrawnLine() }, signal);
  }

  /** The note for a question that a new permission, a timeout or a server's end has settled. A person who ended it needs none. */
  #withdrawnLine(): string | undefined {
    if (this.#person.isGone() || this.#person.hasInterrupted()) return undefined;
    return this.#style.note("(no answer is needed any more)");
  }
}

/** Returns whether the answer allows more than the call it answers. */
function permitsMore(answer: PermissionAnswer): boolean {
  return answer.behavior === "allow" && (answer.rule !== undefined || answer.updates !== undefined);
}
