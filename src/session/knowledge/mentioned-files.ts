/** Files and folders that a prompt names with an at sign: read as the Read tool would, under the same rules, and sent with the prompt. */
import { DiskSpellings, statusOf } from "../../lib/path-status.ts";
import { errorText } from "../../lib/error-text.ts";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { expandHome } from "../../lib/home-folder.ts";
import { findMentions, maxMentions, type Mention } from "../../knowledge/mentions.ts";
import { quoteName } from "../../lib/quote-name.ts";
import { blockText } from "../../protocol/block-text.ts";
import type { AttachmentMessage, ContentBlock, UserMessage } from "../../protocol/message.ts";
import type { MentionNews } from "../../protocol/mention.ts";
import type { JudgedPath, PermissionReason } from "../../protocol/permission.ts";
import type { Tool, ToolInput, ToolResult } from "../../protocol/tool.ts";
import { contentMessage } from "../store/own-records.ts";
import { attachmentRecord } from "../../protocol/new-record.ts";
import { mentionHead } from "../context/mention-head.ts";
import type { SkillRooms } from "./skill-desk.ts";
import { outsideContext, permissionRequestFor } from "../tools/outside-call.ts";

export interface MentionWorld extends SkillRooms {
  signal: AbortSignal;
  ids: { uuid(): string };
  clock: { timestamp(): string };
  /** Called for each mention of a file. Must not throw. */
  onMention?: ((news: MentionNews) => void) | undefined;
  /** Called with the id of the call that reads a file, before it does. Must not throw. */
  onRead?: ((toolUseId: string) => void) | undefined;
  /** Whether a word that names no file is for a server's resources. */
  isResource?: ((word: string) => boolean) | undefined;
}

export type MentionedFile = UserMessage | AttachmentMessage;

export interface MentioningText {
  /** Typed by a person, who may be asked about a file outside the folder. */
  typed: string;
  /** The text of the skill or command file that was started. */
  fileText: string;
}

const maxFolderEntries = 300;
const maxTotalChars = 200_000;

/** Returns messages to record, in the order in which the files are named. Names of no file are left alone. */
export async function readMentionedFiles(
  { typed, fileText }: MentioningText,
  world: MentionWorld,
): Promise<MentionedFile[]> {
  const messages: MentionedFile[] = [];
  const spellings = new DiskSpellings();
  let left = maxTotalChars;
  // One more than is read tells whether there are more.
  const byPerson = findMentions(typed, maxMentions + 1);
  const unread = byPerson.splice(maxMentions);
  const others = findMentions(fileText).filter(({ path }) => byPerson.every((mention) => mention.path !== path));
  for (const mention of [...byPerson, ...others]) {
    const key = `mention.${world.ids.uuid()}`;
    const isTyped = byPerson.includes(mention);
    const { content: blocks, ...result } = await readMention(mention, isTyped, { ...world, spellings, key });
    const size = blocks.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
    const isTooLarge = size > left;
    const { path } = result;
    if (result.outcome === "missing" && (world.isResource?.(path) === true || isPackage(path, world))) continue;
    world.onMention?.({ isTyped, ...(isTooLarge ? { path, outcome: "too_large" } : result) });
    if (blocks.length === 0) continue;
    if (isTooLarge) {
      world.markNotShown(key);
      const why = `${quoteName(mention.path)} was not read: the files that the prompt names are too large in total. Read the parts you need.`;
      messages.push(toMessage([{ type: "text", text: why }], world));
      continue;
    }
    left -= size;
    messages.push(toMessage(blocks, world));
  }
  for (const { path } of unread) world.onMention?.({ path, isTyped: true, outcome: "too_many" });
  return messages;
}

function toMessage(content: ContentBlock[], world: MentionWorld): MentionedFile {
  const [first] = content;
  if (content.length === 1 && first?.type === "text")
    return attachmentRecord({ kind: "reminder", name: "mentioned_file", text: first.text }, world);
  return contentMessage(content, world);
}

interface MentionLookup extends MentionWorld {
  spellings: DiskSpellings;
  /** Id of the call that reads the file. */
  key: string;
}

interface FoundPath {
  path: string;
  isFolder: boolean;
  mention: Mention;
}

/** The file with its own spelling on disk: accents may be composed differently in what a person types. */
function findMentioned(mention: Mention, { cwd, home, spellings }: MentionLookup): FoundPath | undefined {
  const written = resolve(cwd(), expandHome(mention.path, home));
  const path = spellings.spellingOf(written);
  const found = path === undefined ? undefined : statusOf(path);
  if (path === undefined || (found?.isFile() !== true && found?.isDirectory() !== true)) return undefined;
  return { path, isFolder: found.isDirectory(), mention };
}

/** Whether a word that names no file is for a package, such as `types/node` or `scope/name@1.0`: nothing has the scope's name here. */
function isPackage(path: string, { cwd }: MentionWorld): boolean {
  const [, scope] = /^(\w[\w.-]*)(?:\/[\w-]+)+(?:@[^/]*)?$/u.exec(path) ?? [];
  return scope !== undefined && statusOf(resolve(cwd(), scope)) === undefined;
}

type MentionOutcome = Omit<MentionNews, "path" | "isTyped">;

/** What the model is told (nothing about a missing file), and the outcome. */
interface MentionContent extends Omit<MentionNews, "isTyped"> {
  content: ContentBlock[];
}

async function readMention(typedMention: Mention, isTyped: boolean, world: MentionLookup): Promise<MentionContent> {
  let found = findMentioned(typedMention, world);
  for (const shorter of typedMention.shorter ?? []) found ??= findMentioned(shorter, world);
  const read = world.findTool("Read");
  const { path: written } = found?.mention ?? typedMention.shorter?.at(-1) ?? typedMention;
  if (read === undefined || found === undefined) return { content: [], path: written, outcome: "missing" };
  const { path, isFolder, mention } = found;
  const name = quoteName(path);
  const { from, to = from } = mention;
  const lines = from === undefined ? {} : { offset: Math.max(1, from), limit: Math.max(1, (to ?? from) - from + 1) };
  const input: ToolInput = { file_path: path, ...lines };
  const permission = await checkReadPermission(read, input, isTyped, world);
  if ("refusal" in permission) {
    const content = textOnly(`The prompt names ${name}, which was not read. ${permission.refusal}`);
    return { content, path: written, outcome: "refused", why: permission.why };
  }
  if (isFolder) {
    const { text, ...listed } = listFolder(path, world);
    const content = textOnly(`The prompt names the folder ${name}, which holds:\n${text}`);
    return { content, path: written, ...listed };
  }
  const { sessionId, signal, key } = world;
  const { judged } = permission;
  world.onRead?.(key);
  const context = outsideContext({ sessionId, key, signal, cwd: world.cwd(), judged });
  const result = await read.call(input, context, () => {});
  const head = mentionHead(path);
  const blocks: ContentBlock[] =
    typeof result.content === "string"
      ? textOnly(head + result.content)
      : [{ type: "text", text: head }, ...result.content];
  return { content: blocks, path: written, ...outcomeOfRead(result) };
}

function textOnly(text: string): ContentBlock[] {
  return [{ type: "text", text }];
}

function outcomeOfRead({ content, isError, output }: ToolResult): MentionOutcome {
  if (isError === true) return { outcome: "failed", why: blockText(content, "\n") };
  const { file } = (output ?? {}) as { file?: { numLines?: unknown; startLine?: unknown; totalLines?: unknown } };
  const { numLines: count, startLine: from, totalLines: total } = file ?? {};
  const isText = typeof count === "number" && typeof from === "number" && typeof total === "number";
  return isText ? { outcome: "read", lines: { from, count, total } } : { outcome: "read" };
}

/** Returns where the path led when it was judged, or a refusal. `refusal`: for the model; `why`: for people. */
async function checkReadPermission(
  read: Tool,
  input: ToolInput,
  isTyped: boolean,
  world: MentionWorld,
): Promise<{ refusal: string; why: string } | { judged?: readonly JudgedPath[] | undefined }> {
  const { permissions, cwd, signal, ids } = world;
  if (!isTyped) {
    const { decision, reason, judged } = await permissions.explain("Read", input, true);
    const lacks = `would need permission: ${reason}`;
    return decision === "allow" ? { judged } : { refusal: `It ${lacks}.`, why: `it ${lacks}` };
  }
  const key = `mention.${ids.uuid()}`;
  const request = { ...permissionRequestFor(read, input, { toolUseId: key, key, cwd: cwd() }), isReadOnly: true };
  const decision = await permissions.decide(request, signal);
  if (decision.behavior === "allow") return { judged: decision.judged };
  return { refusal: decision.message, why: reasonText(decision.reason) };
}

function reasonText(reason: PermissionReason): string {
  switch (reason.type) {
    case "rule":
      return `the rule ${reason.rule} (${reason.source}) forbids it`;
    case "mode":
      return `${reason.mode} mode`;
    case "user":
      return "you refused it";
    default:
      return reason.text;
  }
}

function listFolder(folder: string, { permissions }: MentionWorld): { text: string } & MentionOutcome {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !permissions.isReadDenied(resolve(folder, name)))
      .map((entry) => quoteName(entry.isDirectory() ? `${entry.name}/` : entry.name))
      .toSorted();
    const shown = entries.slice(0, maxFolderEntries).join("\n");
    const more = entries.length - maxFolderEntries;
    const text = more > 0 ? `${shown}\n[and ${more} more]` : shown;
    return { text, outcome: "listed", entries: entries.length };
  } catch (error) {
    return { text: `[It cannot be listed: ${errorText(error)}]`, outcome: "failed", why: errorText(error) };
  }
}
