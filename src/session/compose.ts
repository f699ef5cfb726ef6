/** The composition root: reads what a session is to be, and joins the rooms into one `QueryEngine`. */
import { trustAuthorities } from "./authorities.ts";
import type { Settings } from "../settings/settings.ts";
import { pawlHome } from "../settings/paths.ts";
import { checkOptionObjects } from "./check-arguments.ts";
import { checkOptions } from "./check-options.ts";
import { systemClock, systemIds } from "./clock.ts";
import { given, readApiKey } from "./model/credentials.ts";
import { QueryEngine } from "./engine.ts";
import { asEnvironmentSays, spelledOut, withSafeEars } from "./given-options.ts";
import type { StartSource } from "./intake.ts";
import { joinSession } from "./join.ts";
import { LiveSettings } from "./settings/live-settings.ts";
import { thisMachine } from "./machine.ts";
import type { RunningServers } from "./mcp/desk.ts";
import type { QueryOptions } from "./convention/query-options.ts";
import { isOwn } from "./convention/recognise.ts";
import type { EngineOptions } from "./options.ts";
import { composeSandbox } from "./permissions/sandbox-parts.ts";
import type { Kept, Restart, SessionParts } from "./parts.ts";
import { findNow, findSoon, type Found } from "./settings/found.ts";
import { readSettings, settingsPlaces, soughtIn, type SettingsPlaces } from "./settings/read-settings.ts";
import type { Surroundings } from "./surroundings.ts";
import { withTelemetry } from "./telemetry/wanted.ts";
import { titleOf } from "./title.ts";
import { wrongVariables } from "./wrong-variables.ts";

/**
 * Makes a session, or goes on with one. Throws `UsageError`, one sentence each: no key, no such folder, an unknown session,
 * settings that cannot be read, a session that another process holds.
 */
export async function createEngine(options: QueryOptions): Promise<QueryEngine> {
  checkOptionObjects(options);
  const own = withSafeEars(
    isOwn(options) ? options : (await import("./convention/own-options.ts")).ownOptions(options),
  );
  if (own.sessionStore === undefined) return await createEngineIn(own, readSurroundings);
  const { withSessionStore } = await import("./mirror/session-store.ts");
  checkOptions(own);
  const stored = await withSessionStore(own);
  try {
    return await createEngineIn(stored, readSurroundings);
  } catch (error) {
    await stored.transcriptMirror?.settled(true);
    throw error;
  }
}

/** @internal */
type Read = (options: EngineOptions) => Promise<Surroundings>;

/**
 * The same where `read` answers for process and machine: nothing else of them is looked at, but what tools of their own reach.
 * @internal
 */
export async function createEngineIn(options: EngineOptions, read: Read): Promise<QueryEngine> {
  checkOptions(options);
  const source = options.resume === undefined && options.continue !== true ? "startup" : "resume";
  return new QueryEngine(await makeParts(spelledOut(options), read, options.forkSession === true ? "fork" : source));
}

/** What names a session that is there. */
const fresh = {
  resume: undefined,
  resumeSessionAt: undefined,
  resumeDropsTurn: undefined,
  continue: false,
  forkSession: false,
  sessionId: undefined,
  orphanedPermission: undefined,
  title: undefined,
};

/** What a session leaves to the one that takes its place. */
interface Inheritance extends Pick<Kept, "grantedRules" | "applied"> {
  servers?: RunningServers | undefined;
  /** What the first of them was opened with. */
  first: EngineOptions;
}

async function makeParts(
  given: EngineOptions,
  read: Read,
  source: StartSource,
  inherited?: Inheritance,
): Promise<SessionParts> {
  const { grantedRules = [], applied, servers, first = given } = inherited ?? {};
  const surroundings = await read(given);
  const options = asEnvironmentSays(given, surroundings.env);
  const around = await withTelemetry(surroundings, options);
  if (inherited === undefined) for (const text of wrongVariables(around.env)) around.notice(text);
  if (applied !== undefined) around.live?.apply(applied);
  const restart: Restart = ({ grantedRules: granted, applied: laidOver, ...choices }, mcp, next) => {
    const own = { servers: mcp?.servers, applied: laidOver, first };
    // One that is gone back to has choices of its own.
    if (next !== undefined && next.forkSession !== true)
      return makeParts({ ...first, ...fresh, ...next }, read, "resume", { ...own, grantedRules: [] });
    const options = { ...given, ...choices, ...fresh, ...next };
    return makeParts(options, read, next === undefined ? "clear" : "fork", { ...own, grantedRules: granted });
  };
  const sandbox = await composeSandbox(options, around);
  try {
    const parts = await joinSession(options, around, { restart, source, grantedRules, sandbox, servers });
    if (options.title !== undefined) parts.choices.setTitle(titleOf(options.title));
    return parts;
  } catch (error) {
    sandbox?.sandbox.dispose();
    throw error;
  }
}

async function readSurroundings(options: EngineOptions): Promise<Surroundings> {
  const places = settingsPlaces(options);
  // Now: whoever asked for the session may change it next.
  const variables = withoutUnset(places.env);
  const around = surroundingsIn(options, places, variables, await findSoon(soughtIn(options, places)));
  return { ...around, apiKey: await readApiKey(around.env, around.settings.apiKeyHelper) };
}

/**
 * For what calls no model. Runs nothing.
 * @internal
 */
export function surroundingsWithoutKey(options: EngineOptions): Surroundings {
  const places = settingsPlaces(options);
  return surroundingsIn(options, places, withoutUnset(places.env), findNow(soughtIn(options, places)));
}

/** `variables`: those of the process that are set. */
function surroundingsIn(
  options: EngineOptions,
  places: SettingsPlaces,
  variables: Record<string, string>,
  found: Found,
): Surroundings {
  const { cwd, home, notice } = places;
  const watch = readSettings(options, places, found);
  const { settings, isRetentionKnown, project } = watch.loaded;
  const env = withBetas({ ...outputLimit(settings), ...settings.env, ...variables }, options);
  // There is one list of them in a process: what a program trusts is its own to say.
  if (options.headless !== undefined) trustAuthorities({ added: settings.env, env: variables, cwd, notice });
  const { mcpFile, elderMcpFile, knowledge } = found;
  const jobFolder = given(variables["PAWL_JOB_DIR"]);
  return {
    cwd,
    env,
    home,
    pawlHome: pawlHome(variables, home),
    knowledge: { ...knowledge, cwd },
    ...(options.sessionsHome === undefined ? {} : { sessionsHome: options.sessionsHome }),
    ...(options.transcriptMirror === undefined ? {} : { mirror: options.transcriptMirror }),
    ...(mcpFile === undefined ? {} : { mcpFile }),
    ...(elderMcpFile === undefined ? {} : { elderMcpFile }),
    ...(jobFolder === undefined ? {} : { jobFolder }),
    settings,
    live: new LiveSettings({ watch, notice, debug: (line) => options.debug?.(line) }),
    ...(project === undefined ? {} : { project }),
    cleanupPeriodDays: isRetentionKnown ? settings.cleanupPeriodDays : undefined,
    notice,
    clock: options.clock ?? systemClock,
    ids: options.ids ?? systemIds,
    machine: thisMachine,
    version: options.version ?? "0.0.0",
  };
}

/** The tool's own variable counts over the setting. */
function outputLimit({ bashOutputMaxChars: most }: Settings): Record<string, string> {
  return most === undefined ? {} : { BASH_MAX_OUTPUT_LENGTH: String(most) };
}

function withBetas(env: Record<string, string>, { betas = [] }: EngineOptions): Record<string, string> {
  const named = [env["ANTHROPIC_BETAS"] ?? "", ...betas].filter((name) => name !== "").join(",");
  return named === "" ? env : { ...env, ANTHROPIC_BETAS: named };
}

/** The process's own environment wins over what settings add to it. */
function withoutUnset(env: SettingsPlaces["env"]): Record<string, string> {
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined) set[name] = value;
  return set;
}
