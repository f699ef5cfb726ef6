/** Sorts files by modification time, newest first, with a limit on how many are examined. */
import { stat } from "node:fs/promises";

/** Files beyond this number keep their order, after the others. */
const mostExamined = 20_000;
const statBatchSize = 64;

/** Paths are bytes relative to `directory`, since names need not be UTF-8. */
export async function newestFirst(paths: readonly Buffer[], directory: string, signal: AbortSignal): Promise<Buffer[]> {
  const examined = paths.slice(0, mostExamined);
  const times: number[] = [];
  const folder = Buffer.from(directory.endsWith("/") ? directory : `${directory}/`);
  for (let from = 0; from < examined.length; from += statBatchSize) {
    signal.throwIfAborted();
    const batch = examined.slice(from, from + statBatchSize);
    times.push(...(await Promise.all(batch.map(async (path) => await modifiedTime(Buffer.concat([folder, path]))))));
  }
  const order = examined.map((path, index) => ({ path, time: times[index] ?? 0 }));
  order.sort((one, other) => other.time - one.time || Buffer.compare(one.path, other.path));
  return [...order.map(({ path }) => path), ...paths.slice(mostExamined)];
}

async function modifiedTime(path: Buffer): Promise<number> {
  return await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
