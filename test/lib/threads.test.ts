import { once } from "node:events";
import { closeSync, fstatSync, openSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";

/** Node closes, at a thread's end, all that was opened in it and not closed there, by its number. */
test("a worker thread that ends after running commands closes no file of another thread", async () => {
  const piped = pathToFileURL(join(import.meta.dirname, "../../src/lib/spawn-piped.ts")).href;
  const script = `
    const { parentPort } = require("node:worker_threads");
    import(${JSON.stringify(piped)}).then(async ({ spawnPiped }) => {
      const { stdout, stderr, closed } = await spawnPiped("/bin/sh", ["-c", "echo printed"], { stdin: "ignore" });
      stderr.resume();
      let text = "";
      for await (const piece of stdout) text += piece;
      await closed;
      parentPort.postMessage(text);
      await new Promise((resolve) => parentPort.once("message", resolve));
    });`;
  const thread = new Worker(script, { eval: true });
  expect(await once(thread, "message")).toEqual(["printed\n"]);
  // Whatever numbers are free by now.
  const files = Array.from({ length: 64 }, () => openSync(import.meta.filename, "r"));
  onTestFinished(() => files.forEach((file) => closeSync(file)));
  thread.postMessage("end");
  await once(thread, "exit");
  for (const file of files) expect(fstatSync(file).isFile()).toBe(true);
});
