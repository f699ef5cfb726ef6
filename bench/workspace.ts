/** The folders a run works in, and the two agents as commands: the floor stripped to JavaScript, pawl as it is published. */
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

// stripTypeScriptTypes is what runs this very file; that it is called experimental is no news to who reads a table.
process.removeAllListeners("warning");

const root = join(import.meta.dirname, "..");

/** Programs that are measured: without a step of type stripping that a published program does not have. */
const programs = ["floor", "floor-sessions", "pawl-sessions", "pawl-history", "pawl-query", "pawl-snapshots"] as const;
export type Program = (typeof programs)[number];

/** On the model table of both sides, with published prices. */
export const model = "claude-sonnet-5-5";

export interface Workspace {
  /** Where the agents work: `note-000.txt` and on. */
  readonly folder: string;
  readonly home: string;
  /** A command that runs one of our programs. */
  program(name: Program, args: string[], url: string): Command;
  /** A command that runs `pawl`, as built. */
  pawl(args: string[], url: string): Command;
  /** Transcripts of earlier runs are gone; compiled code and contents of snapshots stay, as they do for a user. */
  clean(): void;
  remove(): void;
}

/** Throws where pawl is not built. */
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
  for (const name of programs) {
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
 * What snapshots of the work folder share stays, as it does for a user. The rest goes aside and is removed at the end: ext4 looks for
 * the next file's inode past all that were freed in the last seconds, which nobody pays for whose transcripts stay.
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

/** 16 lines, about 640 bytes: a screenful of code. */
function noteText(index: number): string {
  const lines = Array.from({ length: 16 }, (_, line) => {
    const indent = " ".repeat(2 * (line % 4));
    return `${indent}const value${index}_${line} = compute(${index * line}, "part ${line}");`.slice(0, 39 + (line % 3));
  });
  return `${lines.join("\n")}\n`;
}
