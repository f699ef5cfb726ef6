/** Creates a session over pipes: once, with the options its client sends, or not at all. */
import { errorText } from "../../lib/error-text.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { McpElicitationDone } from "../../protocol/mcp.ts";
import type { TranscriptMirror } from "../../session/options/transcript-mirror.ts";
import type { EngineOptions } from "../../session/options/options.ts";
import type { DrivenEngine } from "../engine-port.ts";
import { unreadMentionText } from "../show/mention-text.ts";
import type { ClientRequests } from "./client-requests.ts";
import { elicitFromClient } from "./elicitation.ts";
import type { WireObject } from "./frame.ts";
import { initializeResponse, readInitialize, type RequestedOptions } from "./initialize.ts";
import { serversFromCommandLine } from "./mcp-servers.ts";
import { askClient } from "./permission.ts";

export interface SessionOpenerOptions {
  /** Creates the session. Called once. */
  open: (options: Partial<EngineOptions>) => Promise<DrivenEngine>;
  requests: ClientRequests;
  asksClient: boolean;
  mayBypass: boolean;
  /** Configurations of MCP servers that live in the client and were named at the start. */
  clientServers?: Readonly<Record<string, WireObject>>;
  version: string;
  notify: (text: string) => void;
  debug?: (line: string) => void;
  /** Writes a message between the engine's messages. */
  write: (message: object) => void;
  newId: () => string;
  /** Receives the entries that transcripts get. */
  mirror?: TranscriptMirror | undefined;
  /** Called if there will be no session. */
  failed: () => void;
}

export class SessionOpener {
  readonly #options: SessionOpenerOptions;
  #opening: Promise<DrivenEngine> | undefined;
  #engine: DrivenEngine | undefined;
  #isInitialized = false;
  #styles: string[] = [];

  constructor(options: SessionOpenerOptions) {
    this.#options = options;
  }

  /** Undefined before there is a session. */
  get engine(): DrivenEngine | undefined {
    return this.#engine;
  }

  /** True if the client uses the control protocol: it reads messages, and needs no farewell on stderr. */
  get isInitialized(): boolean {
    return this.#isInitialized;
  }

  open(options: Partial<EngineOptions> = {}): Promise<DrivenEngine> {
    this.#opening ??= this.#create(options);
    return this.#opening;
  }

  /** Answers `initialize`. */
  async initialize(fields: WireObject): Promise<WireObject> {
    const { version, debug, requests } = this.#options;
    const isFirst = this.#opening === undefined;
    if (!isFirst && !this.#isInitialized)
      throw new Error("initialize must come first: this session has already started");
    const { options, remarks, title }: RequestedOptions = isFirst
      ? this.#readOptions(fields)
      : { options: {}, remarks: [] };
    for (const remark of remarks) debug?.(remark);
    this.#isInitialized = true;
    const engine = await this.open(options);
    // A resumed session keeps its title.
    if (title !== undefined && engine.desk.title === undefined) engine.desk.setTitle(title);
    const styles = isFirst ? this.#styles : await engine.desk.reloadOutputStyles();
    return { ...initializeResponse(engine, requests, { version, styles }), hooks_applied: isFirst };
  }

  /** Reads the client's options. If they are invalid, no session starts: it would lack what was asked for, such as hooks. */
  #readOptions(fields: WireObject): RequestedOptions {
    const { requests, failed } = this.#options;
    try {
      return readInitialize(fields, requests);
    } catch (error) {
      const why = errorText(error);
      this.#opening = Promise.reject(new UsageError(why, { cause: error }));
      this.#opening.catch(failed);
      throw error;
    }
  }

  async #create(options: Partial<EngineOptions>): Promise<DrivenEngine> {
    const { open, requests, asksClient, mayBypass, clientServers = {}, mirror, notify: notice, failed } = this.#options;
    const mcpServers = { ...serversFromCommandLine(clientServers, requests), ...options.mcpServers };
    try {
      this.#engine = await open({
        ...options,
        onMention: (news) => {
          // Each message is a prompt of a client: none is piped text beside a typed prompt.
          const text = unreadMentionText(news, undefined);
          if (text !== undefined) notice(text);
        },
        ...(Object.keys(mcpServers).length === 0 ? {} : { mcpServers }),
        ...(mirror === undefined ? {} : { transcriptMirror: mirror }),
        ...(asksClient ? { ask: askClient({ requests, mayBypass, notice }) } : {}),
        ...(this.#isInitialized
          ? {
              onElicitation: elicitFromClient(requests),
              onElicitationComplete: (completed) => this.#reportElicitationDone(completed),
            }
          : {}),
      });
      // Read the styles before a turn can start, so that `initialize` is answered first.
      if (this.#isInitialized) this.#styles = await this.#engine.desk.reloadOutputStyles();
      return this.#engine;
    } catch (error) {
      failed();
      throw error;
    }
  }

  #reportElicitationDone({ serverName: mcp_server_name, elicitationId: elicitation_id }: McpElicitationDone): void {
    const { write, newId } = this.#options;
    const about = { uuid: newId(), session_id: this.#engine?.getSessionId() ?? "" };
    write({ type: "system", subtype: "elicitation_complete", mcp_server_name, elicitation_id, ...about });
  }
}
