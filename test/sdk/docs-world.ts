// What `pawl` is to an example of docs/library.md: the library itself, in a folder and with a model of the test's own. What an
// example says of its folder and transport holds where it has to, so that its text needs nothing for the test's sake.
import { createEngine as create, query as ask, type QueryEngine, type QueryOptions } from "../../src/index.ts";
import type { ScriptedModel } from "../../src/testing/index.ts";
import type { Ground } from "../session/support.ts";

export * from "../../src/index.ts";

const world = globalThis as { pawlDocsWorld?: { ground: Ground; model: ScriptedModel } };

export function enter(ground: Ground, model: ScriptedModel): void {
  world.pawlDocsWorld = { ground, model };
}

function inWorld(options: QueryOptions = {}): QueryOptions {
  if (world.pawlDocsWorld === undefined) throw new Error("No example is running.");
  const { ground, model } = world.pawlDocsWorld;
  return {
    env: { ANTHROPIC_API_KEY: "scripted", PATH: process.env["PATH"], HOME: ground.home },
    transport: (exchange) => model.handle(exchange),
    ...options,
    cwd: ground.work,
    home: ground.home,
  };
}

export function createEngine(options?: QueryOptions): Promise<QueryEngine> {
  return create(inWorld(options));
}

export function query(params: Parameters<typeof ask>[0]): ReturnType<typeof ask> {
  return ask({ ...params, options: inWorld(params.options) });
}
