// Scans that did not get to a file in their time, before and after somebody changed it.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { keepTrees, makePlace, type Kept, type Place } from "./support.ts";

const open: { place: Place; kept: Kept }[] = [];

afterEach(() => {
  for (const { place, kept } of open.splice(0)) {
    kept.transcript.close();
    place.remove();
  }
});

/** A folder with a file, and prompts whose scans are slow or not. */
function slowFolder(msPerLook: number) {
  const place = makePlace();
  let tick = 0;
  let now = 0;
  const kept = keepTrees(place, { limits: { ms: 100 }, elapsed: () => (now += tick) });
  open.push({ place, kept });
  const file = join(place.work, "folder", "file");
  mkdirSync(join(place.work, "folder"));
  writeFileSync(file, "first");
  const prompt = async (slow: { before?: true; after?: true }, work: () => void = () => undefined): Promise<string> => {
    const uuid = kept.prompt();
    tick = slow.before === true ? msPerLook : 0;
    await kept.checkpoints.beforeAnything();
    work();
    tick = slow.after === true ? msPerLook : 0;
    kept.checkpoints.endTurn(false);
    await kept.checkpoints.settled();
    tick = 0;
    return uuid;
  };
  return { ...kept, file, prompt };
}

// The scan stops in the folder of the file, or before it has looked into any folder.
describe.each([60, 200])("a file that scans of %i ms per look did not reach", (msPerLook) => {
  test("is restored with a copy of what a person wrote meanwhile", async () => {
    const { checkpoints, file, prompt } = slowFolder(msPerLook);
    const uuid = await prompt({ after: true }, () => writeFileSync(file, "by the work"));
    writeFileSync(file, "by a person");
    await prompt({ before: true });
    const { contested, asideFolder } = await checkpoints.rewind(uuid);
    expect(readFileSync(file, "utf8")).toBe("first");
    expect(contested).toEqual([file]);
    expect(readFileSync(join(asideFolder!, "folder", "file"), "utf8")).toBe("by a person");
  });

  test("is restored and named if a person may have removed it meanwhile", async () => {
    const { checkpoints, file, prompt } = slowFolder(msPerLook);
    const uuid = await prompt({ after: true }, () => writeFileSync(file, "by the work"));
    rmSync(file);
    const { filesChanged, contested } = await checkpoints.rewind(uuid);
    expect([filesChanged, contested]).toEqual([[file], [file]]);
  });

  test("is left to the person who changed it later, if it was unchanged when a scan reached it again", async () => {
    const { checkpoints, file, prompt } = slowFolder(msPerLook);
    const uuid = await prompt({ after: true });
    await prompt({});
    writeFileSync(file, "by a person");
    expect(await checkpoints.rewind(uuid)).toMatchObject({ filesChanged: [], foreign: [file] });
    expect(readFileSync(file, "utf8")).toBe("by a person");
  });

  test("is removed with a copy if it is new and a person may have made it meanwhile", async () => {
    const { checkpoints, file, prompt } = slowFolder(msPerLook);
    const added = join(dirname(file), "added");
    const uuid = await prompt({ after: true });
    writeFileSync(added, "by a person");
    await prompt({ before: true });
    const { contested, asideFolder } = await checkpoints.rewind(uuid);
    expect(existsSync(added)).toBe(false);
    expect(contested).toEqual([added]);
    expect(readFileSync(join(asideFolder!, "folder", "added"), "utf8")).toBe("by a person");
  });

  test("is removed with a copy if it is new and the work may have made it before", async () => {
    const { checkpoints, file, prompt } = slowFolder(msPerLook);
    const added = join(dirname(file), "added");
    const uuid = await prompt({ after: true }, () => writeFileSync(added, "by the work"));
    await prompt({});
    expect(await checkpoints.rewind(uuid)).toMatchObject({ filesChanged: [added], contested: [added] });
  });

  test("counts as changed by the work if only the work went on meanwhile", async () => {
    const { checkpoints, file, prompt } = slowFolder(msPerLook);
    const uuid = await prompt({}, () => writeFileSync(file, "by the work"));
    const result = await checkpoints.rewind(uuid);
    expect(result.filesChanged).toEqual([file]);
    expect(result.contested).toBeUndefined();
  });
});
