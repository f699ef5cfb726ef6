// What the functions for stored sessions are asked with.
/** Where sessions are looked for. */
export interface SessionPlace {
  /** Those of this folder and of its repository's other work trees; absent: of every folder. */
  dir?: string | undefined;
  /** Read instead of the process's environment: `PAWL_HOME`, `HOME`. */
  env?: Record<string, string | undefined> | undefined;
  home?: string | undefined;
}

export interface ListSessionsOptions extends SessionPlace {
  /** Default: all. */
  limit?: number | undefined;
  offset?: number | undefined;
  /** With `dir`: false leaves the other work trees out. Default true. */
  includeWorktrees?: boolean | undefined;
  /** False leaves out those of `pawl -p` and of programs. Default true. */
  includeProgrammatic?: boolean | undefined;
  /** Words and "phrases" that all occur in what was said, whatever their case, or in title and tag. */
  search?: string | undefined;
  tag?: string | undefined;
}

export interface SessionMessagesOptions extends SessionPlace {
  limit?: number | undefined;
  offset?: number | undefined;
  /** Also boundaries, notices and ends of answers, as `system`. Default false. */
  includeSystemMessages?: boolean | undefined;
  /** Also what a summary stands for. Default false: the conversation since the last one. */
  includeCompacted?: boolean | undefined;
}

export interface ForkSessionOptions extends SessionPlace {
  /** The last message of the copy; results of calls that are open there come along. Default: all. */
  upToMessageId?: string | undefined;
  /** Default: that of the original, with `(fork)`. */
  title?: string | undefined;
}
