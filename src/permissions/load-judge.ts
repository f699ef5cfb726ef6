/** What judges calls: there with the first of them, or when somebody has seen one coming. */
import { loadOnce } from "../lib/load-once.ts";
import type * as judge from "./judge-call.ts";

type Judge = typeof judge;

let loaded: Judge | undefined;

export const loadJudge = loadOnce(async (): Promise<Judge> => (loaded = await import("./judge-call.ts")));

/** Undefined before it was loaded. */
export function loadedJudge(): Judge | undefined {
  return loaded;
}
