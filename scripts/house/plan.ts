// The plan of the house as data: which room may import which. ARCHITECTURE.md has the text and the picture.

/** Rooms on the same level, which do not import each other. Only types of `settings` may be imported. */
const neighbours = [
  "loop",
  "context",
  "model",
  "tools",
  "permissions",
  "hooks",
  "knowledge",
  "mcp",
  "transcript",
  "settings",
  "telemetry",
] as const;

const ground = ["lib", "protocol"];
const underSession = [...ground, ...neighbours];

/** The rooms that each room may import, besides itself. `index` stands for the files directly in src. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  protocol: [],
  ...Object.fromEntries(neighbours.map((room) => [room, ground])),
  session: underSession,
  index: [...underSession, "session"],
  surface: [...underSession, "session"],
  cli: [...underSession, "session", "surface"],
  testing: ground,
};

/**
 * The folders of a room, and files directly in it, in order: each imports only its own files and what stands before it. `.` stands for all
 * files directly in the room, `*` for all that the list does not name.
 */
export const storeys: Readonly<Record<string, readonly string[]>> = {
  permissions: ["options", "git", "shell", "paths", "given", "rules", "files", "reads", "judging", ".", "sandbox"],
  session: [
    ..."session-errors.ts debug-log.ts options store settings surroundings plugins model ledger intake".split(" "),
    ..."trees files job sessions worktrees tools agents memory events forks goal convention".split(" "),
    ..."hooks mcp context knowledge plan permissions joined.ts *".split(" "),
    ..."turn agent-runs team compose-agents.ts join.ts engine.ts compose.ts query".split(" "),
  ],
};

/** Rooms that import no package and no Node module, so that they can be read, run and tested alone. */
export const pureRooms: readonly string[] = ["protocol", "loop"];

export function isNeighbour(room: string): boolean {
  return (neighbours as readonly string[]).includes(room);
}

/** A folder that only a dynamic `import()` may load. */
export interface LazyFolder {
  folder: string;
  /** Rooms that may do so although `mayImport` does not list them. Empty: all rooms that may import the room. */
  from: readonly string[];
  /** Shown if a static import loads it. */
  reason: string;
}

export const lazyFolders: readonly LazyFolder[] = [
  { folder: "surface/line", from: [], reason: "the terminal UI is not loaded for headless runs" },
  { folder: "telemetry", from: [], reason: "a session that tells no collector of itself does not pay for it" },
  { folder: "mcp", from: [], reason: "a start without servers does not pay for them" },
  {
    folder: "testing",
    from: ["cli"],
    reason: "`pawl mock` alone needs the test kit, and no other start may pay for it",
  },
];
