/** The composition root: reads what a session is to be, and joins the rooms into one `QueryEngine`. */
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { UsageError } from "../lib/usage-error.ts";
import { loadSettings, type LoadedSettings } from "../settings/load.ts";
import { pawlHome } from "../settings/paths.ts";
import { isTrusted, readTrust } from "../settings/trust.ts";
import { checkOptions } from "./check-options.ts";
import { systemClock, systemIds } from "./clock.ts";
import { given, readApiKey } from "./credentials.ts";
import { QueryEngine } from "./engine.ts";
import type { StartSource } from "./intake.ts";
import { joinSession } from "./join.ts";
import { thisMachine } from "./machine.ts";
import type { EngineOptions } from "./options.ts";
import type { Kept, SessionParts } from "./parts.ts";
import type { Surroundings } from "./surroundings.ts";

/**
 * Makes a session, or goes on with one. Throws `UsageError`, one sentence each: no key, no such folder, an unknown session,
 * settings that cannot be read, a session that another process holds.
 */
export async function createEngine(options: EngineOptions): Promise<QueryEngine> {
  return await createEngineIn(options, readSurroundings);
}

type Read = (options: EngineOptions) => Promise<Surroundings>;

/** The same where `read` answers for process and machine: nothing else of them is looked at, but what tools of their own reach. */
export async function createEngineIn(options: EngineOptions, read: Read): Promise<QueryEngine> {
  checkOptions(options);
  const source = options.resume === undefined && options.continue !== true ? "startup" : "resume";
  return new QueryEngine(await makeParts(options, read, options.forkSession === true ? "fork" : source));
}

/** What names a session that is there. */
const fresh = {
  resume: undefined,
  continue: false,
  forkSession: false,
  sessionId: undefined,
  orphanedPermission: undefined,
};

async function makeParts(
  options: EngineOptions,
  read: Read,
  source: StartSource,
  grantedRules: readonly string[] = [],
): Promise<SessionParts> {
  const around = await read(options);
  const restart = ({ grantedRules: rules, ...kept }: Kept): Promise<SessionParts> =>
    makeParts({ ...options, ...kept, ...fresh }, read, "clear", rules);
  return joinSession(options, around, { restart, source, grantedRules });
}

async function readSurroundings(options: EngineOptions): Promise<Surroundings> {
  const around = surroundingsWithoutKey(options);
  return { ...around, apiKey: await readApiKey(around.env, around.settings.apiKeyHelper) };
}

/** For what calls no model. Runs nothing. */
export function surroundingsWithoutKey(options: EngineOptions): Surroundings {
  const cwd = workingFolder(options.cwd);
  const processEnv = options.env ?? process.env;
  const home = options.home ?? given(processEnv["HOME"]) ?? homedir();
  const notice = options.onNotice ?? ((): void => {});
  const { settings, isRetentionKnown, project } = readSettings(options, processEnv, home, cwd, notice);
  const env = { ...settings.env, ...withoutUnset(processEnv) };
  return {
    cwd,
    env,
    home,
    pawlHome: pawlHome(processEnv, home),
    settings,
    ...(project === undefined ? {} : { project }),
    cleanupPeriodDays: isRetentionKnown ? settings.cleanupPeriodDays : undefined,
    notice,
    clock: options.clock ?? systemClock,
    ids: options.ids ?? systemIds,
    machine: thisMachine,
    version: options.version ?? "0.0.0",
  };
}

function workingFolder(cwd: string | undefined): string {
  let folder: string;
  try {
    folder = resolve(cwd ?? process.cwd());
  } catch {
    throw new UsageError("The current folder is gone: change to one that exists.");
  }
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`There is no folder ${folder}.`);
  return folder;
}

type Environment = Record<string, string | undefined>;

function readSettings(
  options: EngineOptions,
  env: Environment,
  home: string,
  cwd: string,
  notice: (text: string) => void,
): LoadedSettings {
  const trusts = options.trust === true ? (): boolean => true : trustedBefore(pawlHome(env, home), notice);
  const loaded = loadSettings({ env, home, cwd, flag: options.settings, trusts });
  for (const problem of loaded.problems) {
    if (problem.level === "error") throw new UsageError(problem.text);
    notice(problem.text);
  }
  return loaded;
}

function trustedBefore(folder: string, notice: (text: string) => void): (project: string, hash: string) => boolean {
  return (project, hash) => {
    try {
      return isTrusted(readTrust(folder), project, hash);
    } catch (error) {
      notice(error instanceof Error ? error.message : String(error));
      return false;
    }
  };
}

/** The process's own environment wins over what settings add to it. */
function withoutUnset(env: Environment): Record<string, string> {
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined) set[name] = value;
  return set;
}
