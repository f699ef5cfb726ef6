/**
 * Loads the files people write for agents (AGENTS.md, CLAUDE.md and the like, rules, and what those import), from the root of the file
 * system down to the working folder. They are gathered as data for the first message. Nothing in them can grant a permission.
 */
import { basename, dirname, join, relative, sep } from "node:path";
import { brokenLinkReason, isBrokenLink, DiskSpellings, statusOf } from "../lib/path-status.ts";
import { isWithin } from "../lib/is-within.ts";
import type { KnowledgeProblem } from "../protocol/knowledge.ts";
import { cleanMemory } from "./clean-memory.ts";
import { findRepository } from "../lib/git-repository.ts";
import { readGlobs, type Globs } from "./globs.ts";
import { findImports, importedPath } from "./memory-imports.ts";
import {
  claudeHomeOf,
  memoryCandidates,
  type MemoryCandidate,
  type MemoryFile,
  type MemoryPlaces,
} from "./memory-files.ts";
import { listRules, readRule, ruleBaseFolder } from "./rules.ts";
import { linkBounds, isWithinAny, readText, realOf } from "./scan.ts";

export interface MemoryOptions extends MemoryPlaces {
  /** Globs of absolute paths to leave out. An administrator's files are never left out. */
  excludes?: readonly string[];
  /** False for a file that a deny rule forbids reading. */
  mayRead?: (path: string) => boolean;
  /** Whether a file is kept from the model unless a person agrees. `name`: relative to the project. */
  isHeldBack?: (name: string, path: string) => boolean;
  /** Whether a project's file may import from outside it, or a link may lead outside (`text`: its real path). Default: no. */
  mayImportOutside?: (file: string, text: string) => boolean;
  /** Text from an administrator's settings; comes first. */
  managed?: string;
  /** Whether to report imports of missing files. */
  reportsMissingImports?: true;
  /** Candidates that were just found. Default: they are searched now. */
  candidates?: readonly MemoryCandidate[] | undefined;
}

export interface LoadedMemoryFile extends MemoryFile {
  /** The length of the text as the model gets it. */
  characters: number;
}

/** A rule that takes effect only once a file it applies to is read. */
export interface ScopedRule {
  file: MemoryFile;
  text: string;
  globs: readonly string[];
  /** Whether the rule applies to this file. `path` is absolute and real. */
  appliesTo(path: string): boolean;
}

export interface Memory {
  /** Every file under a heading with its path; empty if there are none. */
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
/** An import that looks like a file's name, not like a person or a package. */
const fileImport = /^[./~]|\.(?:md|mdx|mdc|txt|json|ya?ml|toml)$/iu;

export function loadMemory(options: MemoryOptions): Memory {
  const { candidates = memoryCandidates(options) } = options;
  if (candidates.length === 0 && options.managed === undefined) return { text: "", files: [], scoped: [], notices: [] };
  const reader = new MemoryReader(options);
  reader.addManaged();
  for (const candidate of candidates) reader.add(candidate);
  return reader.takeAdded();
}

/** Reads memory files one by one. Each file is read once, however often and under whatever name it occurs. */
export class MemoryReader {
  readonly #options: MemoryOptions;
  readonly #bounds: string[];
  readonly #excludes: Globs | undefined;
  readonly #readPaths = new Set<string>();
  readonly #texts = new Set<string>();
  #size = 0;
  #importsLeft = maxImports;
  #memoryTexts: string[] = [];
  #files: LoadedMemoryFile[] = [];
  #scoped: ScopedRule[] = [];
  #notices: string[] = [];
  /** For one reading only, because files may appear between readings. */
  #spellings = new DiskSpellings();

  constructor(options: MemoryOptions) {
    const { cwd, pawlHome, excludes = [], addedFolders = [] } = options;
    this.#options = options;
    const folders = [findRepository(cwd) ?? cwd, claudeHomeOf(options), pawlHome, ...addedFolders];
    // Where a project's files may really be: a link that leads elsewhere could give any file to the model.
    this.#bounds = folders.map((folder) => realOf(folder) ?? folder);
    this.#excludes = excludes.length === 0 ? undefined : readGlobs(excludes);
  }

  /** Returns what was added since the last call. */
  takeAdded(): Memory {
    const memory = {
      text: this.#memoryTexts.join("\n\n"),
      files: this.#files,
      scoped: this.#scoped,
      notices: this.#notices,
    };
    [this.#memoryTexts, this.#files, this.#scoped, this.#notices] = [[], [], [], []];
    this.#spellings = new DiskSpellings();
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
    this.#memoryTexts.push(`## claudeMd of the managed settings\n\n${text}`);
  }

  /** Marks a file as already present in the conversation. */
  markPresent(path: string): void {
    const real = realOf(path);
    if (real !== undefined) this.#readPaths.add(real);
  }

  /** Adds a rule now that a file it applies to was read. */
  addScoped({ file, text }: ScopedRule): void {
    if (this.#addText(file, text)) this.#addImports(file, text, 0, dirname(file.path));
  }

  #isExcluded({ path, scope }: MemoryFile): boolean {
    return scope !== "policy" && this.#excludes?.matches(path.slice(1).replaceAll(sep, "/")) === true;
  }

  #addRules({ path: folder, scope }: MemoryCandidate): void {
    const problems: KnowledgeProblem[] = [];
    const own = ruleBaseFolder(folder);
    const realOwn = realOf(own) ?? own;
    const { cwd } = this.#options;
    const base = scope === "user" ? (realOf(cwd) ?? cwd) : realOwn;
    // The rules folder may be above the project.
    const bounds = [...this.#bounds, join(realOwn, relative(own, folder))];
    const follows = (path: string, real: string): boolean => this.#mayFollow(path, real, bounds);
    follows(folder, realOf(folder) ?? folder);
    for (const path of listRules(folder, linkBounds(scope, bounds), problems, follows)) {
      const file: MemoryFile = { path, scope };
      if (this.#isExcluded(file)) continue;
      const read = this.#readFile(file, bounds);
      if (read === undefined) continue;
      const rule = readRule(path, read, problems);
      const text = this.#cleanText(file, rule.text);
      if (text === "") continue;
      if (rule.scope === undefined) this.addScoped({ file, text, globs: [], appliesTo: () => true });
      else {
        const { globs, matcher } = rule.scope;
        const appliesTo = (target: string): boolean =>
          isWithin(target, base) && matcher.matches(relative(base, target).replaceAll(sep, "/"));
        this.#scoped.push({ file, text, globs, appliesTo });
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
    this.#mayFollow(file.path, realOf(file.path) ?? file.path, bounds);
    const read = this.#readFile(file, bounds);
    const text = read === undefined ? "" : this.#cleanText(file, read);
    if (text !== "" && this.#addText(file, text)) this.#addImports(file, text, 0, own);
  }

  /** Whether a link out of bounds is trusted for this folder. If so, its target is added to the bounds. */
  #mayFollow(path: string, real: string, bounds: string[]): boolean {
    if (isWithinAny(bounds, real) || this.#options.mayImportOutside?.(path, real) !== true) return false;
    bounds.push(real);
    return true;
  }

  #addImports(file: MemoryFile, text: string, depth: number, top: string): void {
    if (depth >= maxImportDepth) return;
    for (const written of findImports(text)) {
      const path = importedPath(written, file.path, this.#options.home, this.#spellings);
      const status = statusOf(path);
      // Most imports of missing files were never meant as imports.
      if (status === undefined && fileImport.test(written)) this.#reportMissingImport(path, file);
      if (status?.isDirectory() !== false) continue;
      const imported: MemoryFile = { path, scope: this.#scopeOf(path, file), parent: file.path };
      if (this.#isExcluded(imported)) continue;
      if (--this.#importsLeft < 0) {
        if (this.#importsLeft === -1)
          this.#notices.push(`Memory files import more than ${maxImports} files; the rest was left out.`);
        return;
      }
      if (!this.#mayImport(file, imported, text, top)) {
        const why = "it is outside the project, whose files may not import it until the folder is trusted";
        this.#notices.push(`${path} was not imported into ${file.path}: ${why}.`);
        continue;
      }
      const read = this.#readFile(imported, undefined);
      const own = read === undefined ? "" : this.#cleanText(imported, read);
      if (own !== "" && this.#addText(imported, own)) this.#addImports(imported, own, depth + 1, top);
    }
  }

  #reportMissingImport(path: string, file: MemoryFile): void {
    if (this.#options.reportsMissingImports !== true) return;
    const hint = /\.\w+$/u.test(path) ? "" : " (a blank in a path needs a backslash before it)";
    this.#notices.push(`${file.path} imports ${path}, which does not exist${hint}.`);
  }

  /** A project file that the user's own file imports counts as the project's. */
  #scopeOf(path: string, { scope }: MemoryFile): MemoryFile["scope"] {
    return scope === "user" && isWithinAny(this.#bounds.slice(0, 1), realOf(path)) ? "project" : scope;
  }

  /** Whether an import is allowed. `top`: the folder of the memory file at the start of the import chain; it may be above the project. */
  #mayImport(file: MemoryFile, { path }: MemoryFile, text: string, top: string): boolean {
    if (file.scope === "user" || file.scope === "policy") return true;
    const real = realOf(path);
    const { home } = this.#options;
    const near = isWithin(home, top) ? [] : [realOf(top) ?? top];
    if (isWithinAny([...this.#bounds.slice(0, 1), ...near], real)) return true;
    return this.#options.mayImportOutside?.(file.path, text) === true;
  }

  /** Reads a memory file. `bounds` undefined: reading it was already approved. */
  #readFile({ path, scope }: MemoryFile, bounds: readonly string[] | undefined): string | undefined {
    const real = realOf(path);
    const isGone = real === undefined;
    if (this.#readPaths.has(real ?? path) || (isGone && !isBrokenLink(path))) return undefined;
    const leaveOut = (why: string): undefined => {
      this.#notices.push(`${path} was left out: ${why}.`);
      return undefined;
    };
    this.#readPaths.add(real ?? path);
    if (isGone) return leaveOut(brokenLinkReason);
    const isOwn = scope === "user" || scope === "policy";
    if (bounds !== undefined && !isOwn && !isWithinAny(bounds, real))
      return leaveOut(`it is a link to ${real}, outside the project`);
    const name = isWithin(real, this.#bounds[0] ?? "/") ? relative(this.#bounds[0] ?? "/", real) : basename(real);
    if (!isOwn && this.#options.isHeldBack?.(name, real) === true)
      return leaveOut("its name suggests that it holds secrets, and git does not track it");
    if (this.#options.mayRead?.(path) === false) return leaveOut("a rule forbids reading it");
    const read = readText(real, maxFileBytes);
    if (!read.ok) return leaveOut(read.why);
    if (read.isDamaged === true)
      this.#notices.push(`${path} is not entirely UTF-8, so invalid bytes were replaced: save it as UTF-8.`);
    return read.text;
  }

  #cleanText({ path }: MemoryFile, text: string): string {
    const { text: clean, hidden, isCutByComment } = cleanMemory(text);
    if (hidden.length > 0)
      this.#notices.push(`${path} contains invisible characters (${hidden.join(", ")}); they were removed.`);
    if (isCutByComment) this.#notices.push(`${path} has a comment that never ends; what follows it was left out.`);
    return clean;
  }

  /** Adds a file's text. Returns false if the same text was added under another name, or if it would exceed the limit. */
  #addText(file: MemoryFile, text: string): boolean {
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
    this.#memoryTexts.push(`## ${file.path}${from}\n\n${text}`);
    return true;
  }
}
