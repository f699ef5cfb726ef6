/** What the tools of one session share, and what they need from outside. The session creates one such object; a subagent gets its own. */
import type { DocumentBlock, ImageBlock, TextBlock } from "../protocol/message.ts";
import type { SandboxPort } from "../protocol/sandbox.ts";
import type { ToolInput } from "../protocol/tool.ts";
import type { PreviewFormat } from "./questions.ts";
import type { BackgroundTasks } from "./shell/background.ts";
import type { Cwd } from "./cwd.ts";
import type { PageReader } from "./web/page-reader.ts";
import type { PageLimits } from "./web/fetch-page.ts";
import type { Resolve } from "./web/page-url.ts";
import type { ReadFileState } from "./read-state.ts";
import type { TodoStore } from "./todo-store.ts";
import type { Environment } from "../lib/environment.ts";
import type { ToolClock } from "./tool-clock.ts";

/** What Read returns for a picture or a document. */
export type MediaContent = TextBlock | ImageBlock | DocumentBlock;

export interface WebDependencies {
  /** Answers questions about pages. */
  reader: PageReader;
  /** Whether a rule of the user allows exactly this host: it may then be this machine or a private address. */
  isNamedHost: (host: string) => boolean;
  /** Returns all addresses of a host. Absent: the system resolver is used. */
  resolve?: Resolve;
  limits?: Partial<PageLimits>;
}

export interface ToolDependencies {
  readState: ReadFileState;
  cwd: Cwd;
  todos: TodoStore;
  background: BackgroundTasks;
  /** A folder of mode 0700 for output that is too long to show, created on the first call. Absolute. */
  spillDirectory: () => string;
  /** The user's environment. Tools remove credentials from it before they pass it to child processes. */
  environment: Environment;
  /** Variables that hooks set for commands; scrubbed like the user's own. Rejects if the signal aborts while it is awaited. */
  hookVariables?: (signal: AbortSignal) => Promise<Readonly<Record<string, string>>>;
  /** The variables that name the trace a call belongs to; absent: no trace. */
  traceVariables?: (toolUseId: string) => Readonly<Record<string, string>>;
  /** The longest a background command may run, in ms, if that is less than usual. */
  backgroundMs?: number;
  /** Variables that tell commands about the session they run in. */
  sessionVariables?: () => Readonly<Record<string, string>>;
  /** Names of variables that are passed to child processes although they look like credentials. */
  passEnvironment?: readonly string[];
  /** The home folder, which `~` stands for. Absolute. */
  home: string;
  clock: ToolClock;
  /** Path of ripgrep; `null`: there is no ripgrep. Absent: look in `$PAWL_RG`, then PATH, then the bundled package. */
  rgPath?: string | null;
  /** False for a path that a rule forbids reading: searches leave it out. Takes an absolute path. Absent: everything may be shown. */
  mayShow?: (path: string) => boolean;
  /** Called once per search of a folder. The returned check is true for absolute paths that need permission: they are left out. */
  createPermissionCheck?: () => ((path: string) => Promise<boolean>) | undefined;
  /** Makes media fit the model's limits; text in its place says why it cannot be done. Absent: media are shown unchanged. */
  fitMedia?: (content: MediaContent[], about: { path: string; signal: AbortSignal }) => Promise<MediaContent[]>;
  /** Confines commands; absent: they run unconfined. */
  sandbox?: SandboxPort;
  /** The agents that run in the background. */
  agents?: { running(): string[]; stop(id: string): Promise<boolean> };
  /** The format of previews in questions to the user; absent: no previews. */
  questionPreviews?: PreviewFormat;
  /** What WebFetch needs from the session; absent: WebFetch refuses. */
  web?: WebDependencies;
  /**
   * Whether somebody would be asked before this change of a file: a change that cannot succeed is refused before that. `hookAsks`: a hook
   * requires that somebody is asked.
   */
  asksPerson?: (toolName: string, input: ToolInput, hookAsks: boolean) => Promise<boolean>;
  /** Awaited with the real path of a file just before it changes; throwing refuses the change. */
  beforeChange?: (path: string) => Promise<void>;
}
