/** What became of a file or folder that a prompt mentions with an at sign, for displaying the prompt. */
export interface MentionNews {
  /** As written, without the at sign and the line range. */
  path: string;
  /** True if a person typed the mention; false if it is in a command file that the person invoked. */
  isTyped: boolean;
  /**
   * `too_large`: the files that the prompt mentions are too large together. `failed`: the file could not be read. `too_many`: this is the
   * 21st mention of the prompt; neither it nor those after it were looked up.
   */
  outcome: "read" | "listed" | "missing" | "refused" | "failed" | "too_large" | "too_many";
  /** For a text file that was read: `count` lines of `total`, starting at line `from` (1 is the first). */
  lines?: { from: number; count: number; total: number };
  /** For a folder: how many entries it has. */
  entries?: number;
  /** Why the mention was refused or failed: one or more sentences. */
  why?: string;
}
