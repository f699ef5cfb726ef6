/** The system prompt of a session: restored from its transcript, or built for a new session. */
import type { Message } from "../../protocol/message.ts";
import type { SystemBlock } from "../../protocol/model.ts";
import { environmentText } from "../../knowledge/environment.ts";
import { isRecord } from "../../lib/is-record.ts";
import { oneLine } from "../../lib/sanitize.ts";
import { textDigest } from "../../lib/text-digest.ts";
import type { OutputStyle } from "../../knowledge/output-styles.ts";
import { environmentFlag } from "../../tools/variables.ts";
import { isInRepository } from "../surroundings/machine.ts";
import type { EngineOptions } from "../options/options.ts";
import { buildSystemPrompt } from "./system-prompt.ts";
import { folderInFirstMessage } from "../tools/folder-line.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export interface SessionPromptOptions {
  options: EngineOptions;
  around: Surroundings;
  /** From the transcript: the system prompt used so far. */
  restored: unknown;
  /** The messages at the time the session begins or resumes. */
  messages: readonly Message[];
  style?: OutputStyle | undefined;
  /** Aborting it ends git. */
  signal: AbortSignal;
}

export async function sessionSystemPrompt({
  options,
  around,
  restored,
  messages,
  style,
  signal,
}: SessionPromptOptions): Promise<SystemBlock[]> {
  const { language } = around.settings;
  const kept = restoredPrompt(restored);
  const words = userTextDigest(options);
  if (kept !== null && (words === undefined || words === recordedTextDigest(restored))) return kept;
  const isApart =
    isPlaceInFirstMessage(options) && (messages.length === 0 || folderInFirstMessage(messages) !== undefined);
  const place = isApart ? undefined : await describePlace(options, around, signal);
  return buildSystemPrompt({
    custom: options.systemPrompt,
    append: options.appendSystemPrompt,
    environment: place?.environment ?? "",
    gitStatus: place?.status,
    ...(language === undefined ? {} : { language: oneLine(language, 100) }),
    ...(style === undefined ? {} : { style }),
  });
}

function isPlaceInFirstMessage({ excludeDynamicSections, systemPrompt: custom }: EngineOptions): boolean {
  return excludeDynamicSections === true && custom === undefined;
}

/** What the first message says about the place instead of the system prompt; empty if the system prompt says it. */
export async function placeForFirstMessage(
  options: EngineOptions,
  around: Surroundings,
  signal: AbortSignal,
): Promise<string> {
  if (!isPlaceInFirstMessage(options)) return "";
  const { environment, status } = await describePlace(options, around, signal);
  return status === undefined ? environment : `${environment}\n\n${status}`;
}

async function describePlace(
  options: EngineOptions,
  around: Surroundings,
  signal: AbortSignal,
): Promise<{ environment: string; status: string | undefined }> {
  const { cwd, env, machine } = around;
  const isGitRepository = isInRepository(around);
  const wantsGit = includesGitStatus(around) && isGitRepository && options.systemPrompt === undefined;
  const environment = surroundingsText(around, isGitRepository, options.addDirs);
  return { environment, status: wantsGit ? await machine.gitStatus({ cwd, env, signal }) : undefined };
}

/** What a prompt says about where the work is done. `extraFolders`: additional folders. */
export function surroundingsText(
  { cwd, machine: { platform, release } }: Pick<Surroundings, "cwd" | "machine">,
  isGitRepository: boolean,
  extraFolders: readonly string[] = [],
): string {
  return environmentText({ cwd, additionalDirectories: extraFolders, platform, release, isGitRepository });
}

/** The variable takes precedence over the setting. */
export function includesGitStatus({ env, settings }: Pick<Surroundings, "env" | "settings">): boolean {
  return !environmentFlag(env, "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS", !settings.includeGitInstructions);
}

/** What the transcript keeps: the prompt, with a digest of the user's own text, because programs pass the same text with each resume. */
export function recordedPrompt(system: readonly SystemBlock[], options: EngineOptions, restored: unknown): unknown {
  const words = userTextDigest(options) ?? recordedTextDigest(restored);
  return words === undefined ? system : system.map((block) => ({ ...block, words }));
}

/** A digest of the user's own text. */
function userTextDigest({ systemPrompt, appendSystemPrompt }: EngineOptions): string | undefined {
  if (systemPrompt === undefined && appendSystemPrompt === undefined) return undefined;
  return textDigest(JSON.stringify([systemPrompt ?? null, appendSystemPrompt ?? null]));
}

function recordedTextDigest(restored: unknown): unknown {
  const first: unknown = Array.isArray(restored) ? restored[0] : undefined;
  return isRecord(first) ? first["words"] : undefined;
}

/** A resumed session sends the same bytes: its thinking and its prompt cache are bound to them. */
export function restoredPrompt(restored: unknown): SystemBlock[] | null {
  if (!Array.isArray(restored)) return null;
  const blocks: SystemBlock[] = [];
  for (const block of restored as unknown[]) {
    if (typeof block !== "object" || block === null || !("text" in block) || typeof block.text !== "string")
      return null;
    blocks.push({ text: block.text });
  }
  const last = blocks.at(-1);
  if (last !== undefined) last.cacheBreakpoint = true;
  return blocks;
}
