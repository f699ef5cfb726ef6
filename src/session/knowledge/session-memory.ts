/** Memory in a session: what its first message contains, and what files that are read later bring in. */
import { resolve } from "node:path";
import { localDay } from "../../lib/local-day.ts";
import type { MemoryCandidate, MemoryFile, MemoryPlaces } from "../../knowledge/memory-files.ts";
import type { MemoryOptions } from "../../knowledge/memory.ts";
import type { NestedMemory } from "../../knowledge/nested-memory.ts";
import { realOf } from "../../knowledge/scan.ts";
import type { Attachment, Message } from "../../protocol/message.ts";
import { reminderTexts } from "../../protocol/reminders.ts";
import { claudeHome } from "../../settings/paths.ts";
import { environmentFlag } from "../../tools/variables.ts";
import { memoryTypes, type HookOccasions } from "../hooks/hook-occasions.ts";
import type { ReattachItem } from "../../context/reattach-item.ts";
import { memoryListing, noMemory, type MemoryListing } from "./memory-listing.ts";
import type { NestedSkills } from "./nested-skills.ts";
import { addedFolderText } from "./announcements.ts";
import {
  isMissingFrom,
  memoryParts,
  memoryTextsIn,
  refreshedReminder,
  refreshedText,
  removedFilesText,
} from "./told-memory.ts";
import { createMemoryTrust } from "./trusted.ts";
import { autoMemoryOf, notesText } from "../memory/auto-memory.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { buildUserContext, type UserContext } from "./system-prompt.ts";
import { innermostCopy } from "../surroundings/isolation.ts";
import { isSecretImport } from "../../permissions/paths/secret-import.ts";

/** The name of the reminder with the memory files of nested folders. */
const nestedReminder = "nested_memory";

const noAttachments: readonly Attachment[] = [];

export type MemoryType = (typeof memoryTypes)[keyof typeof memoryTypes];

export interface SessionMemoryOptions {
  options: EngineOptions;
  around: Surroundings;
  /** Reports a problem to people. */
  notice: (problem: string) => void;
  occasions: HookOccasions;
  messages: () => readonly Message[];
  mayRead: (path: string) => boolean;
  /** Follows the memory: the first message that the session's lead agent has the user say. */
  opening: string | undefined;
  place: () => UserContext["place"];
  /** True for an agent that gets no memory files. */
  isBare: boolean;
  /** The session continues from an earlier time: files may have changed since. */
  isResumed: boolean;
  /** Lines about the skills that the model may start. */
  skills: () => string[];
  nestedSkills: Pick<NestedSkills, "noteRead" | "news">;
}

export class SessionMemory {
  readonly #options: SessionMemoryOptions;
  /** Files read since the last border, and where each path led then. */
  readonly #read = new Map<string, string>();
  #nested: NestedMemory | undefined;
  /** How many nested texts the conversation had at the last border with files read. */
  #nestedTextCount = 0;
  /** Found for the first message. */
  #candidates: readonly MemoryCandidate[] | undefined;
  /** Folders added since the last border. */
  readonly #folders: string[] = [];
  /** By path; filled on first use. */
  #scopes: Map<string, MemoryFile["scope"]> | undefined;
  /** Whether the files' current content has been compared with what the conversation was told. */
  #isCompared: boolean;

  constructor(options: SessionMemoryOptions) {
    this.#options = options;
    this.#isCompared = !options.isResumed;
  }

  /** Looks up the files for the first message, unless there is one, together with others requested in this tick. Never rejects. */
  ready(): Promise<void> | undefined {
    const { around, messages, isBare } = this.#options;
    if (isBare || messages().length > 0 || around.machine.memoryFiles === undefined) return undefined;
    const found = around.machine.memoryFiles(this.#memoryPlaces());
    return found.then((candidates) => void (this.#candidates = candidates)).catch(() => undefined);
  }

  /** The text of the first message. `isPreview`: a preview, which triggers no notices or hooks. */
  context(timestamp: string, isPreview = false): string {
    const { opening = "" } = this.#options;
    const gathered = this.#buildContext(timestamp, isPreview);
    return opening === "" ? gathered : `${gathered}\n\n${opening}`;
  }

  #buildContext(timestamp: string, isPreview: boolean): string {
    const { around, notice, occasions, options, isBare, place } = this.#options;
    const always = { place: place(), skills: this.#options.skills(), today: localDay(timestamp, around.env["TZ"]) };
    if (isBare) return buildUserContext({ ...always, memory: "", notes: "" });
    const candidates = isPreview ? undefined : this.#candidates;
    this.#candidates = undefined;
    const memory = around.machine.memory({ ...this.#memoryOptions(), candidates });
    for (const text of isPreview ? [] : memory.notices) notice(text);
    if (!isPreview) occasions.instructionsLoaded(memory.files, { load_reason: "session_start" });
    const kept = areMemoryFilesDisabled(around) ? undefined : autoMemoryOf(around, options);
    const notes = kept === undefined ? "" : notesText(kept);
    return buildUserContext({ ...always, memory: memory.text, notes });
  }

  /** The memory type of a file in the first message. For a file that is gone: the project's. */
  typeOf(path: string): MemoryType {
    this.#scopes ??= new Map(
      this.#options.around.machine.memory(this.#memoryOptions()).files.map(({ path: known, scope }) => [known, scope]),
    );
    return memoryTypes[this.#scopes.get(path) ?? "project"];
  }

  /** Adds a working folder. Absolute. */
  noteAddedFolder(folder: string): void {
    this.#folders.push(folder);
  }

  /** `real`: the file's real path, if already known. */
  noteRead(path: string, real = realOf(path)): void {
    if (real === undefined) return;
    this.#read.set(path, real);
    this.#options.nestedSkills.noteRead(real);
  }

  /** For the next border: what the files read and folders added since the last one bring in. */
  news(): Attachment[] {
    const changed = this.#isCompared ? noAttachments : this.#changesBeforeResume();
    return [...changed, ...this.#addedFolders(), ...this.#nestedMemory(), ...this.#options.nestedSkills.news()];
  }

  /** Appended after everything sent, which stays as it was, and cached. Without notes: a session knows its own. */
  #changesBeforeResume(): Attachment[] {
    this.#isCompared = true;
    const kept = this.#options.messages();
    const removedText = removedFilesText(kept);
    const texts = [...this.#changedFiles(kept, "session_start"), ...(removedText === "" ? [] : [removedText])];
    return texts.length === 0 ? [] : [{ kind: "reminder", name: refreshedReminder, text: refreshedText(texts) }];
  }

  #addedFolders(): Attachment[] {
    const added = this.#folders.splice(0);
    return added.map((folder) => ({ kind: "reminder", name: "working_folder", text: addedFolderText(folder) }));
  }

  #nestedMemory(): readonly Attachment[] {
    if (this.#read.size === 0 || this.#options.isBare) return noAttachments;
    const { around, notice, occasions, messages } = this.#options;
    // If nothing was sent yet, there is nothing to search for in a long conversation.
    const before =
      this.#nested === undefined || this.#nestedTextCount > 0 ? reminderTexts(messages(), nestedReminder) : [];
    this.#nested ??= around.machine.nestedMemory(this.#memoryOptions(), before);
    // A compaction dropped a text, or its place was taken out: it may be sent again.
    if (before.length < this.#nestedTextCount) this.#nested.restart(before);
    const { memories, notices } = this.#nested.read(this.#read);
    this.#nestedTextCount = before.length + memories.length;
    this.#read.clear();
    for (const text of notices) notice(text);
    return memories.map(({ text, files, trigger, globs }) => {
      const reason =
        globs === undefined ? { load_reason: "nested_traversal" } : { load_reason: "path_glob_match", globs };
      occasions.instructionsLoaded(files, { ...reason, trigger_file_path: trigger });
      return {
        kind: "reminder",
        name: nestedReminder,
        text: `For the files you work with now, these instructions hold too:\n\n${text}`,
      };
    });
  }

  /** After a compaction: current memory files that the first message does not contain. `keptMessages`: the messages that stay. */
  changedItems(keptMessages: readonly Message[]): ReattachItem[] {
    const { around, options, isBare } = this.#options;
    const auto = isBare || areMemoryFilesDisabled(around) ? undefined : autoMemoryOf(around, options);
    const notes = auto === undefined ? "" : notesText(auto);
    const own = notes !== "" && isMissingFrom(keptMessages, notes) ? [notes] : [];
    const texts = [...this.#changedFiles(keptMessages, "compact"), ...own];
    if (texts.length === 0) return [];
    return [{ label: "instructions that have changed", name: refreshedReminder, text: refreshedText(texts) }];
  }

  /** The texts of files that `keptMessages` does not contain. */
  #changedFiles(keptMessages: readonly Message[], load_reason: string): string[] {
    const { around, occasions, isBare } = this.#options;
    if (isBare || memoryTextsIn(keptMessages).length === 0) return [];
    const memory = around.machine.memory(this.#memoryOptions());
    const fresh = memoryParts(memory).filter(({ text, path }) => isMissingFrom(keptMessages, text, path));
    const paths = new Set(fresh.map(({ path }) => path));
    occasions.instructionsLoaded(
      memory.files.filter(({ path }) => paths.has(path)),
      { load_reason },
    );
    return fresh.map(({ text }) => text);
  }

  /** For inspection: the files as they are now. */
  listing(): MemoryListing {
    const { around, options, messages, isBare } = this.#options;
    const isOff = isBare || areMemoryFilesDisabled(around);
    const notes = isOff ? undefined : autoMemoryOf(around, options)?.folder;
    const memory = isBare ? noMemory : around.machine.memory(this.#memoryOptions());
    return memoryListing(memory, reminderTexts(messages(), nestedReminder), { notes, isOff });
  }

  #memoryOptions(): MemoryOptions {
    const { around, mayRead } = this.#options;
    const { knowledge, claudeMd } = around.settings;
    return {
      ...this.#memoryPlaces(),
      excludes: knowledge.claudeMdExcludes,
      mayRead,
      isHeldBack: isSecretImport,
      mayImportOutside: createMemoryTrust(around),
      ...(claudeMd === undefined ? {} : { managed: claudeMd }),
    };
  }

  #memoryPlaces(): MemoryPlaces {
    const { around, options } = this.#options;
    const { cwd, env, pawlHome, home, settings, isolation } = around;
    return {
      cwd,
      home,
      pawlHome,
      claudeConfigDir: claudeHome(env, home),
      instructions: settings.projectInstructions,
      // An administrator's files are always included.
      sources: areMemoryFilesDisabled(around) ? [] : options.settingSources,
      ...(environmentFlag(env, "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD", false)
        ? { addedFolders: (options.addDirs ?? []).map((folder) => resolve(cwd, folder)) }
        : {}),
      ...(isolation === undefined ? {} : { copy: innermostCopy(isolation) }),
    };
  }
}

/** The user wants no memory files. */
function areMemoryFilesDisabled({ env }: Pick<Surroundings, "env">): boolean {
  return environmentFlag(env, "CLAUDE_CODE_DISABLE_CLAUDE_MDS", false);
}
