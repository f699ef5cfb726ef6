/** Work started at the end of a turn that nobody waits for: a suggestion for the next prompt, and notes for later sessions. */
import type { LoopConfig, LoopPorts } from "../../loop/ports.ts";
import type { AutoMemory } from "../memory/auto-memory.ts";
import type { MemoryKeeper } from "./memory-keeper.ts";
import type { ToolParts } from "../tools/tool-parts.ts";
import type { Background } from "./background.ts";
import type { CacheSafe, ForkSource } from "./cache-safe.ts";

export interface TurnForksParts {
  cacheSafe: CacheSafe;
  background: Background;
  tools: ToolParts;
  sessionId: string;
  suggests: boolean;
  /** Undefined if no notes are kept. */
  memory: AutoMemory | undefined;
  debug: (line: string) => void;
}

/** Parts that exist only once the session does. */
export interface TurnForksRooms {
  ports: LoopPorts;
  loopConfig: () => LoopConfig;
  recordCost: () => void;
}

/** Tools that the note-keeping forks need: without them no notes are kept. */
const noteTools = ["Read", "Write"];

export class TurnForks {
  readonly #parts: TurnForksParts;
  #rooms: TurnForksRooms | undefined;
  #suggestion: { controller: AbortController; text: Promise<string | null> } | null = null;
  #keeper: MemoryKeeper | undefined;
  #isKeepingNotes = false;
  /** The turn that ended while notes were being kept. */
  #nextSource: ForkSource | null = null;

  constructor(parts: TurnForksParts) {
    this.#parts = parts;
  }

  attach(rooms: TurnForksRooms): void {
    this.#rooms = rooms;
  }

  /** Called when a turn has an answer. */
  start(): void {
    const { cacheSafe, suggests, memory } = this.#parts;
    const rooms = this.#rooms;
    const source = rooms === undefined ? null : cacheSafe.endedTurn(rooms.loopConfig());
    if (rooms === undefined || source === null) return;
    if (suggests) this.#suggest(rooms, source);
    const names = new Set(rooms.ports.tools.definitions().map(({ name }) => name));
    if (memory !== undefined && noteTools.every((name) => names.has(name))) this.#keepNotes(rooms, memory, source);
  }

  /** The suggestion in progress, or null if there is none. */
  takeSuggestion(): Promise<string | null> | null {
    return this.#suggestion?.text ?? null;
  }

  /** Called when the user has submitted the next prompt. */
  dropSuggestion(): void {
    this.#suggestion?.controller.abort("dropped");
    this.#suggestion = null;
  }

  #suggest({ ports, recordCost }: TurnForksRooms, source: ForkSource): void {
    this.dropSuggestion();
    const controller = new AbortController();
    const make = async (signal: AbortSignal): Promise<string | null> => {
      const { suggestPrompt } = await import("./suggestion.ts");
      return await suggestPrompt(ports, source, signal);
    };
    const suggestion = this.#parts.background.run("prompt_suggestion", make, controller.signal);
    const text = suggestion.catch(() => null).finally(recordCost);
    this.#suggestion = { controller, text };
  }

  /** Keeps notes for one turn at a time. Of the turns that end meanwhile, only the latest is looked at afterwards. */
  #keepNotes(rooms: TurnForksRooms, memory: AutoMemory, source: ForkSource): void {
    this.#nextSource = source;
    if (this.#isKeepingNotes) return;
    this.#isKeepingNotes = true;
    this.#parts.background.start("memory", async (signal) => {
      try {
        await this.#keepNotesUntilIdle(rooms, memory, signal);
      } finally {
        this.#isKeepingNotes = false;
        rooms.recordCost();
      }
    });
  }

  async #keepNotesUntilIdle(rooms: TurnForksRooms, memory: AutoMemory, signal: AbortSignal): Promise<void> {
    const { MemoryKeeper: Keeper } = await import("./memory-keeper.ts");
    const { tools, sessionId, debug } = this.#parts;
    const { ports } = rooms;
    this.#keeper ??= new Keeper({ memory, ports, shared: tools.shared, sessionId, clock: ports.clock, debug });
    for (let source = this.#nextSource; source !== null && !signal.aborted; source = this.#nextSource) {
      this.#nextSource = null;
      await this.#keeper.extract(source, signal);
      if (!signal.aborted) await this.#keeper.consolidate(source, signal);
    }
  }
}
