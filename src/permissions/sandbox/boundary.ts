/** Where confined commands of a session may write and what they do not see, looked up anew for each command. */
import { realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../paths/path-forms.ts";
import type { RulesInForce } from "../permission-options.ts";
import { isThere } from "../../lib/disk-look.ts";
import { hooksFolder, includedFiles } from "./guarded-places.ts";
import { GuardedSearch } from "./guarded-search.ts";
import { planMounts, type Mount } from "./mounts.ts";
import {
  basesOf,
  deniedByPaths,
  deniedByRules,
  placesOf,
  type DeniedPlaces,
  type RuleSurroundings,
} from "./rule-places.ts";

export interface FileRules {
  /** Absolute. What is denied may hold wildcards. */
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
  /** Of permissions, as they are now. */
  rules: () => RulesInForce;
  around: RuleSurroundings;
  /** Where sessions are kept. Absolute. */
  pawlHome: string;
  /** The session's own folder, of which `tmp` is for commands. */
  base: string;
  /** Of working folders; they may become more. */
  folders: () => readonly string[];
  /** Where long output is kept, if it is kept yet: seen, and not changed. */
  spill: () => string[];
  /** Where links in the user's own folders lead, and single files that steer the session: not changed. Default: there are none. */
  linked?: () => readonly string[];
  notice: (text: string) => void;
}

/** A user's own credentials: closed, unless `filesystem.allowRead` names them. */
const credentialNames =
  ".ssh .aws .azure .gnupg .kube .docker .config/gcloud .config/gh .password-store .netrc .git-credentials .config/git/credentials .pgpass .my.cnf .pypirc .vault-token .claude/.credentials.json .claude.json";

export class Boundary {
  readonly #options: BoundaryOptions;
  /** By the sandbox's own lists. */
  readonly #listed: DeniedPlaces;
  readonly #ownHidden: readonly string[];
  /** Real paths as they were first seen: a link that a command puts somewhere later moves none of them. */
  readonly #resolved = new Map<string, string>();
  #isLate = false;
  #hasToldCut = false;
  #hasToldGuardsCut = false;
  readonly #search = new GuardedSearch();

  constructor(options: BoundaryOptions) {
    const { files, credentials, around, pawlHome } = options;
    this.#options = options;
    this.#listed = {
      read: deniedByPaths([...files.denyRead, ...credentials], around),
      write: deniedByPaths(files.denyWrite, around),
    };
    const own = credentialNames.split(" ").map((name) => join(around.home, name));
    this.#ownHidden = [...own, join(pawlHome, "projects")].filter(
      (path) => !files.allowRead.some((opened) => isInside(opened, path)),
    );
    for (const path of [...options.folders(), ...files.allowWrite]) this.#fixed(path);
  }

  #denied(): DeniedPlaces {
    const ruled = deniedByRules(this.#options.rules());
    return { read: [...ruled.read, ...this.#listed.read], write: [...ruled.write, ...this.#listed.write] };
  }

  /** Working folders, by their real paths. */
  folders(): string[] {
    return this.#options.folders().flatMap((folder) => this.#fixed(folder) ?? []);
  }

  get isDiskOpen(): boolean {
    return this.#options.files.disabled;
  }

  /** Places that nothing may be made at, and where nothing is yet. */
  closedAndAbsent(): string[] {
    const closed = this.#denied().write.flatMap(({ base }) => (base?.isWhole === true ? [base.path] : []));
    const folders = this.folders();
    const gits = folders.map((folder) => join(folder, ".git"));
    const ofGit = gits.flatMap((git) => [hooksFolder(git) ?? [], includedFiles(git)].flat());
    return [...closed, ...ofGit, ...(this.#options.linked?.() ?? [])].filter(
      (path) => folders.some((folder) => isInside(folder, path)) && !isThere(path),
    );
  }

  mounts(): Mount[] {
    const { files, base, spill, linked } = this.#options;
    if (files.disabled) return [];
    const folders = this.folders();
    const denied = this.#denied();
    const written = placesOf(denied.write, folders);
    const unread = placesOf(denied.read, folders);
    if (written.isCut || unread.isCut) this.#tellCut();
    const guarded = this.#search.placesIn(folders);
    if (guarded.isCut) this.#tellGuardsCut();
    const kept = spill();
    const steering = linked?.().filter((path) => folders.some((folder) => isInside(folder, path))) ?? [];
    const hiddenPaths = [...new Set([...unread.paths, ...this.#ownHidden].flatMap(realPath))];
    return planMounts({
      writable: [...folders, ...files.allowWrite.flatMap((path) => this.#fixed(path) ?? [])],
      readOnly: [...guarded.readOnly, ...written.paths, ...kept, ...steering].flatMap(realPath),
      own: base,
      pinned: guarded.pinned.flatMap(realPath),
      unmoved: [...basesOf([...denied.read, ...denied.write]), ...guarded.unmoved, ...steering].flatMap(realPath),
      hidden: hiddenPaths.map((path) => ({ path, isFolder: statSync(path).isDirectory() })),
      readable: [...files.allowRead, ...kept].flatMap(realPath),
    });
  }

  /** Where it led when the session began. What was not there yet counts from when it is, as long as no link leads to it. */
  #fixed(path: string): string | undefined {
    const known = this.#resolved.get(path);
    if (known !== undefined) return known;
    const [real] = realPath(path);
    if (real === undefined || (this.#isLate && real !== path)) return undefined;
    this.#resolved.set(path, real);
    return real;
  }

  /** From now on commands have run. */
  close(): void {
    this.#isLate = true;
  }

  #tellGuardsCut(): void {
    if (this.#hasToldGuardsCut) return;
    this.#hasToldGuardsCut = true;
    this.#options.notice(
      "There are more folders here than are looked through for settings and scripts that other programs run by themselves (.git, .npmrc, .vscode, …): sandboxed commands may change those further down. Name what matters in sandbox.filesystem.denyWrite, or start pawl in a smaller folder.",
    );
  }

  #tellCut(): void {
    if (this.#hasToldCut) return;
    this.#hasToldCut = true;
    this.#options.notice(
      "There are more folders here than are looked through for what deny rules with patterns name: some of it is not closed to sandboxed commands. Name the places themselves in sandbox.filesystem.denyRead.",
    );
  }
}

function realPath(path: string): string[] {
  if (!isThere(path)) return [];
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}
