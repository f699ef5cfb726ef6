// Checks the rooms: all are in the plan, none is empty, and each has a file that says what the room is for.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { mayImport } from "./plan.ts";
import type { Problem, Source } from "./sources.ts";

/** Returns the problems of the folders below src/. `sources` are the parsed files below src/. */
export function checkRooms(root: string, sources: readonly Source[]): Problem[] {
  const folders = readdirSync(join(root, "src"), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll("\\", "/"),
    );
  return folders.flatMap((folder) => {
    const problem = (rule: string, message: string): Problem[] => [{ file: folder, line: 1, rule, message }];
    const files = sources.filter((source) => source.file.startsWith(`${folder}/`));
    if (files.length === 0) return problem("empty-room", "has no source file: remove the folder until it has one");
    const [, room = "", ...below] = folder.split("/");
    if (below.length > 0) return [];
    if (!(room in mayImport)) {
      return problem(
        "unknown-room",
        "is not in scripts/house/plan.ts: use a room of the plan, or add it there and to ARCHITECTURE.md",
      );
    }
    if (!files.some((source) => source.opensWithComment)) {
      return problem(
        "room-purpose",
        "has no file that opens with a comment: say in two sentences what the room is for",
      );
    }
    return [];
  });
}
