/** Lists of what files define: name, purpose, origin. */
import { oneLine } from "../../../lib/sanitize.ts";
import type { KnowledgeSource } from "../../../protocol/knowledge.ts";

const maxLineLength = 300;
/** Maximum width of the name column. */
const maxNameWidth = 32;

interface Row {
  name: string;
  /** Details, one line each; empty lines are left out. */
  lines: readonly string[];
}

export function listText(head: string, rows: readonly Row[]): string {
  const width = Math.min(maxNameWidth, Math.max(0, ...rows.map(({ name }) => oneLine(name, 80).length)));
  const indent = " ".repeat(width + 4);
  const shown = rows.flatMap(({ name, lines }) => {
    const title = `  ${oneLine(name, 80).padEnd(width)}`;
    const [first = "", ...more] = lines
      .filter((line) => line.trim() !== "")
      .map((line) => oneLine(line, maxLineLength));
    return [`${title}  ${first}`.trimEnd(), ...more.map((line) => indent + line)];
  });
  return [head, ...shown].join("\n");
}

const originTexts: Readonly<Record<KnowledgeSource, string>> = {
  "built-in": "comes with pawl",
  option: "given by a flag or a program",
  policy: "an administrator's",
  project: "the project's",
  user: "yours",
  plugin: "a plugin's",
};

export function originText(source: KnowledgeSource, path?: string): string {
  return path === undefined ? originTexts[source] : `${originTexts[source]}, ${oneLine(path, 200)}`;
}
