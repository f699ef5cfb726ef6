/**
 * Scales a picture down in a worker thread: the session continues meanwhile whatever the file contains, and work that takes too much time
 * or memory is ended. This module is both sides: the thread runs the file that started it. If a program and its imports are bundled into one
 * file, that file is the program itself, and a thread running it would start the program again: then the picture is converted in the
 * session's own thread.
 */
import { existsSync } from "node:fs";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { Slots } from "../slots.ts";
import { convert, type Converted, type ConvertTask } from "./convert.ts";
import { PictureError } from "./picture.ts";

interface ShrinkOrder {
  pawlShrinks: ConvertTask;
}
type Answer = { converted: Converted } | { problem: string };

const mostHeapMegabytes = 1200;
const threadFile = findThreadFile(import.meta.url);
/** Large pictures take hundreds of megabytes during conversion. */
const slots = new Slots(2);

/**
 * Returns the picture as a PNG or JPEG file of the requested size. Rejects with a `PictureError` that says why not: damaged data, too much
 * memory, or an aborted `signal`. The caller limits the time.
 */
export async function shrink(task: ConvertTask, signal: AbortSignal): Promise<Converted> {
  if (!(await slots.enter(signal))) throw interrupted();
  try {
    if (signal.aborted) throw interrupted();
    return await (threadFile === undefined ? shrinkInThisThread(task) : shrinkInWorker(threadFile, task, signal));
  } finally {
    slots.leave();
  }
}

async function shrinkInThisThread(task: ConvertTask): Promise<Converted> {
  try {
    return await convert(task);
  } catch (error) {
    throw new PictureError(problemOf(error));
  }
}

async function shrinkInWorker(file: URL, pawlShrinks: ConvertTask, signal: AbortSignal): Promise<Converted> {
  const worker = new Worker(file, {
    workerData: { pawlShrinks } satisfies ShrinkOrder,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: mostHeapMegabytes },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Converted>();
  const onAbort = (): void => reject(interrupted());
  signal.addEventListener("abort", onAbort, { once: true });
  worker.on("message", (answer: Answer) => {
    if ("converted" in answer) resolve(answer.converted);
    else reject(new PictureError(answer.problem));
  });
  worker.on("error", (error) => reject(new PictureError(problemOf(error))));
  worker.on("exit", () => reject(new PictureError("the conversion ended without a result")));
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
    await worker.terminate();
  }
}

/**
 * Finds the file for the thread. Node.js cannot load the command's bundle chunks by themselves, so the command has a separate file. Other
 * bundlers leave no address, the bundle's own, or the path on the machine where they ran.
 */
function findThreadFile(url: string | undefined): URL | undefined {
  if (url === undefined || !/\/shrink[-.][^/]*$/u.test(url)) return undefined;
  return [new URL("thread.cjs", url), new URL(url)].find((file) => existsSync(file));
}

function interrupted(): PictureError {
  return new PictureError("making it smaller was interrupted");
}

function problemOf(error: unknown): string {
  if (error instanceof PictureError) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ERR_WORKER_OUT_OF_MEMORY") return "making it smaller takes too much memory";
  return `its data is damaged (${message})`;
}

async function serve({ pawlShrinks }: ShrinkOrder): Promise<void> {
  let answer: Answer;
  try {
    answer = { converted: await convert(pawlShrinks) };
  } catch (error) {
    answer = { problem: problemOf(error) };
  }
  parentPort?.postMessage(answer);
}

if (!isMainThread && typeof workerData === "object" && workerData !== null && "pawlShrinks" in workerData)
  serve(workerData as ShrinkOrder).catch(() => process.exit(1));
