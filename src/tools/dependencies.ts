/** What the tools of one session share, and what they take from outside. The session makes one of these; a subagent gets its own. */
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
import type { Variables } from "./variables.ts";
import type { ToolClock } from "./tool-clock.ts";

/** What Read makes of a picture or a document. */
export type MediaContent = TextBlock | ImageBlock | DocumentBlock;

export interface WebDependencies {
  /** Answers questions about pages. */
  reader: PageReader;
  /** Whether a rule of the user's allows that very host: it may be this machine, or private. */
  isNamedHost: (host: string) => boolean;
  /** All addresses of a host. Absent: as the system says. */
  resolve?: Resolve;
  limits?: Partial<PageLimits>;
}

export interface ToolDependencies {
  readState: ReadFileState;
  cwd: Cwd;
  todos: TodoStore;
  background: BackgroundTasks;
  /** A folder of mode 0700 for output that is too long to show; made at the first call. Absolute. */
  spillDirectory: () => string;
  /** The user's environment. What children get of it is scrubbed of credentials here. */
  environment: Variables;
  /** What hooks say that commands find besides; scrubbed like the user's own. Rejects where the signal aborts while it is awaited. */
  hookVariables?: (signal: AbortSignal) => Promise<Readonly<Record<string, string>>>;
  /** Which trace a call is part of; absent: none. */
  traceVariables?: (toolUseId: string) => Readonly<Record<string, string>>;
  /** The most a command of the background may take, ms, where it is less than usual. */
  backgroundMs?: number;
  /** What commands are told of the session they work for. */
  sessionVariables?: () => Readonly<Record<string, string>>;
  /** Names of variables that children get although they look like credentials. */
  passEnvironment?: readonly string[];
  /** What `~` stands for. Absolute. */
  home: string;
  clock: ToolClock;
  /** Where ripgrep is; `null`: there is none. Absent: `$PAWL_RG`, then PATH, then the package. */
  rgPath?: string | null;
  /** False for what a rule forbids reading: searches leave it out. Given an absolute path. Absent: everything may be shown. */
  mayShow?: (path: string) => boolean;
  /** For one search of a folder. True for what is read only where somebody allows it: what is in it is left out. Given absolute paths. */
  heldBack?: () => ((path: string) => Promise<boolean>) | undefined;
  /** Makes an image or document fit what the model takes; text in its place says why it cannot be. Absent: it is shown as it is. */
  fitMedia?: (content: MediaContent[], about: { path: string; signal: AbortSignal }) => Promise<MediaContent[]>;
  /** Confines commands; absent: they run as they are. */
  sandbox?: SandboxPort;
  /** Agents that work in the background. */
  agents?: { running(): string[]; stop(id: string): Promise<boolean> };
  /** How previews in questions to the user are to be written; absent: there are none. */
  questionPreviews?: PreviewFormat;
  /** What WebFetch needs of the session; absent: it refuses. */
  web?: WebDependencies;
  /**
   * Whether somebody would be asked before a file is so changed: a change that cannot come about is refused before that. `hookAsks`:
   * a hook wants it.
   */
  asksPerson?: (toolName: string, input: ToolInput, hookAsks: boolean) => Promise<boolean>;
  /** Awaited with the real path of a file just before it changes; what it throws refuses the change. */
  beforeChange?: (path: string) => Promise<void>;
}
