// Options of the functions for stored sessions.
/** Where sessions are looked for. */
export interface SessionPlace {
  /** Only sessions of this folder and of its repository's other work trees; absent: of every folder. */
  dir?: string | undefined;
  /** Replaces the process's environment: `PAWL_HOME`, `HOME`. */
  env?: Record<string, string | undefined> | undefined;
  home?: string | undefined;
}

export interface ListSessionsOptions extends SessionPlace {
  /** Default: all. */
  limit?: number | undefined;
  offset?: number | undefined;
  /** With `dir`: false excludes the other work trees. Default true. */
  includeWorktrees?: boolean | undefined;
  /** False excludes sessions of `pawl -p` and of programs. Default true. */
  includeProgrammatic?: boolean | undefined;
  /** Words and "phrases" that must all occur in the conversation, the title or the tag, in any case. */
  search?: string | undefined;
  tag?: string | undefined;
}

export interface SessionMessagesOptions extends SessionPlace {
  limit?: number | undefined;
  offset?: number | undefined;
  /** Includes boundaries, notices and ends of answers, as `system`. Default false. */
  includeSystemMessages?: boolean | undefined;
  /** Includes messages that a summary replaces. Default false: only the conversation since the last summary. */
  includeCompacted?: boolean | undefined;
}

export interface ForkSessionOptions extends SessionPlace {
  /** The last message of the copy; results of calls that are open there are included. Default: all messages. */
  upToMessageId?: string | undefined;
  /** Default: the original's title, with `(fork)`. */
  title?: string | undefined;
}
