// Whatever commands do to the working folders, a rewind brings back the tree before, and a dry run says what a real one does.
import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { systemPath } from "../../../src/lib/file-name.ts";
import { keepTrees, makePlace, pictureOf, type Kept } from "./support.ts";

const name = fc.constantFrom("a", "b", "A", "c.txt", "new\nline", "\udcff\udc80x", "ü", " ", "-rf");
const path = fc.array(name, { minLength: 1, maxLength: 3 });
const content = fc.oneof(fc.constantFrom("", "one\n", "one\ntwo\n"), fc.string({ maxLength: 30 }));
const fileMode = fc.constantFrom(0o644, 0o755, 0o600, 0o444);
/** Into a folder that its owner may not search root alone can look. */
const folderModes = process.getuid?.() === 0 ? [0o755, 0o700, 0o600, 0o500] : [0o755, 0o700, 0o500];

type Act = (root: string) => void;

/** What is in the way stays, as it does for a command or a tool that fails. */
function attempt(act: Act): Act {
  return (root) => {
    try {
      act(root);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    }
  };
}

const at = (root: string, names: string[]): string => join(root, ...names);

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ path, content, fileMode }).map(({ path: to, content: text, fileMode: mode }) =>
    attempt((root) => {
      mkdirSync(systemPath(dirname(at(root, to))), { recursive: true });
      writeFileSync(systemPath(at(root, to)), text);
      chmodSync(systemPath(at(root, to)), mode);
    }),
  ),
  path.map((to) => attempt((root) => rmSync(systemPath(at(root, to)), { recursive: true }))),
  path.map((to) => attempt((root) => unlinkSync(systemPath(at(root, to))))),
  path.map((to) => attempt((root) => mkdirSync(systemPath(at(root, to)), { recursive: true }))),
  fc
    .tuple(path, path)
    .map(([from, to]) => attempt((root) => renameSync(systemPath(at(root, from)), systemPath(at(root, to))))),
  fc
    .tuple(path, fc.constantFrom("a", "../b", "nowhere", "/etc", "\udcfe"))
    .map(([to, target]) => attempt((root) => symlinkSync(systemPath(target), systemPath(at(root, to))))),
  fc.tuple(path, fc.constantFrom(...folderModes)).map(([to, mode]) =>
    attempt((root) => {
      if (!lstatSync(systemPath(at(root, to))).isSymbolicLink()) chmodSync(systemPath(at(root, to)), mode);
    }),
  ),
);

const acts = fc.array(act, { maxLength: 8 });

/** One prompt: some of its changes are announced by a tool, the rest is commands. */
interface Prompt {
  announced: { path: string[]; content: string }[];
  commands: Act[];
  /** Announced changes come first, or after the commands. */
  isFirst: boolean;
}

const announced = fc.array(fc.record({ path, content }), { maxLength: 2 });
const promptOf: fc.Arbitrary<Prompt> = fc.record({ announced, commands: acts, isFirst: fc.boolean() });

async function write(keeper: Kept, root: string, { announced: changes }: Prompt): Promise<void> {
  for (const { path: to, content: text } of changes) {
    if (!isPlain(root, to)) continue;
    await keeper.checkpoints.before(at(root, to));
    attempt(() => {
      mkdirSync(dirname(at(root, to)), { recursive: true });
      writeFileSync(at(root, to), text);
    })(root);
  }
}

/** Tools write through no link, into no folder, and to names that are text. */
function isPlain(root: string, names: string[]): boolean {
  return names.every((name, depth) => {
    const stats = lstatSync(systemPath(at(root, names.slice(0, depth + 1))), { throwIfNoEntry: false });
    const isLast = depth === names.length - 1;
    return name.isWellFormed() && (stats === undefined || (isLast ? stats.isFile() : stats.isDirectory()));
  });
}

/** As many random folders, prompts and goals. */
export async function rewindsAnything(numRuns: number): Promise<void> {
  const prompts = fc.array(promptOf, { minLength: 1, maxLength: 3 });
  await fc.assert(fc.asyncProperty(acts, prompts, fc.nat(), rewinds), { numRuns });
}

async function rewinds(first: Act[], prompts: Prompt[], which: number): Promise<void> {
  const place = makePlace();
  const kept = keepTrees(place);
  try {
    for (const act of first) act(place.work);
    const before: { uuid: string; picture: Record<string, string> }[] = [];
    for (const prompt of prompts) {
      const picture = pictureOf(place.work);
      before.push({ uuid: kept.prompt(), picture });
      if (prompt.isFirst) await write(kept, place.work, prompt);
      if (prompt.commands.length > 0) await kept.checkpoints.beforeAnything();
      for (const act of prompt.commands) act(place.work);
      if (!prompt.isFirst) await write(kept, place.work, prompt);
      kept.checkpoints.endTurn(false);
      await kept.checkpoints.settled();
    }
    const goal = before[which % before.length]!;
    const told = await kept.checkpoints.rewind(goal.uuid, { dryRun: true });
    const done = await kept.checkpoints.rewind(goal.uuid);
    expect(done).toEqual(told);
    expect(done.skipped).toEqual([]);
    expect(pictureOf(place.work)).toEqual(goal.picture);
    expect(await kept.checkpoints.rewind(goal.uuid)).toMatchObject({ filesChanged: [] });
  } finally {
    kept.transcript.close();
    place.remove();
  }
}
