/** Loads the code that judges calls with the first call, or earlier if one is expected. */
import { loadOnce } from "../lib/load-once.ts";
import type * as judge from "./judge-call.ts";

type Judge = typeof judge;

let loaded: Judge | undefined;

export const loadJudge = loadOnce(async (): Promise<Judge> => (loaded = await import("./judge-call.ts")));

/** The judge, or undefined before it was loaded. */
export function loadedJudge(): Judge | undefined {
  return loaded;
}
