/** A world for each test of a file, closed behind it. */
import { afterEach } from "vitest";
import type { Script } from "../../../src/testing/index.ts";
import { createWorld, type World } from "../command.ts";

/** For the head of a file, since hooks are of the file that asks for them. */
export function worldOfEachTest(): (script: Script) => Promise<World> {
  let world: World | undefined;
  afterEach(async () => {
    await world?.close();
    world = undefined;
  });
  return async (script) => (world = await createWorld(script));
}
