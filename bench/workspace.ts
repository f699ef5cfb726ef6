/** The folders a run works in, and the two agents as commands: the floor with its types stripped, pawl as published. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { probeSource, type Command } from "./measure.ts";
import { noteName } from "./scripts.ts";

// stripTypeScriptTypes warns that it is experimental, which would only disturb the table. Node runs this very file by it.
process.removeAllListeners("warning");

const root = join(import.meta.dirname, "..");

/** Programs that are measured. Their types are stripped beforehand, because published programs do not do this at run time. */
const programs = ["floor", "floor-sessions", "pawl-sessions", "pawl-history", "pawl-query", "pawl-snapshots"] as const;
export type Program = (typeof programs)[number];

/** A model that both sides know, with published prices. */
export const model = "claude-sonnet-5-5";

export interface Workspace {
  /** Where the agents work. It has the files `note-000.txt` and so on. */
  readonly folder: string;
  readonly home: string;
  /** Returns a command that runs one of the benchmark's programs. */
  program(name: Program, args: string[], url: string): Command;
  /** Returns a command that runs the built `pawl`. */
  pawl(args: string[], url: string): Command;
  /** Removes the transcripts of earlier runs. Compiled code and snapshot contents stay, as they do for a user. */
  clean(): void;
  remove(): void;
}

/** Creates the folders. The command for pawl throws if pawl is not built. */
export function makeWorkspace(noteCount: number): Workspace {
  const base = mkdtempSync(join(tmpdir(), "pawl-bench-"));
  const [folder, home, scratch] = ["work", "home", "scratch"].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [folder, home, scratch]) mkdirSync(path);
  for (let index = 0; index < noteCount; index++) writeFileSync(join(folder, noteName(index)), noteText(index));
  writeFileSync(join(scratch, "probe.cjs"), probeSource);
  for (const name of [...programs, "in-process-model"]) {
    const source = readFileSync(join(import.meta.dirname, `${name}.ts`), "utf8");
    writeFileSync(
      join(scratch, `${name}.mjs`),
      stripTypeScriptTypes(source).replaceAll(/"\.\/([\w-]+)\.ts"/g, '"./$1.mjs"'),
    );
  }
  const environment = (url: string): Record<string, string> => ({
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    LANG: "C.UTF-8",
    HOME: home,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "bench",
    ANTHROPIC_MODEL: model,
    BENCH_LIBRARY: join(root, "dist/index.js"),
  });
  return {
    folder,
    home,
    program: (name, args, url) => ({
      argv: [join(scratch, `${name}.mjs`), ...args],
      cwd: folder,
      env: environment(url),
      scratch,
    }),
    pawl(args, url) {
      if (!existsSync(join(root, "dist/command/main.cjs"))) throw new Error("pawl is not built: npm run build");
      return { argv: [join(root, "bin/pawl.js"), ...args], cwd: folder, env: environment(url), scratch };
    },
    clean: () => cleanHome(join(home, ".pawl"), mkdtempSync(join(base, "earlier-"))),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

/**
 * Keeps what snapshots of the work folder share, as for a user. The rest is moved aside and removed at the end: ext4 skips inodes
 * freed in the last seconds when it creates a file, a cost that users do not have, because their transcripts stay.
 */
function cleanHome(pawlHome: string, aside: string): void {
  const projects = join(pawlHome, "projects");
  const folders = existsSync(projects) ? readdirSync(projects) : [];
  for (const folder of folders) {
    mkdirSync(join(aside, folder));
    for (const name of readdirSync(join(projects, folder)))
      if (name !== "snapshots") renameSync(join(projects, folder, name), join(aside, folder, name));
  }
}

/** Returns 16 lines, about 640 bytes: a screenful of code. */
function noteText(index: number): string {
  const lines = Array.from({ length: 16 }, (_, line) => {
    const indent = " ".repeat(2 * (line % 4));
    return `${indent}const value${index}_${line} = compute(${index * line}, "part ${line}");`.slice(0, 39 + (line % 3));
  });
  return `${lines.join("\n")}\n`;
}
