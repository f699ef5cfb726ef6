/** What a session finds around it, read once at its start. */
import type { Environment } from "../../lib/environment.ts";
import type { KnowledgeRoots } from "../../knowledge/knowledge-places.ts";
import type { ClockPort, IdPort } from "../../loop/ports.ts";
import type { ProjectSettings } from "../../settings/load.ts";
import type { Settings } from "../../settings/settings.ts";
import type { LiveSettings } from "../settings/live-settings.ts";
import type { Machine } from "./machine.ts";
import type { TelemetryPort } from "./telemetry-port.ts";
import type { TranscriptMirror } from "../options/transcript-mirror.ts";
import type { Isolation } from "./isolation.ts";

/** Running MCP servers; they may outlive the session that started them. */
export interface RunningServers {
  close(): Promise<void>;
  killNow(): void;
}

export interface Surroundings {
  /** Absolute path of an existing folder. */
  cwd: string;
  /** The process's variables and those that the user's settings add. */
  env: Environment;
  home: string;
  pawlHome: string;
  /** The folder in which sessions are kept, if not `pawlHome`. */
  sessionsHome?: string;
  /** Receives what is written to transcripts. */
  mirror?: TranscriptMirror;
  settings: Settings;
  /** Applies changes to settings; absent: settings stay as they were read. */
  live?: LiveSettings;
  /** Where knowledge is, as the start has just found it for this folder and the user's `.claude` folder. */
  knowledge?: { roots: KnowledgeRoots; cwd: string; claudeHome: string };
  /** The folder's own settings; absent if it has none. */
  project?: ProjectSettings;
  /** How many days a session is kept; absent if that could not be read. */
  cleanupPeriodDays?: number;
  /** The folder in which a background job reports its state; only from the process's own environment. */
  jobFolder?: string;
  apiKey?: string;
  /** Tells people what was left out, and why. */
  notice: (text: string) => void;
  clock: ClockPort;
  ids: IdPort;
  machine: Machine;
  /** Present for an agent in a work tree of its own. */
  isolation?: Isolation;
  /** The user's own MCP server file; absent if there is none. */
  mcpFile?: string;
  /** The MCP server file of the tool whose `.claude` folders are read; absent if there is none or it must not be read. */
  claudeJsonFile?: string;
  /** Servers that another session started and will end; absent: this session has its own. */
  mcpServers?: RunningServers;
  version: string;
  /** Reports to telemetry collectors; absent: there are none. */
  telemetry?: TelemetryPort;
}
