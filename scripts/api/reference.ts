// Writes the reference page of an entry: its exports with their comments.
import type { EntryDeclarations, EntryName } from "./declarations.ts";
import type { Exported } from "./rollup.ts";

const titles: Record<EntryName, string> = {
  index: "pawl",
  loop: "pawl/loop",
  protocol: "pawl/protocol",
  testing: "pawl/testing",
};

const intros: Record<EntryName, string> = {
  index: "The library: sessions, tools and servers of your own, the sessions on disk. [library.md](../library.md) shows it by example.",
  loop: "The turn loop alone, over a model, tools and ports of your own. [loop.md](../loop.md) has the rest.",
  protocol: "The words of a conversation: messages, events, ports, and what an SDK is told. Types, and a few constants.",
  testing: "A model that follows a script. [testing.md](../testing.md) has the rest.",
};

const sections = [
  ["function", "Functions"],
  ["class", "Classes"],
  ["const", "Constants"],
  ["interface", "Types"],
  ["type", "Types"],
] as const;

export function referencePage({ name, rollup }: EntryDeclarations, protocol: ReadonlySet<string>): string {
  const isShared = ({ name: exported }: Exported): boolean => name !== "protocol" && protocol.has(exported);
  const own = rollup.exports.filter((each) => !isShared(each));
  const shared = rollup.exports.filter(isShared);
  const lines = [
    `# ${titles[name]}`,
    "",
    intros[name],
    "",
    "Written by `npm run api` from the sources' comments: a change here is overwritten.",
  ];
  for (const title of new Set(sections.map(([, each]) => each))) {
    const listed = own.filter(({ declared }) => sections.some(([kind, each]) => each === title && kind === declared.kind));
    if (listed.length > 0) lines.push("", `## ${title}`, ...listed.flatMap(exportSection));
  }
  if (shared.length > 0) {
    const links = shared.map(({ name: each }) => `[${each}](protocol.md#${each.toLowerCase()})`);
    lines.push("", "## Of pawl/protocol", "", links.join(", "));
  }
  return `${lines.join("\n")}\n`;
}

const docComment = /^\/\*\*(.*?)\*\/\n/su;

function exportSection({ name, declared: { text } }: Exported): string[] {
  const commentBody = docComment.exec(text)?.[1] ?? "";
  const words = commentBody
    .split("\n")
    .map((line) => line.trim().replace(/^\* ?/u, ""))
    .join("\n")
    .trim();
  const code = text.replace(docComment, "").replaceAll(/^declare /gmu, "");
  return ["", `### ${name}`, ...(words === "" ? [] : ["", words]), "", "```ts", code, "```"];
}
