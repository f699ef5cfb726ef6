/** Makes a world for each test of a file, and closes it after the test. */
import { afterEach } from "vitest";
import type { Script } from "../../../src/testing/index.ts";
import { createWorld, type World } from "../command.ts";

/** Call at the top of a test file, because hooks belong to the file that registers them. */
export function worldOfEachTest(): (script: Script) => Promise<World> {
  let world: World | undefined;
  afterEach(async () => {
    await world?.close();
    world = undefined;
  });
  return async (script) => (world = await createWorld(script));
}
