// Working folders with snapshots of them, without a model: what a prompt's commands would do is done by the test itself.
import { randomUUID } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeFileName, systemPath } from "../../../src/lib/file-name.ts";
import { Checkpoints } from "../../../src/session/files/checkpoints.ts";
import type { ScanLimits } from "../../../src/session/trees/scan.ts";
import { Trees } from "../../../src/session/trees/trees.ts";
import { TurnSnapshots } from "../../../src/session/trees/turn-snapshots.ts";
import { openTranscript, readSession, transcriptPath, type Transcript } from "../../../src/transcript/index.ts";

export interface Place {
  home: string;
  work: string;
  pawlHome: string;
  remove(): void;
}

export function makePlace(): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-trees-")));
  const place = { home: join(root, "home"), work: join(root, "work"), pawlHome: join(root, "home", ".pawl") };
  for (const folder of [place.home, place.work]) mkdirSync(folder);
  const remove = (): void => {
    openFolders(root);
    rmSync(root, { recursive: true, force: true });
  };
  return { ...place, remove };
}

/** Only root can remove something from a folder without write permission. */
function openFolders(folder: string): void {
  chmodSync(systemPath(folder), 0o700);
  for (const entry of readdirSync(systemPath(folder), { withFileTypes: true, encoding: "buffer" }))
    if (entry.isDirectory()) openFolders(join(folder, decodeFileName(entry.name)));
}

export interface Kept {
  checkpoints: Checkpoints;
  transcript: Transcript;
  trees: Trees;
  notices: string[];
  restored: string[];
  /** A prompt is recorded; answers its uuid. */
  prompt(): string;
}

export interface KeepOptions {
  roots?: readonly string[];
  limits?: Partial<ScanLimits>;
  sessionId?: string;
  /** ms since some moment. */
  elapsed?: () => number;
  freeBytes?: (folder: string) => number | undefined;
  networkPlaces?: (place: Place) => ReadonlySet<string>;
  /** Called before what makes snapshots is there. */
  loading?: () => void;
}

export function keepTrees(place: Place, options: KeepOptions = {}): Kept {
  const { home, work, pawlHome } = place;
  const { networkPlaces } = options;
  const sessionId = options.sessionId ?? randomUUID();
  const path = transcriptPath(join(pawlHome, "projects", "work"), sessionId);
  const transcript = openTranscript({
    path,
    ...(existsSync(path) ? { resume: readSession(path).resumePoint } : {}),
    sessionId,
    cwd: work,
    version: "0",
    clock: Date,
    ids: { uuid: randomUUID },
    durability: "process",
  });
  const [notices, restored]: string[][] = [[], []];
  const trees = new Trees({
    transcript,
    roots: () => options.roots ?? [work],
    home,
    pawlHome,
    flush: false,
    clock: { elapsed: options.elapsed ?? (() => performance.now()), now: () => Date.now() },
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.freeBytes === undefined ? {} : { freeBytes: options.freeBytes }),
    ...(networkPlaces === undefined ? {} : { networkPlaces: () => networkPlaces(place) }),
  });
  const snapshots = new TurnSnapshots({ trees, transcript, notice: (text) => notices!.push(text) });
  const checkpoints = new Checkpoints({
    transcript,
    scope: "all",
    snapshots: async () => {
      options.loading?.();
      return snapshots;
    },
    flush: false,
    onRestored: (path) => restored!.push(path),
  });
  const prompt = (): string => {
    const uuid = randomUUID();
    transcript.append({ type: "user", uuid, timestamp: "", content: [{ type: "text", text: "Go." }] });
    checkpoints.beginTurn(uuid);
    return uuid;
  };
  return {
    checkpoints,
    transcript,
    trees,
    notices: notices!,
    restored: restored!,
    prompt,
  };
}

/** What a prompt's commands do, with the looks before and after. Answers the prompt's uuid. */
export async function run(
  { prompt, checkpoints }: Pick<Kept, "prompt" | "checkpoints">,
  change: () => void,
): Promise<string> {
  const uuid = prompt();
  await checkpoints.beforeAnything();
  change();
  checkpoints.endTurn(false);
  await checkpoints.settled();
  return uuid;
}

/** Everything below a folder: kinds, modes, contents, targets of links. */
export function pictureOf(root: string): Record<string, string> {
  const picture: Record<string, string> = {};
  const look = (path: string): void => {
    const raw = systemPath(path);
    const stats = lstatSync(raw, { throwIfNoEntry: false });
    if (stats === undefined) return;
    const mode = (stats.mode & 0o7777).toString(8);
    const name = path.slice(root.length);
    if (stats.isSymbolicLink()) picture[name] = `link ${readlinkSync(raw, { encoding: "buffer" }).toString("hex")}`;
    else if (stats.isFile()) picture[name] = `file ${mode} ${readFileSync(raw).toString("base64")}`;
    else if (stats.isDirectory()) {
      picture[name] = `folder ${mode}`;
      for (const inner of readdirSync(raw, { encoding: "buffer" })) look(join(path, decodeFileName(inner)));
    } else picture[name] = "other";
  };
  look(root);
  return picture;
}
