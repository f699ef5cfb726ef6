// What a seed's sessions left on the disk, played to today's loop.
import { snipReplay } from "../../src/context/snip-replay.ts";
import { replayFile } from "../../src/session/replay/replay-file.ts";
import type { ReplayedTurn } from "../../src/session/replay/report.ts";
import { noTrouble } from "./disk.ts";
import { simulate } from "./run.ts";
import type { World } from "./world.ts";

export async function replaySessions(seed: number): Promise<{ turns: ReplayedTurn[]; problems: unknown[] }> {
  const worlds: World[] = [];
  const { problems } = await simulate(seed, { atEnd: (ended) => void worlds.push(ended) });
  const turns: ReplayedTurn[] = [];
  for (const world of worlds) {
    const fs = world.start(noTrouble).mount;
    for (const path of world.disk.paths().filter((each) => each.endsWith(".jsonl")))
      turns.push(...(await replayFile(path, { fs, snipReplay })).turns);
  }
  return { turns, problems };
}
