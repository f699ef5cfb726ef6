/** Reports why a run could not start to a program that reads its output as JSON, as a session over pipes does to its client. */
import { wellFormedLine } from "../../lib/json-line.ts";
import { messageLine } from "../message-line.ts";
import { startFailure } from "../start-failure.ts";
import { drainMilliseconds, type HeadlessRun } from "./run.ts";
import { OutputWriter } from "./writer.ts";

export type NoStart = Pick<HeadlessRun, "outputFormat" | "verbose" | "stdout" | "env"> & { newId: () => string };

export async function tellNoStart(
  error: unknown,
  { outputFormat, verbose, stdout, env, newId }: NoStart,
): Promise<void> {
  if (outputFormat === "text") return;
  const writer = new OutputWriter(stdout);
  const result = startFailure(error, newId());
  writer.write(
    outputFormat === "stream-json" ? messageLine(env)(result) : `${wellFormedLine(verbose ? [result] : result)}\n`,
  );
  await writer.finish(drainMilliseconds);
}
