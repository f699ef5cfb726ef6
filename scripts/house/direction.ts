// Checks import direction: which room may import which, according to plan.ts.
import { posix } from "node:path";
import { isNeighbour, lazyFolders, mayImport, pureRooms, storeys, type LazyFolder } from "./plan.ts";
import type { ImportReference, Problem, Source } from "./sources.ts";

function roomOf(pathInSource: string): string {
  const [first = "", ...rest] = pathInSource.split("/");
  return rest.length === 0 ? "index" : first;
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function checkPackage(room: string, reference: ImportReference): string | undefined {
  const { specifier } = reference;
  if (specifier === "pawl" || specifier.startsWith("pawl/")) {
    return `imports the package by its own name (${specifier}), which needs a build: import the file instead`;
  }
  if (!pureRooms.includes(room)) return undefined;
  return `${room}/ imports ${specifier}, but takes nothing from Node or packages: ask for it through a port`;
}

/** Returns undefined if the target is in no lazy folder, or in the importer's own. */
function lazyFolderOf(from: string, to: string): LazyFolder | undefined {
  return lazyFolders.find(({ folder }) => isInside(to, folder) && !isInside(from, folder));
}

function checkRooms(room: string, target: string, kind: ImportReference["kind"]): string | undefined {
  if (mayImport[room]?.includes(target)) return undefined;
  if (isNeighbour(room) && target === "settings") {
    return kind === "type" ? undefined : `${room}/ may take types from settings/, not values: use \`import type\``;
  }
  if (isNeighbour(room) && isNeighbour(target)) {
    return `${room}/ and ${target}/ are neighbours: put a port into protocol/ and join the two in session/`;
  }
  const allowed = mayImport[room] ?? [];
  const may = allowed.length === 0 ? "nothing outside itself" : `only ${allowed.join(", ")}`;
  return `${room}/ imports ${target}/, but may import ${may}: move the shared part down or pass it in`;
}

function checkStoreys(room: string, from: string, to: string): string | undefined {
  const order = storeys[room];
  if (order === undefined) return undefined;
  const storeyOf = (path: string): string => {
    const [, entry = "", ...below] = path.split("/");
    if (order.includes(entry)) return entry;
    return below.length === 0 && order.includes(".") ? "." : "*";
  };
  const [own, other] = [storeyOf(from), storeyOf(to)];
  if (own === other || (order.includes(other) && order.indexOf(own) > order.indexOf(other))) return undefined;
  const importer = from.split("/").slice(0, 2).join("/");
  return `${importer} imports ${to}, which scripts/house/plan.ts does not name before it: move the shared part down or pass it in`;
}

function checkReference(from: string, reference: ImportReference): string | undefined {
  const room = roomOf(from);
  const { specifier, kind } = reference;
  if (!specifier.startsWith(".")) return checkPackage(room, reference);
  const target = posix.join("src", posix.dirname(from), specifier);
  if (!isInside(target, "src")) return `imports ${target}, which is outside src and is not published`;
  const to = target.slice("src/".length);
  const lazy = lazyFolderOf(from, to);
  const named = lazy?.from.includes(room) ?? false;
  if (lazy && kind === "value" && (named || lazy.from.length === 0)) {
    return `imports ${to} statically, but ${lazy.reason}: load it with import() where it is used`;
  }
  if (room === roomOf(to)) return checkStoreys(room, from, to);
  return named ? undefined : checkRooms(room, roomOf(to), kind);
}

/** Returns the problems of imports in files below src/. */
export function checkDirection(sources: readonly Source[]): Problem[] {
  return sources.flatMap(({ file, imports }) =>
    imports.flatMap((reference) => {
      const message = checkReference(file.slice("src/".length), reference);
      return message === undefined ? [] : [{ file, line: reference.line, rule: "import-direction", message }];
    }),
  );
}
