/** Reports why a run could not start to a program that reads its output as JSON, as a session over pipes does to its client. */
import { wellFormedLine } from "../../lib/json-line.ts";
import { messageFormatter } from "../message-formatter.ts";
import { startFailure } from "../start-failure.ts";
import { drainMilliseconds, type HeadlessRun } from "./run.ts";
import { OutputWriter } from "./writer.ts";

export type StartFailureOutput = Pick<HeadlessRun, "outputFormat" | "verbose" | "stdout" | "env"> & {
  newId: () => string;
};

export async function writeStartFailure(
  error: unknown,
  { outputFormat, verbose, stdout, env, newId }: StartFailureOutput,
): Promise<void> {
  if (outputFormat === "text") return;
  const writer = new OutputWriter(stdout);
  const result = startFailure(error, newId());
  writer.write(
    outputFormat === "stream-json" ? messageFormatter(env)(result) : `${wellFormedLine(verbose ? [result] : result)}\n`,
  );
  await writer.finish(drainMilliseconds);
}
