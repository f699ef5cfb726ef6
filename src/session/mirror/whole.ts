/** A transcript that was written at once, such as a copy, as a mirror is to have it. */
import { readFileSync } from "node:fs";
import type { TranscriptMirror } from "./mirror.ts";

export function mirrorWhole(mirror: TranscriptMirror, path: string): void {
  for (const line of readFileSync(path, "utf8").split("\n")) if (line !== "") mirror.wrote(path, line);
}
