// `npm run simulate:mutations`: applies each mutation of test/simulator/mutations.ts to a copy of the engine's source, one at a
// time, and runs the simulator on it. Ends with a table; fails if a mutation survives or does not apply.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseFlags } from "./run/flags.ts";
import { mutations, type Mutation } from "../test/simulator/mutations.ts";

const values = parseFlags({
  /** The number of seeds after which a mutation counts as survived. */
  seeds: { type: "string", default: "1500" },
  /** Only mutations whose name contains this text, or one of several separated by `|`. */
  only: { type: "string", default: "" },
  /** Only every nth mutation, for a sample. */
  every: { type: "string", default: "1" },
});

const root = join(import.meta.dirname, "..");
const copiedParts = [
  "src",
  "test/simulator",
  "test/e2e/support/strict.ts",
  "scripts/simulate.ts",
  "scripts/run",
  "package.json",
];

function copyTree(): string {
  const folder = mkdtempSync(join(tmpdir(), "pawl-mutations-"));
  for (const part of copiedParts) {
    mkdirSync(join(folder, part, ".."), { recursive: true });
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

type Fate = { fate: "caught"; by: string; seconds: number } | { fate: "survived" | "does not apply" };

function tryMutation(folder: string, { file, from, to }: Mutation): Fate {
  const path = join(folder, "src", file);
  const whole = readFileSync(path, "utf8");
  if (whole.split(from).length !== 2) return { fate: "does not apply" };
  writeFileSync(
    path,
    whole.replace(from, () => to),
  );
  try {
    const startedAt = performance.now();
    const by = findProblem(folder);
    return by === null ? { fate: "survived" } : { fate: "caught", by, seconds: (performance.now() - startedAt) / 1000 };
  } finally {
    writeFileSync(path, whole);
  }
}

/** Returns the first problem that the simulator finds, or null. */
function findProblem(folder: string): string | null {
  const args = [join(folder, "scripts/simulate.ts"), "--seeds", values.seeds, "--failures", "1", "--json"];
  // With few seeds not every reason is reached, so count only broken laws.
  if (Number(values.seeds) < 1000) args.push("--partial");
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    timeout: 600_000,
    maxBuffer: 2 ** 28,
  });
  if (status === 0) return null;
  const last = stdout.trimEnd().split("\n").at(-1) ?? "";
  // A crash is not a broken law, so it does not count as caught.
  if (!last.startsWith("{"))
    throw new Error(`The simulator ended without a summary: ${stderr.trim() || "out of time"}`);
  return (JSON.parse(last) as { verdict: string[] }).verdict[0] ?? null;
}

const folder = copyTree();
let failed = 0;
try {
  const unbroken = findProblem(folder);
  if (unbroken !== null) throw new Error(`Unbroken, the engine does not pass: ${unbroken}`);
  const chosen = mutations.filter(
    ({ name }, at) => values.only.split("|").some((part) => name.includes(part)) && at % Number(values.every) === 0,
  );
  for (const mutation of chosen) {
    const fate = tryMutation(folder, mutation);
    if (fate.fate !== "caught") failed++;
    const how = fate.fate === "caught" ? `${fate.by.slice(0, 110)} (${fate.seconds.toFixed(0)} s)` : "";
    console.log(
      `${fate.fate.padEnd(14)} ${mutation.file.padEnd(24)} ${mutation.name}${how === "" ? "" : `\n${" ".repeat(15)}${how}`}`,
    );
  }
  console.log(`mutations: ${chosen.length - failed} caught, ${failed} not`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;
