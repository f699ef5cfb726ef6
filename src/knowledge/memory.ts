/**
 * The files people write for agents (AGENTS.md, CLAUDE.md and their kin, rules, and what those import), from the file system's root
 * down to the working folder: gathered as data for the first message. Nothing in them can grant a right.
 */
import { dirname, join, relative, sep } from "node:path";
import { brokenLink, isBrokenLink, Spellings, statusOf } from "../lib/disk-look.ts";
import { isWithin } from "../lib/is-within.ts";
import type { KnowledgeProblem } from "../protocol/knowledge.ts";
import { cleanMemory } from "./clean-memory.ts";
import { findRepository } from "./git-folder.ts";
import { readGlobs, type Globs } from "./globs.ts";
import { findImports, importedPath } from "./memory-imports.ts";
import {
  claudeHomeOf,
  memoryCandidates,
  type MemoryCandidate,
  type MemoryFile,
  type MemoryPlaces,
} from "./memory-files.ts";
import { listRules, readRule, ruleBase } from "./rules.ts";
import { boundsOf, isWithinAny, readText, realOf } from "./scan.ts";

export type { MemoryFile } from "./memory-files.ts";

export interface MemoryOptions extends MemoryPlaces {
  /** Globs of absolute paths that are left out; an administrator's files never are. */
  excludes?: readonly string[];
  /** False for what a rule forbids reading. */
  mayRead?: (path: string) => boolean;
  /** Whether files of the project may import what lies outside of it, and links lead there (`text`: its real path). Default: no. */
  mayImportOutside?: (file: string, text: string) => boolean;
  /** Of an administrator's settings; told first. */
  managed?: string;
  /** Whether imports that are not there are noticed. */
  tellsMissing?: true;
  /** Those there are, as somebody has just found them. Default: as they are found now. */
  candidates?: readonly MemoryCandidate[] | undefined;
}

export interface LoadedMemoryFile extends MemoryFile {
  /** Characters as they are told. */
  characters: number;
}

/** A rule that waits until a file it is for is read. */
export interface ScopedRule {
  file: MemoryFile;
  text: string;
  globs: readonly string[];
  /** Whether it is for this file. Absolute, real. */
  isFor(path: string): boolean;
}

export interface Memory {
  /** Every file under a heading with its path; empty where there is none. */
  text: string;
  files: LoadedMemoryFile[];
  scoped: ScopedRule[];
  /** What was left out or changed, one sentence each. */
  notices: string[];
}

const maxFileBytes = 4 * 1024 * 1024;
const maxTotalCharacters = 400_000;
const maxImportDepth = 5;
const maxImports = 500;
/** The name of a file, and of no person or package. */
const looksMeant = /^[./~]|\.(?:md|mdx|mdc|txt|json|ya?ml|toml)$/iu;

export function loadMemory(options: MemoryOptions): Memory {
  const { candidates = memoryCandidates(options) } = options;
  if (candidates.length === 0 && options.managed === undefined) return { text: "", files: [], scoped: [], notices: [] };
  const reader = new MemoryReader(options);
  reader.addManaged();
  for (const candidate of candidates) reader.add(candidate);
  return reader.memory();
}

/** Reads files one after the other, each once however often and under whatever name it is met. */
export class MemoryReader {
  readonly #options: MemoryOptions;
  readonly #bounds: string[];
  readonly #excludes: Globs | undefined;
  readonly #seen = new Set<string>();
  readonly #texts = new Set<string>();
  #size = 0;
  #importsLeft = maxImports;
  #parts: string[] = [];
  #files: LoadedMemoryFile[] = [];
  #scoped: ScopedRule[] = [];
  #notices: string[] = [];
  /** Of one reading: files may come between two. */
  #spellings = new Spellings();

  constructor(options: MemoryOptions) {
    const { cwd, pawlHome, excludes = [], added = [] } = options;
    this.#options = options;
    const folders = [findRepository(cwd) ?? cwd, claudeHomeOf(options), pawlHome, ...added];
    // Where a project's file may really lie: a link elsewhere could hand any file to the model.
    this.#bounds = folders.map((folder) => realOf(folder) ?? folder);
    this.#excludes = excludes.length === 0 ? undefined : readGlobs(excludes);
  }

  /** What was added since this was last asked. */
  memory(): Memory {
    const memory = { text: this.#parts.join("\n\n"), files: this.#files, scoped: this.#scoped, notices: this.#notices };
    [this.#parts, this.#files, this.#scoped, this.#notices] = [[], [], [], []];
    this.#spellings = new Spellings();
    return memory;
  }

  add(candidate: MemoryCandidate): void {
    if (this.#isExcluded(candidate)) return;
    if (candidate.isRules === true) this.#addRules(candidate);
    else this.#addFile(candidate);
  }

  addManaged(): void {
    const { text } = cleanMemory(this.#options.managed ?? "");
    if (text === "" || this.#texts.has(text)) return;
    this.#texts.add(text);
    this.#parts.push(`## claudeMd of the managed settings\n\n${text}`);
  }

  /** It is in the conversation already. */
  markTold(path: string): void {
    const real = realOf(path);
    if (real !== undefined) this.#seen.add(real);
  }

  /** A rule whose time has come. */
  addScoped({ file, text }: ScopedRule): void {
    if (this.#tell(file, text)) this.#addImports(file, text, 0, dirname(file.path));
  }

  #isExcluded({ path, scope }: MemoryFile): boolean {
    return scope !== "policy" && this.#excludes?.matches(path.slice(1).replaceAll(sep, "/")) === true;
  }

  #addRules({ path: folder, scope }: MemoryCandidate): void {
    const problems: KnowledgeProblem[] = [];
    const own = ruleBase(folder);
    const realOwn = realOf(own) ?? own;
    const { cwd } = this.#options;
    const base = scope === "user" ? (realOf(cwd) ?? cwd) : realOwn;
    // It may lie above the project.
    const bounds = [...this.#bounds, join(realOwn, relative(own, folder))];
    const follows = (path: string, real: string): boolean => this.#follows(path, real, bounds);
    follows(folder, realOf(folder) ?? folder);
    for (const path of listRules(folder, boundsOf(scope, bounds), problems, follows)) {
      const file: MemoryFile = { path, scope };
      if (this.#isExcluded(file)) continue;
      const read = this.#read(file, bounds);
      if (read === undefined) continue;
      const rule = readRule(path, read, problems);
      const text = this.#clean(file, rule.text);
      if (text === "") continue;
      if (rule.scope === undefined) this.addScoped({ file, text, globs: [], isFor: () => true });
      else {
        const { globs, matcher } = rule.scope;
        const isFor = (target: string): boolean =>
          isWithin(target, base) && matcher.matches(relative(base, target).replaceAll(sep, "/"));
        this.#scoped.push({ file, text, globs, isFor });
      }
    }
    for (const { path, line, reason } of problems) {
      const place = line === undefined ? path : `${path}:${line}`;
      this.#notices.push(`${place}: ${reason}.`);
    }
  }

  #addFile(file: MemoryFile): void {
    const own = dirname(file.path);
    const bounds = [...this.#bounds, realOf(own) ?? own];
    this.#follows(file.path, realOf(file.path) ?? file.path, bounds);
    const read = this.#read(file, bounds);
    const text = read === undefined ? "" : this.#clean(file, read);
    if (text !== "" && this.#tell(file, text)) this.#addImports(file, text, 0, own);
  }

  /** A link out of bounds that the folder is trusted with: what lies there is in bounds then. */
  #follows(path: string, real: string, bounds: string[]): boolean {
    if (isWithinAny(bounds, real) || this.#options.mayImportOutside?.(path, real) !== true) return false;
    bounds.push(real);
    return true;
  }

  #addImports(file: MemoryFile, text: string, depth: number, top: string): void {
    if (depth >= maxImportDepth) return;
    for (const written of findImports(text)) {
      const path = importedPath(written, file.path, this.#options.home, this.#spellings);
      const status = statusOf(path);
      // Most that are not there were never meant as imports.
      if (status === undefined && looksMeant.test(written)) this.#tellMissing(path, file);
      if (status?.isDirectory() !== false) continue;
      const imported: MemoryFile = { path, scope: this.#scopeOf(path, file), parent: file.path };
      if (this.#isExcluded(imported)) continue;
      if (--this.#importsLeft < 0) {
        if (this.#importsLeft === -1)
          this.#notices.push(`Memory files import more than ${maxImports} files; the rest was left out.`);
        return;
      }
      if (!this.#mayImport(file, imported, text, top)) {
        const why = "it lies outside the project, whose files may not import it until the folder is trusted";
        this.#notices.push(`${path} was not imported into ${file.path}: ${why}.`);
        continue;
      }
      const read = this.#read(imported, undefined);
      const own = read === undefined ? "" : this.#clean(imported, read);
      if (own !== "" && this.#tell(imported, own)) this.#addImports(imported, own, depth + 1, top);
    }
  }

  #tellMissing(path: string, file: MemoryFile): void {
    if (this.#options.tellsMissing !== true) return;
    const hint = /\.\w+$/u.test(path) ? "" : " (a blank in a path has a backslash before it)";
    this.#notices.push(`${file.path} imports ${path}, which is not there${hint}.`);
  }

  /** What the user's own file imports of the project is the project's. */
  #scopeOf(path: string, { scope }: MemoryFile): MemoryFile["scope"] {
    return scope === "user" && isWithinAny(this.#bounds.slice(0, 1), realOf(path)) ? "project" : scope;
  }

  /** `top`: the folder of the memory file that all began with; it may lie above the project. */
  #mayImport(file: MemoryFile, { path }: MemoryFile, text: string, top: string): boolean {
    if (file.scope === "user" || file.scope === "policy") return true;
    const real = realOf(path);
    const { home } = this.#options;
    const near = isWithin(home, top) ? [] : [realOf(top) ?? top];
    if (isWithinAny([...this.#bounds.slice(0, 1), ...near], real)) return true;
    return this.#options.mayImportOutside?.(file.path, text) === true;
  }

  /** `bounds` undefined: it was decided that it may be read. */
  #read({ path, scope }: MemoryFile, bounds: readonly string[] | undefined): string | undefined {
    const real = realOf(path);
    const isGone = real === undefined;
    if (this.#seen.has(real ?? path) || (isGone && !isBrokenLink(path))) return undefined;
    const leaveOut = (why: string): undefined => {
      this.#notices.push(`${path} was left out: ${why}.`);
      return undefined;
    };
    this.#seen.add(real ?? path);
    if (isGone) return leaveOut(brokenLink);
    const isOwn = scope === "user" || scope === "policy";
    if (bounds !== undefined && !isOwn && !isWithinAny(bounds, real))
      return leaveOut(`it is a link to ${real}, outside the project`);
    if (this.#options.mayRead?.(path) === false) return leaveOut("a rule forbids reading it");
    const read = readText(real, maxFileBytes);
    if (!read.ok) return leaveOut(read.why);
    if (read.isDamaged === true)
      this.#notices.push(`${path} is not all UTF-8, and what is not was replaced: save it as UTF-8.`);
    return read.text;
  }

  #clean({ path }: MemoryFile, text: string): string {
    const { text: clean, hidden, isCutByComment } = cleanMemory(text);
    if (hidden.length > 0)
      this.#notices.push(`${path} holds invisible characters (${hidden.join(", ")}); they were taken out.`);
    if (isCutByComment) this.#notices.push(`${path} has a comment that never ends; what follows it was left out.`);
    return clean;
  }

  /** False where it was told already, under another name, or is too much. */
  #tell(file: MemoryFile, text: string): boolean {
    if (this.#texts.has(text)) return false;
    if (this.#size + text.length > maxTotalCharacters) {
      const why = `the memory files together are longer than ${maxTotalCharacters} characters`;
      this.#notices.push(`${file.path} was left out: ${why}.`);
      return false;
    }
    this.#texts.add(text);
    this.#size += text.length;
    this.#files.push({ ...file, characters: text.length });
    const from = file.parent === undefined ? "" : ` (imported by ${file.parent})`;
    this.#parts.push(`## ${file.path}${from}\n\n${text}`);
    return true;
  }
}
