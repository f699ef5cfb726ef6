/**
 * Settings that change while a session runs. Restrictions apply from the next tool call on. Permissions, and settings that run or steer
 * something, wait for the next prompt, so that nothing a turn writes widens what that turn may do. A broken file changes nothing.
 */
import { errorText } from "../../lib/error-text.ts";
import { loadOnce } from "../../lib/load-once.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { OwnedHooks, Runners } from "../../hooks/run.ts";
import type { Permissions } from "../../permissions/permissions.ts";
import type { WrittenRules } from "../../permissions/rules/rule.ts";
import type { PermissionPort } from "../../protocol/permission.ts";
import { isFollowed } from "./followed.ts";
import { leaveDisabledMode, combineLocks, locksOf, type Locks } from "./settings-locks.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { commandKeys } from "../../settings/keys.ts";
import type { Settings, SettingsRule } from "../../settings/settings.ts";
import type { SettingsReading, SessionTrust, SettingsWatch } from "../../settings/settings-watch.ts";
import type { WatchedFile } from "../../settings/watched-files.ts";

const loadUnfollowedChanges = loadOnce(() => import("./unfollowed-changes.ts"));

/** The parts of a session that change with its settings. */
export interface LiveTargets {
  permissions: Permissions;
  hooks: OwnedHooks;
  /** Includes the rules of flags. */
  rulesOf(settings: Settings): WrittenRules;
  foldersOf(settings: Settings): string[];
  /** Throws if a guard hook is invalid. */
  runnersOf(settings: Settings): Promise<Runners>;
  setEnvironment(added: Settings["env"]): void;
}

export interface LiveSettingsOptions {
  watch: SettingsWatch;
  notice: (text: string) => void;
  debug: (line: string) => void;
}

const hookSources = {
  user: "user_settings",
  project: "project_settings",
  local: "local_settings",
  policy: "policy_settings",
} as const;

/** The keys that govern hooks. */
const hookKeys = ["disableAllHooks", "allowManagedHooksOnly", "allowedHttpHookUrls", "httpHookAllowedEnvVars"] as const;

export class LiveSettings {
  readonly #options: LiveSettingsOptions;
  readonly #reportedTexts: Set<string>;
  #targets: LiveTargets | undefined;
  /** The change being applied; later callers wait for it. */
  #work: Promise<void> | null = null;
  /** Files with changes that wait for the next prompt. */
  readonly #waitingFiles = new Set<string>();
  /** The settings as read for the last prompt (`#atLastPrompt`) and at the start (`#atStart`). */
  #atLastPrompt: LoadedSettings;
  readonly #atStart: LoadedSettings;
  #locks: Locks;
  /** The object that the session and its agents share; its permissions and hooks are replaced in place. */
  readonly #shared: Settings;

  constructor(options: LiveSettingsOptions) {
    this.#options = options;
    this.#shared = options.watch.loaded.settings;
    this.#atStart = this.#atLastPrompt = options.watch.loaded;
    this.#locks = locksOf(this.#shared);
    this.#reportedTexts = new Set(options.watch.loaded.problems.map(({ text }) => text));
  }

  attach(targets: LiveTargets): void {
    this.#targets = targets;
  }

  get trust(): SessionTrust | undefined {
    return this.#options.watch.trust;
  }

  /** Settings that the host has changed since the session began. */
  get applied(): Readonly<JsonObject> | undefined {
    return this.#options.watch.applied;
  }

  /** Returns the settings that hold the value in force for a key; `key`: as written in settings. */
  settingsInForce(key: string): LoadedSettings {
    return isFollowed(key) || key in (this.applied ?? {}) ? this.#atLastPrompt : this.#atStart;
  }

  apply(over: Readonly<JsonObject>): void {
    this.#options.watch.apply(over);
  }

  /** What nobody may do, whatever is asked or answered. */
  get locks(): Readonly<Locks> {
    return this.#locks;
  }

  /** Wraps the permissions of the session or of one of its agents so that current restrictions apply. */
  withCurrentSettings(permissions: Permissions): PermissionPort {
    return {
      decide: (request, signal) =>
        this.#work === null && !this.#options.watch.hasChanged()
          ? permissions.decide(request, signal)
          : this.#queueChanges(false, signal).then(() => permissions.decide(request, signal)),
    };
  }

  /** Applies all changes since the last prompt. Never rejects. */
  async applyAtPrompt(signal: AbortSignal): Promise<void> {
    if (this.isStale()) await this.#queueChanges(true, signal);
  }

  /** Applies new restrictions, as the next call would. Never rejects. */
  async applyAtCall(signal: AbortSignal): Promise<void> {
    if (this.#work !== null || this.#options.watch.hasChanged()) await this.#queueChanges(false, signal);
  }

  /** Whether the next prompt will find other settings than the last one. */
  isStale(): boolean {
    return this.#work !== null || this.#waitingFiles.size > 0 || this.#options.watch.hasChanged();
  }

  #queueChanges(isPrompt: boolean, signal: AbortSignal): Promise<void> {
    const before = this.#work ?? Promise.resolve();
    const work = before
      .then(() => this.#readAndApply(isPrompt, signal))
      .catch((error: unknown) =>
        this.#reportOnce(`Changed settings could not be applied (${errorText(error)}): the old ones still count.`),
      )
      .finally(() => {
        if (this.#work === work) this.#work = null;
      });
    this.#work = work;
    return work;
  }

  async #readAndApply(isPrompt: boolean, signal: AbortSignal): Promise<void> {
    const { watch } = this.#options;
    const targets = this.#targets;
    if (targets === undefined) return;
    const changed = watch.takeChanges();
    if (changed.length > 0) watch.accept(await this.#read(changed, targets, signal));
    for (const { path, origin } of changed) if (origin !== "trust") this.#waitingFiles.add(path);
    const { settings } = watch.loaded;
    const locks = locksOf(settings);
    this.#locks = isPrompt ? locks : combineLocks(this.#locks, locks);
    leaveDisabledMode(targets.permissions, this.#locks, this.#options.notice);
    if (!isPrompt) {
      this.#shared.permissions = narrowPermissions(this.#shared.permissions, settings.permissions);
      targets.permissions.narrowRules(targets.rulesOf(settings));
      return;
    }
    const isTrust = changed.some(({ origin }) => origin === "trust");
    if (this.#waitingFiles.size === 0 && !isTrust) return;
    await this.#apply(settings, targets);
    for (const problem of watch.loaded.problems) if (problem.level === "notice") this.#reportOnce(problem.text);
  }

  /** Reads the settings, leaving unchanged every file that is broken, that a hook refused, or that lost its trust. */
  async #read(
    changedFiles: readonly WatchedFile[],
    targets: LiveTargets,
    signal: AbortSignal,
  ): Promise<SettingsReading> {
    const { watch, debug } = this.#options;
    let reading = watch.read();
    const isChanged = (path: string): boolean => changedFiles.some((file) => file.path === path);
    const brokenFiles = this.#brokenOf(reading.loaded, targets).filter(
      ([path]) => isChanged(path) && watch.keepEarlier(path),
    );
    for (const [path, why] of brokenFiles) this.#reportOnce(`${why} What ${path} said before still counts.`);
    for (const { path, origin } of changedFiles) {
      if (origin === "trust" || origin === "flag" || watch.isUnread(path)) continue;
      if (brokenFiles.some(([held]) => held === path)) continue;
      const isRefused = await this.#isRefused(path, hookSources[origin], targets.hooks, signal);
      if (isRefused && origin !== "policy" && watch.keepEarlier(path))
        debug(`settings ${path}: a ConfigChange hook keeps it as it was`);
      // Hooks that were cancelled have not approved the change.
      else if (signal.aborted && origin !== "policy" && targets.hooks.has("ConfigChange")) watch.postpone(path);
    }
    reading = watch.read();
    return this.#lostTrust(reading.loaded) ? this.#keepTrustedSettings(reading, changedFiles) : reading;
  }

  #brokenOf({ layers, problems, settings }: LoadedSettings, targets: LiveTargets): [string, string][] {
    const files = layers.filter(({ isBroken }) => isBroken).map(({ source }) => source.name);
    const changes = files.map((file): [string, string] => {
      const why = problems.find(({ source, text }) => source === file && !this.#reportedTexts.has(text))?.text;
      return [file, (why ?? `${file} cannot be understood.`).replace(/ Until it is fixed, .*$/u, "")];
    });
    const rules = targets.permissions.problemsOf(targets.rulesOf(settings)).filter(({ level }) => level === "error");
    return [...changes, ...rules.map(({ source, text }): [string, string] => [source, text])];
  }

  async #isRefused(path: string, source: string, hooks: OwnedHooks, signal: AbortSignal): Promise<boolean> {
    if (!hooks.has("ConfigChange")) return false;
    const answer = await hooks.run({ hook_event_name: "ConfigChange", source, file_path: path }, signal);
    for (const { text } of answer.notices) this.#options.notice(text);
    return answer.blocking.length > 0;
  }

  #lostTrust({ project }: LoadedSettings): boolean {
    const before = this.#options.watch.loaded.project;
    return before?.isTrusted === true && before.wants.length > 0 && project !== undefined && !project.isTrusted;
  }

  /** The trusted settings still apply, including their guards; of the new content only restrictions apply. */
  #keepTrustedSettings(reading: SettingsReading, changedFiles: readonly WatchedFile[]): SettingsReading {
    const { watch } = this.#options;
    const own = changedFiles.filter(({ origin }) => origin === "project" || origin === "local");
    const held = own.filter(({ path }) => watch.keepEarlier(path));
    const before = watch.read();
    if (held.length === 0 || before.loaded.project?.isTrusted !== true) return reading;
    const { deny, ask } = reading.loaded.settings.permissions;
    const { permissions } = before.loaded.settings;
    permissions.deny = [...permissions.deny, ...deny];
    permissions.ask = [...permissions.ask, ...ask];
    const names = held.map(({ path }) => path).join(", ");
    this.#reportOnce(
      `${names} changed, and this folder is not trusted as it is now: new deny and ask rules apply; otherwise the settings that were trusted stay in force. "pawl trust add" trusts it as it is.`,
    );
    return before;
  }

  async #apply(settings: Settings, targets: LiveTargets): Promise<void> {
    this.#shared.permissions = settings.permissions;
    this.#shared.hooks = settings.hooks;
    for (const key of [...commandKeys, ...hookKeys]) {
      delete this.#shared[key];
      if (settings[key] !== undefined) Object.assign(this.#shared, { [key]: settings[key] });
    }
    this.#shared.env = settings.env;
    targets.permissions.replaceRules(targets.rulesOf(settings), targets.foldersOf(settings));
    targets.setEnvironment(settings.env);
    try {
      targets.hooks.replace(await targets.runnersOf(settings));
    } catch (error) {
      this.#reportOnce(`${errorText(error)} The previous hooks stay in use.`);
    }
    const { changedUnfollowedKeys } = await loadUnfollowedChanges();
    // A model that the host sets also changes the session's model.
    const { applied = {} } = this;
    const { watch } = this.#options;
    const found = watch.loaded;
    const old = changedUnfollowedKeys(this.#atLastPrompt, found).filter((key) => !(key in applied));
    const later = old.length === 0 ? "" : ` ${old.join(", ")}: from the next session on.`;
    this.#atLastPrompt = found;
    const counted = [...this.#waitingFiles].filter((path) => !watch.isHeld(path) && !watch.isUnread(path));
    if (counted.length > 0) this.#options.notice(`${counted.join(", ")} changed and counts from now on.${later}`);
    this.#waitingFiles.clear();
  }

  #reportOnce(text: string): void {
    if (this.#reportedTexts.has(text)) return;
    this.#reportedTexts.add(text);
    this.#options.notice(text);
  }
}

/** For agents that start now: restrictions of either version, and permissions that both versions grant. */
function narrowPermissions(old: Settings["permissions"], updated: Settings["permissions"]): Settings["permissions"] {
  const nameOf = ({ rule, source }: SettingsRule): string => JSON.stringify([rule, source]);
  const kept = new Set(updated.allow.map(nameOf));
  return {
    ...old,
    allow: old.allow.filter((rule) => kept.has(nameOf(rule))),
    deny: [...old.deny, ...updated.deny],
    ask: [...old.ask, ...updated.ask],
  };
}
