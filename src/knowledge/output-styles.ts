/** Output styles: how answers are given, by a name that settings choose. Either built in, or a Markdown file with the instructions. */
import { basename } from "node:path";
import { isFolder, isKnownToExist } from "../lib/path-status.ts";
import type { KnowledgeProblem, KnowledgeSource } from "../protocol/knowledge.ts";
import { Fields } from "./fields.ts";
import { readFrontMatter } from "./front-matter.ts";
import { linkBounds, readText, scanFolder } from "./scan.ts";

export interface OutputStyle {
  name: string;
  description: string;
  /** Appended to the system prompt. */
  text: string;
  /** Whether the instructions for coding stay in the prompt. */
  keepsCoding: boolean;
  /** Set by a plugin: the style applies whenever the plugin is enabled, whatever settings choose. */
  isForced?: true;
  source: KnowledgeSource;
  /** Absolute; absent for a built-in style. */
  path?: string;
}

const builtIn = (name: string, description: string, text: string): OutputStyle => ({
  name,
  description,
  text,
  keepsCoding: true,
  source: "built-in",
});

/** The default style is not listed: it is the unchanged prompt. */
export const builtInStyles: readonly OutputStyle[] = [
  builtIn(
    "Concise",
    "as little as answers the question",
    "Answer in as few words as carry the answer. Leave out what the user can see, did not ask, or knows.",
  ),
  builtIn(
    "Explanatory",
    "says why, while it works",
    "While you work, explain what is worth knowing about this code base and about the choices you make: before and after a change, two or three sentences on the reason, the alternative, the pattern it follows. Explain in your answers, not in comments of the code.",
  ),
  builtIn(
    "Learning",
    "leaves small, telling parts to the user",
    "Help the user learn by doing. Where a piece of five to ten lines decides something (a rule, an algorithm, an error case), prepare its surroundings, mark the place with a TODO(human), say what is to be decided and what speaks for each way, and wait for the user to write it. Do the rest yourself, and say briefly why.",
  ),
  builtIn(
    "Proactive",
    "acts without asking back where that can be undone",
    "Do what the task evidently needs without asking back, where it can be undone; say what you assumed. Ask only where a wrong guess would cost much.",
  ),
];

export interface FoundStyles {
  /** One for each name, the one with precedence; without built-in styles. */
  styles: OutputStyle[];
  problems: KnowledgeProblem[];
}

/** A folder of styles, or one file. */
export interface StylePlace {
  folder: string;
  source: KnowledgeSource;
  /** Put before each name, with a colon. */
  prefix?: string;
}

export interface FindStylesOptions {
  /** Highest precedence first. */
  places: readonly StylePlace[];
  bounds: readonly string[];
  trusts: (path: string, text: string) => boolean;
}

/** Finds styles. A project's styles count only if they are trusted, because they go into the system prompt. Never throws. */
export async function findStyles({ places, bounds, trusts }: FindStylesOptions): Promise<FoundStyles> {
  const found: FoundStyles = { styles: [], problems: [] };
  for (const { folder, source, prefix } of places.filter((place) => isKnownToExist(place.folder))) {
    const scanned = isFolder(folder)
      ? scanFolder(folder, { accepts: (name) => name.endsWith(".md"), bounds: linkBounds(source, bounds) })
      : { paths: [folder], problems: [] };
    found.problems.push(...scanned.problems);
    for (const path of scanned.paths) {
      const read = readText(path);
      if (!read.ok) found.problems.push({ path, reason: read.why });
      else if (source === "project" && !trusts(path, read.text))
        found.problems.push({ path, reason: "it needs trust, because it would go into the system prompt" });
      else {
        const { style: own, problems } = await readStyle(read.text, path, source);
        const style = prefix === undefined ? own : { ...own, name: `${prefix}:${own.name}` };
        found.problems.push(...problems);
        if (!found.styles.some(({ name }) => name === style.name)) found.styles.push(style);
      }
    }
  }
  return found;
}

async function readStyle(
  text: string,
  path: string,
  source: KnowledgeSource,
): Promise<{ style: OutputStyle; problems: KnowledgeProblem[] }> {
  const matter = await readFrontMatter(text, { mayBeLate: true });
  const fields = new Fields(matter.fields, path, (field) => matter.lineOf(field));
  const style: OutputStyle = {
    name: (fields.text("name") ?? basename(path, ".md")).normalize("NFC"),
    description: fields.text("description") ?? "",
    text: matter.body.trim(),
    keepsCoding: fields.flag("keep-coding-instructions") === true,
    ...(source === "plugin" && fields.flag("force-for-plugin") === true ? { isForced: true } : {}),
    source,
    path,
  };
  return { style, problems: [...matter.problems.map((problem) => ({ path, ...problem })), ...fields.problems] };
}

/** Returns the first forced style. */
export function forcedStyle(styles: readonly OutputStyle[]): OutputStyle | undefined {
  return styles.find(({ isForced }) => isForced);
}

/** Returns the style of this name, ignoring case; undefined if there is none. Files take precedence over built-in styles. */
export function chooseStyle(wantedName: string, styles: readonly OutputStyle[]): OutputStyle | undefined {
  const name = wantedName.trim().normalize("NFC").toLowerCase();
  return [...styles, ...builtInStyles].find((style) => style.name.toLowerCase() === name);
}
