/** What became of a file or folder that a prompt names with an at sign, for whoever shows the prompt. */
export interface MentionNews {
  /** As written, without the at sign and the lines. */
  path: string;
  /** By a person; else it stands in a command of files that the person began. */
  isTyped: boolean;
  /** `too_large`: the files that the prompt names are, together. `failed`: it could not be read. */
  outcome: "read" | "listed" | "missing" | "refused" | "failed" | "too_large";
  /** Of a text that was read: `count` lines from `from` (1 is the first) on, of `total`. */
  lines?: { from: number; count: number; total: number };
  /** Of a folder: how many entries it has. */
  entries?: number;
  /** Why it was refused, or failed: a sentence, or several. */
  why?: string;
}
