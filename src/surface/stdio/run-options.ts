/** What a run over pipes is given: the streams, who stops it, and how its session opens. */
import type { Readable } from "node:stream";
import type { Environment } from "../../lib/environment.ts";
import type { StartTimer } from "../deadline.ts";
import type { ReportOptions } from "../headless/report.ts";
import type { Terminal } from "../headless/run.ts";
import type { StopDesk } from "../stop-desk.ts";
import type { SessionOpenerOptions } from "./session-opener.ts";

export interface StdioRun extends Omit<SessionOpenerOptions, "requests" | "notify" | "write" | "failed" | "mirror"> {
  stdin: Readable;
  stdout: Terminal;
  stderr: Terminal;
  replaysUserMessages: boolean;
  /** Returns the client's name for a transcript. Undefined if the client does not want transcript entries. */
  transcriptName?: ((path: string) => string) | undefined;
  env: Environment;
  worktree?: ReportOptions["worktree"];
  stop: StopDesk;
  start?: StartTimer;
  newId: () => string;
}
