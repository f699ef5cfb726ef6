/** Plans as files, for people and hooks: each plan gets its own file and never replaces another. */
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { errorText, hasErrorCode } from "../../lib/error-text.ts";
import { makeFolders } from "../../lib/make-folders.ts";
import { recordPlan } from "../../transcript/plan-log.ts";
import { expandHome } from "../../lib/home-folder.ts";

export interface PlanPlaces {
  /** The setting `plansDirectory`: absolute, or relative to the home or the session's folder. */
  plansDirectory: string | undefined;
  cwd: string;
  home: string;
  sessionId: string;
  /** Returns the session's own folder, and creates it. */
  ownFolder: () => string;
  /** Recorded there so that the plan is removed with the session. Undefined: the session has no transcript. */
  transcriptPath: string | undefined;
  notice: (text: string) => void;
}

const maxNumberedFiles = 1_000;

export class PlanFiles {
  readonly #places: PlanPlaces;
  #last: { plan: string; path: string } | undefined;
  #next = 1;
  #hasFailed = false;

  constructor(places: PlanPlaces) {
    this.#places = places;
  }

  /** Returns the absolute path of the plan's file; undefined if it cannot be written, with a notice the first time. */
  save(plan: string): string | undefined {
    if (this.#last?.plan === plan) return this.#last.path;
    try {
      const path = this.#write(plan);
      this.#last = { plan, path };
      return path;
    } catch (error) {
      this.#reportFailure(errorText(error));
      return undefined;
    }
  }

  #write(plan: string): string {
    const { plansDirectory, cwd, home, sessionId, ownFolder, transcriptPath } = this.#places;
    const folder = plansDirectory === undefined ? ownFolder() : resolve(cwd, expandHome(plansDirectory, home));
    if (plansDirectory !== undefined) makeFolders(folder, 0o700);
    const name = plansDirectory === undefined ? "plan" : `plan-${sessionId}`;
    for (; this.#next <= maxNumberedFiles; this.#next++) {
      const path = join(folder, `${name}${this.#next === 1 ? "" : `-${this.#next}`}.md`);
      if (!writeIfNew(path, plan)) continue;
      if (plansDirectory !== undefined && transcriptPath !== undefined) recordPlan(transcriptPath, path);
      return path;
    }
    throw new Error(`${folder} holds ${maxNumberedFiles} plans of this session`);
  }

  #reportFailure(why: string): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const { plansDirectory, notice } = this.#places;
    const remedy = plansDirectory === undefined ? "" : " See the setting plansDirectory.";
    notice(`The plan is in the conversation only: it cannot be kept as a file (${why}).${remedy}`);
  }
}

/** Returns false if that name already exists, even as a link. */
function writeIfNew(path: string, plan: string): boolean {
  try {
    writeFileSync(path, plan.endsWith("\n") ? plan : `${plan}\n`, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (hasErrorCode(error, "EEXIST")) return false;
    throw error;
  }
}
