/** A copy of what transcripts get, line by line, kept elsewhere by the host. */

export interface TranscriptMirror {
  /** After each line that was written. `path`: of its transcript, `<home>/projects/<project>/<id>.jsonl` or an agent's below. Must not throw. */
  wrote(path: string, line: string): void;
  /** Resolves once all of it was handed on, or given up. `isLast`: no more will come. Must not reject. */
  settled(isLast: boolean): Promise<void>;
}
