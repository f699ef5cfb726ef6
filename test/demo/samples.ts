// Samples for the demo: copies of its own, changed as somebody may have changed it beforehand.
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { runDemo, type DemoOptions, type DemoOutcome } from "../../demo/run.ts";

const made: string[] = [];
/** Call once a test file. */
export function removeSamplesAfterwards(): void {
  afterAll(async () => {
    for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
  });
}

/** The sample in a folder of its own. */
export async function sampleCopy(): Promise<string> {
  const sample = await mkdtemp(join(tmpdir(), "pawl-sample-"));
  made.push(sample);
  await cp(join(import.meta.dirname, "../../demo/sample"), sample, { recursive: true });
  return sample;
}

interface Changes extends DemoOptions {
  /** Names of the sample's functions in its test. */
  rename?: Record<string, string>;
}

/** A run on the sample with other code. */
export async function demo(
  change: (code: string) => string,
  { rename = {}, ...more }: Changes = {},
): Promise<DemoOutcome & { told: string }> {
  const sample = await sampleCopy();
  const file = join(sample, "src/paginate.js");
  await writeFile(file, change(await readFile(file, "utf8")));
  const tests = join(sample, "test/paginate.test.js");
  let tested = await readFile(tests, "utf8");
  for (const [name, other] of Object.entries(rename)) tested = tested.replaceAll(name, other);
  await writeFile(tests, tested);
  let told = "";
  const write = (text: string): void => void (told += text);
  const outcome = await runDemo({ sample, write, ...more });
  return { ...outcome, told };
}
