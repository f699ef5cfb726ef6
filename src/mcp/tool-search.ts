/** Searches the tools that are not sent with each request. Those it finds are sent from then on. */
import { unspacedLetters } from "../lib/unspaced.ts";
import type { Tool } from "../protocol/tool.ts";
import { entryLine, type Catalog, type CatalogEntry } from "./catalog.ts";

const maxResults = 20;
const defaultResults = 5;

export function searchTool(catalog: Catalog): Tool {
  return {
    name: "ToolSearch",
    description:
      "Loads tools of MCP servers that are known by name only. Give words of what the tool should do, or select:name1,name2 for " +
      "tools whose names you know. The tools it finds can be called from the next step on.",
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", description: "Words to look for, or select: and names" },
        max_results: { type: "integer", minimum: 1, maximum: maxResults, description: `Default ${defaultResults}` },
      },
      required: ["query"],
    },
    isConcurrencySafe: () => true,
    isReadOnly: () => true,
    replay: "safe",
    maxResultSizeChars: 20_000,
    describe: ({ query }) => `Look for tools: ${String(query)}`,
    call({ query, max_results: most }) {
      const found = find(catalog.deferred(), String(query), typeof most === "number" ? most : defaultResults);
      for (const { name } of found) catalog.requestTool(name);
      const content =
        found.length === 0
          ? "None of the tools that can be loaded matches. Other words may find one."
          : `Loaded, to be called from the next step on:\n${found.map(entryLine).join("\n")}`;
      return Promise.resolve({ content, output: { matches: found.map(({ name }) => name) } });
    },
  };
}

function find(entries: readonly CatalogEntry[], query: string, maxCount: number): CatalogEntry[] {
  const selected = /^\s*select:(.*)$/isu.exec(query)?.[1];
  if (selected !== undefined) {
    const names = new Set(selected.split(",").map((name) => name.trim().toLowerCase()));
    return entries.filter(({ name }) => names.has(name.toLowerCase())).slice(0, maxResults);
  }
  const words = wordsOf(query);
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, Math.min(maxCount, maxResults))
    .map(({ entry }) => entry);
}

function folded(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

/** The words of the query. For scripts written without spaces, each pair of adjacent letters. */
function wordsOf(query: string): string[] {
  const unspaced = new RegExp(`[${unspacedLetters}]+`, "gu");
  const text = folded(query);
  const pairs = Array.from(text.matchAll(unspaced), ([run]) => Array.from(run)).flatMap((letters) =>
    letters.length === 1 ? letters : letters.slice(1).map((letter, at) => `${letters[at] ?? ""}${letter}`),
  );
  const words = text.replace(unspaced, " ").match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]+/gu) ?? [];
  return [...new Set([...words, ...pairs])];
}

/** A word in the name counts more than one in the description. */
function scoreOf({ name, definition }: CatalogEntry, words: readonly string[]): number {
  const lowName = folded(name);
  const description = folded(definition?.description ?? "");
  return words.reduce((sum, word) => sum + (lowName.includes(word) ? 3 : 0) + (description.includes(word) ? 1 : 0), 0);
}
