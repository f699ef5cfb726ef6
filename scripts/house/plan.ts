// The plan of the house, as data: which room may import which. The prose and the picture are in ARCHITECTURE.md.

/** Rooms that stand next to each other and do not import each other; `settings` alone may be imported, for its types. */
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

/** Rooms each room may import from, besides itself. `index` stands for the files directly in src. */
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

/** Folders of a room that import only those before them, and their own files. `.` stands for the files beside them. */
export const storeys: Readonly<Record<string, readonly string[]>> = {
  permissions: ["options", "git", "shell", "paths", "given", "rules", "files", "reads", "judging", ".", "sandbox"],
};

/** Rooms that import no package and nothing of Node, so that they can be read, run and tested alone. */
export const pureRooms: readonly string[] = ["protocol", "loop"];

export function isNeighbour(room: string): boolean {
  return (neighbours as readonly string[]).includes(room);
}

/** A folder that only a dynamic `import()` may load. */
export interface LazyFolder {
  folder: string;
  /** Rooms that may do so although `mayImport` does not name them. Empty: whoever may import the room. */
  from: readonly string[];
  /** Shown when a static import does. */
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
