/**
 * Collects what a project's knowledge would permit or run if the folder were trusted: tools that its skills, commands and agents
 * pre-approve, shell lines and hooks in them, and memory from outside the project. Everything is read as plain text, so that nothing has to
 * be parsed first: what is not seen here is not trusted later.
 */
import { dirname, join } from "node:path";
import type { MemoryPlaces } from "./memory-files.ts";
import { describeOutsideMemory } from "./outside-memory.ts";
import { knowledgeRoots, type KnowledgeRoots } from "./knowledge-places.ts";
import { readText, realOf, scanFolder, scanSkills } from "./scan.ts";

export interface KnowledgeEvidence {
  /** In words, such as `rights in 2 skills`. */
  wants: string[];
  /** The texts of the files that want something, by path. */
  texts: Map<string, string>;
  /** Shell lines and approvals in them: the files they name belong to what was seen. */
  commands: { text: string; cwd: string }[];
}

const kinds = ["skills", "commands", "agents", "output-styles"] as const;
/** Front matter that permits or runs something, wherever it is in the line. A false match only means that a file is looked at once more. */
const grantingField = /^["']?(?:allowed-tools|hooks|mcpServers|permissionMode|memory)["']?\s*:/mu;
/** Matches a fence anywhere in a line: anchored at the beginning of each line, many empty lines would cost hours. */
const shellLine = /(?:^|\s)!`([^`\n]+)`|```!/mu;

/** Collects the evidence. `roots`: roots that were just found; default: they are searched now. */
export function knowledgeEvidence(
  places: MemoryPlaces & { claudeHome: string },
  { top, project, skills }: KnowledgeRoots = knowledgeRoots(places),
): KnowledgeEvidence {
  const found: KnowledgeEvidence = { wants: [], texts: new Map(), commands: [] };
  for (const kind of kinds) {
    const roots = kind === "skills" ? skills.filter(({ source }) => source === "project") : project;
    const folders = roots.map(({ folder }) => join(folder, kind));
    const accepts = (name: string): boolean => /\.md$/iu.test(name);
    const scanned = folders.flatMap((folder) =>
      kind === "skills" ? scanSkills(folder, [top]).paths : scanFolder(folder, { accepts, bounds: [top] }).paths,
    );
    const isStyle = kind === "output-styles";
    // Links may make a file appear in several folders.
    const number = new Set(
      scanned.filter((path) => collectEvidence(path, isStyle, places.cwd, found)).map((path) => realOf(path) ?? path),
    ).size;
    const kindName = number === 1 ? kind.slice(0, -1) : kind;
    if (number > 0)
      found.wants.push(isStyle ? `${number} ${kindName.replace("-", " ")}` : `rights in ${number} ${kindName}`);
  }
  found.wants.push(...describeOutsideMemory(places, top, found.texts));
  return found;
}

/** Whether a file wants something. `isStyle`: all of it goes into the system prompt. */
function collectEvidence(path: string, isStyle: boolean, cwd: string, evidence: KnowledgeEvidence): boolean {
  const read = readText(path);
  if (!read.ok || !(isStyle || grantingField.test(read.text) || shellLine.test(read.text))) return false;
  evidence.texts.set(path, read.text);
  // Hooks and servers name their programs in the lines below their fields.
  const all = read.text.replace(/^\ufeff/u, "").split(/\r\n?|\n/u);
  const head = frontMatterLines(all);
  const frontMatter = new Set(grantingField.test(head.join("\n")) ? head : []);
  let isBelowFence = false;
  const relevantLines = all.filter((line) => {
    isBelowFence ||= line.includes("```!");
    return isBelowFence || frontMatter.has(line) || grantingField.test(line) || line.includes("!`");
  });
  const text = relevantLines.join("\n");
  // What it names after CLAUDE_SKILL_DIR is in its own folder.
  evidence.commands.push({ text, cwd }, { text, cwd: dirname(path) });
  return true;
}

/** Returns the lines between the first two `---` lines. */
function frontMatterLines(lines: readonly string[]): string[] {
  const isBorder = (line: string): boolean => line.trimEnd() === "---";
  const from = lines.findIndex(isBorder) + 1;
  const length = lines.slice(from).findIndex(isBorder);
  return length < 0 ? [] : lines.slice(from, from + length);
}
