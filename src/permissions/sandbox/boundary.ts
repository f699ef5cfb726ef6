/** Where confined commands may write and what they cannot see, determined again for each command. */
import { realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../paths/path-forms.ts";
import type { RulesInForce } from "../permission-options.ts";
import { pathExists } from "../../lib/path-status.ts";
import { hooksFolder, includedFiles } from "./guarded-places.ts";
import { GuardedSearch } from "./guarded-search.ts";
import { planMounts, type Mount } from "./mounts.ts";
import {
  fixedBases,
  deniedByPaths,
  deniedByRules,
  findNamedPlaces,
  type DeniedPlaces,
  type RuleSurroundings,
} from "./rule-places.ts";

export interface FileRules {
  /** Absolute paths. Those that deny may contain wildcards. */
  allowWrite: readonly string[];
  denyWrite: readonly string[];
  denyRead: readonly string[];
  allowRead: readonly string[];
  disabled: boolean;
}

export interface BoundaryOptions {
  files: FileRules;
  /** Files with credentials that settings name. */
  credentials: readonly string[];
  /** The permission rules as they are now. */
  rules: () => RulesInForce;
  around: RuleSurroundings;
  /** The folder that holds the sessions. Absolute. */
  pawlHome: string;
  /** The session's own folder, whose `tmp` is for commands. */
  base: string;
  /** The working directories; more may be added. */
  folders: () => readonly string[];
  /** Where long output is stored, if it already is: readable, but not writable. */
  spill: () => string[];
  /** Targets of links in the user's folders, and single files that steer the session: not writable. Default: none. */
  steeringPaths?: () => readonly string[];
  notice: (text: string) => void;
}

/** The user's credentials, hidden unless `filesystem.allowRead` names them. */
const credentialNames =
  ".ssh .aws .azure .gnupg .kube .docker .config/gcloud .config/gh .password-store .netrc .git-credentials .config/git/credentials .pgpass .my.cnf .pypirc .vault-token .claude/.credentials.json .claude.json";

const guardsCutText =
  "There are too many folders here to search them all for settings and scripts that other programs run by themselves (.git, .npmrc, .vscode, …): sandboxed commands may change those further down. Name what matters in sandbox.filesystem.denyWrite, or start pawl in a smaller folder.";
const rulesCutText =
  "There are too many folders here to search them all for what deny rules with patterns name: some of it is not closed to sandboxed commands. Name the places themselves in sandbox.filesystem.denyRead.";

export class Boundary {
  readonly #options: BoundaryOptions;
  /** Places denied by the sandbox's own lists. */
  readonly #listedPlaces: DeniedPlaces;
  readonly #ownHidden: readonly string[];
  /** Real paths as first resolved: a link that a command creates later does not move them. */
  readonly #realPaths = new Map<string, string>();
  #haveCommandsRun = false;
  readonly #reportedTexts = new Set<string>();
  readonly #search = new GuardedSearch();

  constructor(options: BoundaryOptions) {
    const { files, credentials, around, pawlHome } = options;
    this.#options = options;
    this.#listedPlaces = {
      read: deniedByPaths([...files.denyRead, ...credentials], around),
      write: deniedByPaths(files.denyWrite, around),
    };
    const own = credentialNames.split(" ").map((name) => join(around.home, name));
    this.#ownHidden = [...own, join(pawlHome, "projects")].filter(
      (path) => !files.allowRead.some((openPath) => isInside(openPath, path)),
    );
    for (const path of [...options.folders(), ...files.allowWrite]) this.#firstRealPath(path);
  }

  #deniedPlaces(): DeniedPlaces {
    const ruled = deniedByRules(this.#options.rules());
    return { read: [...ruled.read, ...this.#listedPlaces.read], write: [...ruled.write, ...this.#listedPlaces.write] };
  }

  /** The real paths of the working directories. */
  folders(): string[] {
    return this.#options.folders().flatMap((folder) => this.#firstRealPath(folder) ?? []);
  }

  get isDiskOpen(): boolean {
    return this.#options.files.disabled;
  }

  /** Places where nothing may be created and nothing exists yet. */
  absentClosedPaths(): string[] {
    const closed = this.#deniedPlaces().write.flatMap(({ base }) => (base?.isWhole === true ? [base.path] : []));
    const folders = this.folders();
    const gits = folders.map((folder) => join(folder, ".git"));
    const ofGit = gits.flatMap((git) => [hooksFolder(git) ?? [], includedFiles(git)].flat());
    return [...closed, ...ofGit, ...(this.#options.steeringPaths?.() ?? [])].filter(
      (path) => folders.some((folder) => isInside(folder, path)) && !pathExists(path),
    );
  }

  mounts(): Mount[] {
    const { files, base, spill, steeringPaths } = this.#options;
    if (files.disabled) return [];
    const folders = this.folders();
    const denied = this.#deniedPlaces();
    const written = findNamedPlaces(denied.write, folders);
    const unread = findNamedPlaces(denied.read, folders);
    if (written.isCut || unread.isCut) this.#reportOnce(rulesCutText);
    const guarded = this.#search.placesIn(folders);
    if (guarded.isCut) this.#reportOnce(guardsCutText);
    const kept = spill();
    const steering = steeringPaths?.().filter((path) => folders.some((folder) => isInside(folder, path))) ?? [];
    const hiddenPaths = [...new Set([...unread.paths, ...this.#ownHidden].flatMap(realPaths))];
    return planMounts({
      writable: [...folders, ...files.allowWrite.flatMap((path) => this.#firstRealPath(path) ?? [])],
      readOnly: [...guarded.readOnly, ...written.paths, ...kept, ...steering].flatMap(realPaths),
      ownFolder: base,
      pinned: guarded.pinned.flatMap(realPaths),
      unmoved: [...fixedBases([...denied.read, ...denied.write]), ...guarded.unmoved, ...steering].flatMap(realPaths),
      hidden: hiddenPaths.map((path) => ({ path, isFolder: statSync(path).isDirectory() })),
      readable: [...files.allowRead, ...kept].flatMap(realPaths),
    });
  }

  /** Where the path led when the session began. A path that did not exist then counts once it exists, unless it leads through a link. */
  #firstRealPath(path: string): string | undefined {
    const known = this.#realPaths.get(path);
    if (known !== undefined) return known;
    const [real] = realPaths(path);
    if (real === undefined || (this.#haveCommandsRun && real !== path)) return undefined;
    this.#realPaths.set(path, real);
    return real;
  }

  /** Marks that commands have run from now on. */
  markCommandsRun(): void {
    this.#haveCommandsRun = true;
  }

  #reportOnce(text: string): void {
    if (this.#reportedTexts.has(text)) return;
    this.#reportedTexts.add(text);
    this.#options.notice(text);
  }
}

function realPaths(path: string): string[] {
  if (!pathExists(path)) return [];
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}
