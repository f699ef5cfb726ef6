/** A copy of what is written to transcripts, line by line, that the host keeps elsewhere. */

export interface TranscriptMirror {
  /**
   * Called after each written line. `path`: the transcript, `<home>/projects/<project>/<id>.jsonl`, or an agent's below it. Must not throw.
   */
  wrote(path: string, line: string): void;
  /** Resolves once every line has been passed on or given up. `isLast`: no more lines will follow. Must not reject. */
  settled(isLast: boolean): Promise<void>;
}
