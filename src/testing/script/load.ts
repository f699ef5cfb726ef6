/** Reads a script file: JSON, or a TypeScript or JavaScript module whose default export is the script. */
import { readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { reasonOf } from "../../lib/system-reason.ts";
import { checkScript, formatProblems } from "./check-script.ts";
import type { ScriptedModelOptions } from "../server/types.ts";
import type { Script } from "./types.ts";

/** A script as it appears in a file: the script, with the server's settings beside it. */
export interface ScriptFile extends Script {
  description?: string;
  options?: Pick<
    ScriptedModelOptions,
    "endpoint" | "validate" | "strictAlternation" | "requireKey" | "enforceBinding" | "bytesPerToken" | "seed"
  >;
}

/** The message is meant for the person who wrote the script. */
export class ScriptFileError extends Error {
  override readonly name = "ScriptFileError";
}

/** Throws a `ScriptFileError` that names the file, the place in it, and what is allowed there. */
export async function loadScript(file: string): Promise<ScriptFile> {
  const path = resolve(file);
  const isModule = [".ts", ".mts", ".js", ".mjs"].includes(extname(path));
  const value = isModule ? await importDefault(path) : parseScript(path, await readScript(path));
  const problems = checkScript(value);
  if (problems.length > 0) throw new ScriptFileError(`${path} is not a script:\n${formatProblems(problems)}`);
  return value as ScriptFile;
}

async function readScript(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new ScriptFileError(`${path} cannot be read: ${reasonOf(error)}.`);
  }
}

function parseScript(path: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    throw new ScriptFileError(`${path} is not valid JSON: ${(error as Error).message}`);
  }
}

async function importDefault(path: string): Promise<unknown> {
  let module: { default?: unknown };
  try {
    module = (await import(pathToFileURL(path).href)) as { default?: unknown };
  } catch (error) {
    throw new ScriptFileError(`${path} cannot be loaded: ${(error as Error).message}`);
  }
  if (module.default === undefined)
    throw new ScriptFileError(`${path} has no default export; export the script as default`);
  return module.default;
}
