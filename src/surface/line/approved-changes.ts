/** The changes that a person saw at a question and approved. The results of these calls need not show them again. */
import type { PermissionQuestion } from "../../protocol/permission.ts";

type Hunks = { lines: readonly string[] }[];

export class ApprovedChanges {
  /** The lines of the changes, by call. */
  readonly #changes = new Map<string, string>();

  /** `hunks`: the change that the question showed, at most `most` lines of it; undefined if it showed the call's input. */
  add({ toolName, toolUseId, input }: PermissionQuestion, hunks: Readonly<Hunks> | undefined, most: number): void {
    const { content } = input;
    const created = toolName === "Write" && typeof content === "string" ? createdLines(content) : undefined;
    const lines = hunks === undefined ? created : hunkLines(hunks);
    if (lines !== undefined && lines.length <= most) this.#changes.set(toolUseId, lines.join("\n"));
  }

  /** Returns whether the result of the call, as clients get it, made exactly the approved change. True once per call. */
  consumeApproval(id: string, result: unknown): boolean {
    const approved = this.#changes.get(id);
    this.#changes.delete(id);
    const { structuredPatch, type, content } = (result ?? {}) as Record<string, unknown>;
    if (approved === undefined || !Array.isArray(structuredPatch)) return false;
    const isNew = type === "create" && typeof content === "string";
    return approved === (isNew ? createdLines(content) : hunkLines(structuredPatch as Hunks)).join("\n");
  }
}

/** A question may show a change without its carriage returns. */
function hunkLines(hunks: Readonly<Hunks>): string[] {
  return hunks.flatMap(({ lines }) => ["⋮", ...lines.map((line) => line.replaceAll("\r", ""))]).slice(1);
}

/** The lines of a new file as those of a hunk. */
function createdLines(content: string): string[] {
  const lines = content.replaceAll("\r", "").split("\n");
  const note = lines.at(-1) === "" ? [] : ["\\ No newline at end of file"];
  return [...lines.slice(0, note.length === 0 ? -1 : undefined).map((line) => `+${line}`), ...note];
}
