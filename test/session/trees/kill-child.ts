// Makes a snapshot, or puts everything back, and dies by SIGKILL at the nth step that writes something.
import fs from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { keepTrees, run } from "./support.ts";

const [root = "", sessionId = "", what = "", uuid = "", strikeAt = "0"] = process.argv.slice(2);
let steps = 0;

/** Half of what is written by the step that is struck is written: the torn end of a file. */
function strike(): void {
  steps += 1;
  if (steps === Number(strikeAt)) process.kill(process.pid, "SIGKILL");
}

function arm(): void {
  for (const name of ["renameSync", "unlinkSync", "rmdirSync", "mkdirSync", "symlinkSync", "chmodSync"] as const) {
    const real = fs[name] as (...args: unknown[]) => unknown;
    Object.assign(fs, {
      [name]: (...args: unknown[]) => {
        strike();
        return real(...args);
      },
    });
  }
  const { writeSync } = fs;
  Object.assign(fs, {
    writeSync: (descriptor: number, bytes: Uint8Array, at: number, length: number, position?: number) => {
      if (steps + 1 === Number(strikeAt))
        writeSync(descriptor, bytes, at ?? 0, (length ?? bytes.length) >> 1, position);
      strike();
      return writeSync(descriptor, bytes, at, length, position);
    },
  });
  const { rename } = promises;
  Object.assign(promises, {
    rename: async (from: string, to: string) => {
      strike();
      await rename(from, to);
    },
  });
  syncBuiltinESMExports();
}

const place = { home: join(root, "home"), work: join(root, "work"), pawlHome: join(root, "home", ".pawl") };
const kept = keepTrees({ ...place, remove: () => undefined }, { sessionId });
arm();
if (what === "snapshot") await run(kept, () => fs.writeFileSync(join(place.work, "never"), ""));
else await kept.checkpoints.rewind(uuid);
kept.transcript.close();
process.stdout.write(`${steps}\n`);
