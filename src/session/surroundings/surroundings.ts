/** What a session finds around it, read once at its start. */
import type { KnowledgeRoots } from "../../knowledge/places.ts";
import type { ClockPort, IdPort } from "../../loop/ports.ts";
import type { ProjectSettings } from "../../settings/load.ts";
import type { Settings } from "../../settings/settings.ts";
import type { LiveSettings } from "../settings/live-settings.ts";
import type { Machine } from "./machine.ts";
import type { RunningServers } from "../mcp/desk.ts";
import type { SessionWatch } from "../telemetry/watch.ts";
import type { TranscriptMirror } from "../mirror/mirror.ts";
import type { Isolation } from "../worktrees/isolated.ts";

export interface Surroundings {
  /** Absolute, and there. */
  cwd: string;
  /** The process's, with what the user's settings add. */
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  pawlHome: string;
  /** Where sessions are kept, if not there. */
  sessionsHome?: string;
  /** Gets what transcripts get. */
  mirror?: TranscriptMirror;
  settings: Settings;
  /** What becomes of a change of settings; absent: they stay as they were read. */
  live?: LiveSettings;
  /** Where knowledge lies, as the start has just found it for this folder and this `.claude` folder of the user. */
  knowledge?: { roots: KnowledgeRoots; cwd: string; claudeHome: string };
  /** The folder's own settings; absent where it has none. */
  project?: ProjectSettings;
  /** Days a session is kept; absent where nobody could tell. */
  cleanupPeriodDays?: number;
  /** Where a job in the background says how it stands: of the process's own environment alone. */
  jobFolder?: string;
  apiKey?: string;
  /** For people: what was left out, and why. */
  notice: (text: string) => void;
  clock: ClockPort;
  ids: IdPort;
  machine: Machine;
  /** Of an agent in a work tree of its own. */
  isolation?: Isolation;
  /** The user's own file of MCP servers; absent where there is none. */
  mcpFile?: string;
  /** Where the tool whose `.claude` folders are read keeps its own; absent where there is none, or it is not to be read. */
  elderMcpFile?: string;
  /** Servers that another session started and will end; absent: this one has its own. */
  mcpServers?: RunningServers;
  version: string;
  /** Tells collectors of it; absent: there are none. */
  telemetry?: SessionWatch;
}
