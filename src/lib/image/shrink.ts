/**
 * Makes a picture smaller in a thread of its own: whatever is in the file, the session goes on meanwhile, and what takes too
 * long or too much memory is ended. This module is both sides of it: the thread runs the file it was started from.
 *
 * Where a program and all it imports were made one file, that file is the program, and a thread of it would begin the program
 * anew: there the picture is converted in the session's own thread.
 */
import { existsSync } from "node:fs";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { Slots } from "../slots.ts";
import { convert, type Converted, type ConvertTask } from "./convert.ts";
import { PictureError } from "./picture.ts";

export type ShrinkTask = ConvertTask;
export type Shrunk = Converted;

interface Order {
  pawlShrinks: ConvertTask;
}
type Answer = { converted: Converted } | { problem: string };

const mostHeapMegabytes = 1200;
const threadFile = threadBeside(import.meta.url);
/** Large pictures take hundreds of megabytes while they are converted. */
const slots = new Slots(2);

/**
 * The picture as a PNG or JPEG file of the size asked for. Rejects with a `PictureError` that says why not: damaged data, too
 * much memory, `signal` aborted. The caller bounds the time.
 */
export async function shrink(task: ShrinkTask, signal: AbortSignal): Promise<Shrunk> {
  if (!(await slots.enter(signal))) throw interrupted();
  try {
    if (signal.aborted) throw interrupted();
    return await (threadFile === undefined ? inPlace(task) : inThread(threadFile, task, signal));
  } finally {
    slots.leave();
  }
}

async function inPlace(task: ConvertTask): Promise<Shrunk> {
  try {
    return await convert(task);
  } catch (error) {
    throw new PictureError(problemOf(error));
  }
}

async function inThread(file: URL, pawlShrinks: ConvertTask, signal: AbortSignal): Promise<Shrunk> {
  const worker = new Worker(file, {
    workerData: { pawlShrinks } satisfies Order,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: mostHeapMegabytes },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Shrunk>();
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
 * The command's chunks are none that Node can load by itself: its thread is a file of its own. Other bundlers leave nothing, the
 * bundle's own address, or where the file lay on the machine they ran on.
 */
function threadBeside(url: string | undefined): URL | undefined {
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

async function serve({ pawlShrinks }: Order): Promise<void> {
  let answer: Answer;
  try {
    answer = { converted: await convert(pawlShrinks) };
  } catch (error) {
    answer = { problem: problemOf(error) };
  }
  parentPort?.postMessage(answer);
}

if (!isMainThread && typeof workerData === "object" && workerData !== null && "pawlShrinks" in workerData)
  serve(workerData as Order).catch(() => process.exit(1));
