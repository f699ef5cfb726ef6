/** The composition root: reads the options of a session, and joins its rooms into one `QueryEngine`. */
import { checkOptionObjects } from "./options/check-arguments.ts";
import { checkOptions } from "./options/check-options.ts";
import { QueryEngine } from "./engine.ts";
import {
  applyEnvironment,
  clearedSessionOptions,
  normalizeOptions,
  withSafeCallbacks,
} from "./options/normalize-options.ts";
import type { StartSource } from "./intake/intake.ts";
import { joinSession } from "./join.ts";
import type { Options } from "./options/query-options.ts";
import { isEngineOptions } from "./convention/is-engine-options.ts";
import type { EngineOptions } from "./options/options.ts";
import { composeSandbox } from "./permissions/sandbox-parts.ts";
import type { KeptChoices } from "./kept-choices.ts";
import type { Restart, Session } from "./session.ts";
import type { RunningServers, Surroundings } from "./surroundings/surroundings.ts";
import { withTelemetry } from "./telemetry/with-telemetry.ts";
import { snapshotOptions } from "./options/snapshot-options.ts";
import { titleOf } from "./options/title.ts";
import { environmentProblems } from "./options/environment-problems.ts";
import { readSurroundings } from "./surroundings/read-surroundings.ts";

/**
 * Creates a session, or resumes one. Throws `UsageError`, one sentence each: no key, no such folder, an unknown session,
 * settings that cannot be read, a session that another process holds.
 */
export async function createEngine(options: Options): Promise<QueryEngine> {
  return await whenReady(openEngine(options));
}

/**
 * The same without the wait for git: see `SessionBackground.ready`.
 * @internal
 */
export async function openEngine(options: Options): Promise<QueryEngine> {
  const heldCopy = snapshotOptions(options);
  checkOptionObjects(heldCopy);
  const engineOptions = withSafeCallbacks(
    isEngineOptions(heldCopy)
      ? heldCopy
      : (await import("./convention/translate-options.ts")).translateOptions(heldCopy),
  );
  if (engineOptions.sessionStore === undefined) return await openEngineIn(engineOptions, readSurroundings);
  const { withSessionStore } = await import("./mirror/session-store.ts");
  checkOptions(engineOptions);
  const stored = await withSessionStore(engineOptions);
  try {
    return await openEngineIn(stored, readSurroundings);
  } catch (error) {
    await stored.transcriptMirror?.settled(true);
    throw error;
  }
}

/** @internal */
type Read = (options: EngineOptions) => Promise<Surroundings>;

/**
 * Like `createEngine`, but `read` supplies what is known of process and machine. Nothing else is read, except by tools
 * themselves.
 * @internal
 */
export async function createEngineIn(options: EngineOptions, read: Read): Promise<QueryEngine> {
  return await whenReady(openEngineIn(options, read));
}

async function whenReady(opening: Promise<QueryEngine>): Promise<QueryEngine> {
  const engine = await opening;
  await engine.background.ready?.();
  return engine;
}

async function openEngineIn(options: EngineOptions, read: Read): Promise<QueryEngine> {
  checkOptions(options);
  const source = options.resume === undefined && options.continue !== true ? "startup" : "resume";
  return new QueryEngine(
    await makeSession(normalizeOptions(options), read, options.forkSession === true ? "fork" : source),
  );
}

/** What a session hands on to the session that takes its place. */
interface Inheritance extends Pick<KeptChoices, "grantedRules" | "applied" | "chosenThinking" | "modeBeforePlan"> {
  servers?: RunningServers | undefined;
  /** The options that the first session of the chain was opened with. */
  first: EngineOptions;
}

/** Combines the options with the surroundings into rooms, and a session over them. */
async function makeSession(
  givenOptions: EngineOptions,
  read: Read,
  source: StartSource,
  inherited?: Inheritance,
): Promise<Session> {
  const {
    grantedRules = [],
    applied,
    chosenThinking: thinking,
    modeBeforePlan,
    servers,
    first = givenOptions,
  } = inherited ?? {};
  const surroundings = await read(givenOptions);
  const options = applyEnvironment(givenOptions, surroundings.env);
  const around = await withTelemetry(surroundings, options);
  if (inherited === undefined) for (const text of environmentProblems(around.env)) around.notice(text);
  if (applied !== undefined) around.live?.apply(applied);
  const restart = createRestart(givenOptions, read, first);
  const sandbox = await composeSandbox(options, around);
  try {
    const session = await joinSession(options, around, { restart, source, grantedRules, sandbox, servers });
    if (thinking !== undefined) Object.assign(session.joined.models.wishes, { thinking, chosenThinking: thinking });
    const { plan } = session.joined;
    if (plan !== undefined) plan.modeBefore = modeBeforePlan ?? plan.modeBefore;
    if (options.title !== undefined) session.choices.setTitle(titleOf(options.title));
    return session;
  } catch (error) {
    sandbox?.sandbox.dispose();
    throw error;
  }
}

/** `givenOptions`: the options of the session being replaced. `first`: the options of the first session of the chain. */
function createRestart(givenOptions: EngineOptions, read: Read, first: EngineOptions): Restart {
  return ({ grantedRules, applied, chosenThinking, modeBeforePlan, ...choices }, mcp, next) => {
    const inherited = { servers: mcp?.servers, applied, first };
    // A resumed session has choices of its own.
    if (next !== undefined && next.forkSession !== true)
      return makeSession({ ...first, ...clearedSessionOptions, ...next }, read, "resume", {
        ...inherited,
        grantedRules: [],
      });
    const options = { ...givenOptions, ...choices, ...clearedSessionOptions, ...next };
    return makeSession(options, read, next === undefined ? "clear" : "fork", {
      ...inherited,
      grantedRules,
      chosenThinking,
      modeBeforePlan,
    });
  };
}
