/** Plans what of the disk a confined command sees and may change, as mounts over a read-only disk. Pure. */
import { join } from "node:path";
import { foldersAbove } from "../../lib/folders-above.ts";
import { isInside } from "../paths/path-forms.ts";

/** Real paths of existing places. */
export interface MountPlaces {
  writable: readonly string[];
  /** Protected from changes, wherever they are. */
  readOnly: readonly string[];
  /** Folders in writable ones that must stay where they are: a mount point cannot be moved away. */
  pinned: readonly string[];
  /** Like `pinned`, for every folder that leads to one of these. */
  unmoved: readonly string[];
  hidden: readonly { path: string; isFolder: boolean }[];
  /** Inside hidden places, but still to be visible. */
  readable: readonly string[];
  /** The sandbox's own folder, of which only `tmp` is for the command. */
  ownFolder: string;
}

export interface Mount {
  path: string;
  /** `passage`: hidden, except for the way to what is mounted below it. */
  kind: "writable" | "readable" | "hidden" | "passage" | "hidden file";
}

/** Whether the path is the machine's view of processes and devices; the command has its own there. */
function isSystemPath(path: string): boolean {
  return path === "/dev" || isInside("/proc", path);
}

/** The mounts in the order they must be made, outer ones first. Throws if nothing would be left to run a command with. */
export function planMounts(places: MountPlaces): Mount[] {
  const { writable, readOnly, pinned, unmoved, hidden, readable, ownFolder } = places;
  const hiddenPaths = hidden.map((each) => each.path);
  if (hiddenPaths.includes("/"))
    throw new Error("a rule denies reading the whole disk, so no command can run in the sandbox");
  const shown = [...writable, ...readable].filter((path) => !hiddenPaths.includes(path) && !isSystemPath(path));
  const isKept = (path: string): boolean => readOnly.some((folder) => isInside(folder, path));
  const mayWrite = (path: string): boolean => !isKept(path) && writable.some((folder) => isInside(folder, path));
  const isSeen = (path: string): boolean =>
    depthOfNearest(shown, path) >=
    depthOfNearest(
      hiddenPaths.filter((each) => each !== path),
      path,
    );
  const mounts = new Map<string, Mount["kind"]>();
  for (const path of shown) {
    const isNeeded = mayWrite(path) || hiddenPaths.some((each) => isInside(each, path));
    if (isNeeded) mounts.set(path, mayWrite(path) ? "writable" : "readable");
  }
  const leading = unmoved.flatMap((path) => foldersAbove(path).filter((folder) => !writable.includes(folder)));
  for (const path of [...pinned, ...leading]) if (mayWrite(path) && isSeen(path)) mounts.set(path, "writable");
  for (const path of readOnly)
    if (writable.some((folder) => isInside(folder, path)) && isSeen(path)) mounts.set(path, "readable");
  for (const { path, isFolder } of hidden) if (isSeen(path)) mounts.set(path, isFolder ? "hidden" : "hidden file");
  mounts.set(ownFolder, "readable").set(join(ownFolder, "tmp"), "writable");
  return [...mounts]
    .map(([path, as]): Mount => {
      const isPassage = as === "hidden" && [...mounts.keys()].some((other) => other !== path && isInside(path, other));
      return { path, kind: isPassage ? "passage" : as };
    })
    .toSorted((one, other) => depth(one.path) - depth(other.path) || (one.path < other.path ? -1 : 1));
}

/**
 * The mounts without those that a running command could replace with something else while they are made: where it may write, only its own
 * mount points stay in place. What it could do to such a place it can do anyway.
 */
export function stableMounts(mounts: readonly Mount[], live: Iterable<readonly Mount[]>): Mount[] {
  const others = [...live];
  const isStill = (mount: Mount): boolean =>
    others.every(
      (held) =>
        held.some(({ path }) => path === mount.path) ||
        !held.some(({ path, kind }) => kind === "writable" && isInside(path, mount.path)),
    );
  // A mount that hides something can only hide more.
  return mounts.filter((mount) => (mount.kind !== "writable" && mount.kind !== "readable") || isStill(mount));
}

function depth(path: string): number {
  return path.split("/").filter((part) => part !== "").length;
}

/** The depth of the nearest folder that contains `path`, or -1 if none does. */
function depthOfNearest(folders: readonly string[], path: string): number {
  return Math.max(-1, ...folders.filter((folder) => isInside(folder, path)).map(depth));
}

/** bubblewrap's arguments for one mount. Hidden places refuse by their mode, so that programs get an error instead of an empty folder. */
export function mountArguments({ path, kind }: Mount): string[] {
  switch (kind) {
    case "writable":
      return ["--bind", path, path];
    case "readable":
      return ["--ro-bind", path, path];
    case "hidden":
      return ["--perms", "0000", "--tmpfs", path];
    case "passage":
      return ["--perms", "0111", "--tmpfs", path];
    case "hidden file":
      return ["--ro-bind", "/dev/null", path];
    default:
      return kind satisfies never;
  }
}
