/** Runs one command and measures it: CPU of the process and of the children it reaped, peak memory, start time. */
import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";

export interface Command {
  /** Arguments for `node`: its own flags, a file, the file's arguments. */
  argv: string[];
  cwd: string;
  env: Record<string, string>;
  /** A folder for the probe's output. */
  scratch: string;
  /** Keeps the text of stdout. Otherwise it is read and dropped. */
  keepOutput?: boolean;
}

export interface Measured {
  /** ms since the epoch, just before the process was made. */
  spawnedEpoch: number;
  /** User and system time, children included, ms. */
  cpuMs: number;
  /** In MB, of the process itself. */
  peakMb: number;
  wallMs: number;
  output: string;
}

/** bash reports the time in microseconds, and the CPU time of its children from `wait4` in milliseconds. */
const wrapper = 'printf "%s\\n" "$EPOCHREALTIME" >&3; "$@" 3>&-; code=$?; times >&3; exit $code';

/** Loaded into the processes of both sides: writes the peak resident memory at exit. */
export const probeSource = `process.on("exit", () => {
  require("node:fs").writeFileSync(process.env.BENCH_PROBE, String(process.resourceUsage().maxRSS));
});
`;

export async function measure({ argv, cwd, env, scratch, keepOutput = false }: Command): Promise<Measured> {
  const probe = join(scratch, "probe.cjs");
  const answer = join(scratch, "peak.txt");
  rmSync(answer, { force: true });
  const began = performance.now();
  const child = spawn("bash", ["-c", wrapper, "bench", process.execPath, "--require", probe, ...argv], {
    cwd,
    env: { ...env, BENCH_PROBE: answer },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject).on("close", (code) => resolve(code));
  });
  const [output, errors, figures, code] = await Promise.all([
    readStream(child.stdout as Readable, keepOutput),
    readStream(child.stderr as Readable, true),
    readStream(child.stdio[3] as Readable, true),
    ended,
  ]);
  const wallMs = performance.now() - began;
  if (code !== 0) throw new Error(`${argv.join(" ")} ended with code ${code}:\n${errors}${output}`);
  const [spawned = "", , children = ""] = figures.split("\n");
  return {
    spawnedEpoch: Number(spawned.replace(",", ".")) * 1000,
    cpuMs: children.split(" ").reduce((sum, text) => sum + milliseconds(text), 0),
    peakMb: Number(readFileSync(answer, "utf8")) / 1024,
    wallMs,
    output,
  };
}

/** Parses a time such as `0m1.234s`. */
function milliseconds(text: string): number {
  const parts = /^(\d+)m(\d+)[.,](\d{3})s$/.exec(text);
  if (parts === null) throw new Error(`bash gave no time: ${JSON.stringify(text)}`);
  const [, minutes, seconds, thousandths] = parts;
  return Number(minutes) * 60_000 + Number(seconds) * 1000 + Number(thousandths);
}

async function readStream(stream: Readable, isKept: boolean): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) if (isKept) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
