/** A process that takes a lock when told to: `take <transcript>`, `release`, one word or two in answer. */
import { createInterface } from "node:readline";
import { acquireLock, TranscriptError, type SessionLock } from "../../src/transcript/index.ts";

let held: SessionLock | undefined;
console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [command, path] = line.split(" ");
  if (command === "release") {
    held?.release();
    held = undefined;
    console.log("released");
    continue;
  }
  try {
    held = acquireLock(path ?? "");
    console.log("won");
  } catch (error) {
    console.log(error instanceof TranscriptError ? `lost ${error.code} ${error.pid}` : `failed ${String(error)}`);
  }
}
