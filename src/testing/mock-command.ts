/** `pawl mock`: serves a script file on a port and prints one line for each request. */
import { formatCount } from "../lib/format-figures.ts";
import { errorText } from "../lib/error-text.ts";
import { onAbort } from "../lib/on-abort.ts";
import { startScriptedServer, type ScriptedServer } from "./server/http.ts";
import { loadScript, ScriptFileError } from "./script/load.ts";
import type { RequestRecord } from "./server/types.ts";

export interface MockArguments {
  script: string;
  /** Default 0: any free port. */
  port?: number;
  host?: string;
}

export interface MockIo {
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
  /** Ends the command. */
  signal: AbortSignal;
}

/**
 * Runs until the signal aborts.
 *
 * @returns the exit code: 0, 1 if requests were invalid or steps were left over, 2 if it could not start.
 */
export async function runMock(argv: MockArguments, io: MockIo): Promise<number> {
  let server: ScriptedServer;
  try {
    const { options, ...script } = await loadScript(argv.script);
    server = await startScriptedServer(script, {
      ...options,
      port: argv.port ?? 0,
      ...(argv.host === undefined ? {} : { host: argv.host }),
      onRecord: (record) => io.stdout.write(`${formatRecord(record)}\n`),
    });
  } catch (error) {
    printError(io, describeStartFailure(error, argv));
    return 2;
  }
  io.stdout.write(`Scripted model on ${server.url}\n`);
  io.stdout.write(`Point an agent at it with ANTHROPIC_BASE_URL=${server.url} ANTHROPIC_API_KEY=any\n`);
  await new Promise<void>((resolve) => void onAbort(io.signal, resolve));
  await server.close();
  return summarise(server, io);
}

/** Starts like the command's other error messages. */
function printError(io: MockIo, text: string): void {
  io.stderr.write(`pawl: ${text}\n`);
}

function describeStartFailure(error: unknown, argv: MockArguments): string {
  if (error instanceof ScriptFileError) return error.message;
  const code = (error as { code?: unknown }).code;
  if (code === "EADDRINUSE") return `Port ${argv.port} is in use. Choose another with --port, or 0 for any free one.`;
  if (code === "EACCES") return `Port ${argv.port} may not be used. Choose one above 1023 with --port.`;
  return `The scripted model could not start: ${errorText(error)}`;
}

function formatRecord(record: RequestRecord): string {
  const parts = [`${record.number} ${record.method} ${record.path} ${record.status === 0 ? "-" : record.status}`];
  if (record.source !== "") parts.push(record.source);
  if (record.fault !== undefined) parts.push(`fault ${record.fault}`);
  if (record.outcome === "cut") parts.push("cut");
  if (record.usage !== undefined && record.cache !== undefined) {
    const cached = Math.round(record.cache.readShare * 100);
    parts.push(`${record.cache.promptTokens} in (${cached} % cached)`, `${record.usage.output_tokens} out`);
    if (record.costUsd !== undefined) parts.push(`$${record.costUsd.toFixed(6)}`);
  }
  if (record.stopReason !== undefined) parts.push(record.stopReason);
  for (const { message } of record.violations) parts.push(`INVALID ${message}`);
  return parts.join(" · ");
}

function summarise(server: ScriptedServer, io: MockIo): number {
  const { totalUsd, billedCalls } = server.bill;
  const share = (server.cacheReadShare * 100).toFixed(1);
  io.stdout.write(
    `${formatCount(server.requests.length, "request")}, ${billedCalls} billed, $${totalUsd.toFixed(6)}, ${share} % of the prompt tokens from the cache\n`,
  );
  try {
    server.assertDone();
    return 0;
  } catch (error) {
    printError(io, (error as Error).message);
    return 1;
  }
}
