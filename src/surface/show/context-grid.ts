/** Draws `/context`: squares for equal shares of the context window, with a colour per kind, or a letter without colours. */
import { apportion } from "../../lib/apportion.ts";
import { formatPercent, formatTokens } from "../../lib/format-figures.ts";
import type { ContextCategory, ContextUsage } from "../../protocol/context-usage.ts";
import type { Style } from "./style.ts";
import { wrapHanging } from "./wrap-hanging.ts";

const gridRows = 10;
/** On a narrower terminal the legend is below the squares. */
const minColumnsWithLegend = 64;
const wideColumns = 100;

/** Returns lines without line ends. */
export function contextGrid({ categories }: ContextUsage, style: Style, columns: number): string[] {
  const perRow = columns >= wideColumns ? 2 * gridRows : gridRows;
  const counts = allocateSquares(categories, gridRows * perRow);
  const marks = categories.flatMap((category, at) =>
    Array.from({ length: counts[at] ?? 0 }, () => squareMark(category, style)),
  );
  const grid = Array.from({ length: gridRows }, (_, row) => marks.slice(row * perRow, (row + 1) * perRow).join(" "));
  const width = Math.max(...categories.map(({ name }) => name.length));
  const totalTokens = categories.reduce((sum, category) => sum + category.tokens, 0);
  const legend = categories.map((category) => {
    const share = `${formatTokens(category.tokens)} (${formatPercent(category.tokens, totalTokens)})`;
    if (style.isSpoken) return `${category.name}: ${share}`;
    return `${squareMark(category, style)} ${category.name.padEnd(width)}  ${share}`;
  });
  if (style.isSpoken) return legend;
  if (columns < minColumnsWithLegend)
    return [...grid, "", ...legend.flatMap((line) => wrapHanging(line, columns).split("\n"))];
  const blank = " ".repeat(2 * perRow - 1);
  return Array.from({ length: Math.max(gridRows, legend.length) }, (_, row) =>
    `  ${grid[row] ?? blank}   ${legend[row] ?? ""}`.trimEnd(),
  );
}

/** Divides the squares among the categories. The used part is rounded up, so that it shows even if it is small. */
export function allocateSquares(categories: readonly ContextCategory[], count: number): number[] {
  const totalTokens = categories.reduce((sum, category) => sum + category.tokens, 0);
  const weights = (kinds: readonly string[]): number[] =>
    categories.map(({ kind, tokens: weight }) => (kinds.includes(kind) ? weight : 0));
  const usedTokens = weights(["used"]).reduce((sum, weight) => sum + weight, 0);
  const used = totalTokens === 0 ? 0 : Math.ceil((count * usedTokens) / totalTokens);
  const shown = apportion(used, weights(["used"]));
  const rest = apportion(count - used, weights(["free", "buffer"]));
  return categories.map(({ kind }, at) => (kind === "used" ? shown[at] : rest[at]) ?? 0);
}

const categoryLetters: Partial<Record<string, string>> = {
  system_prompt: "S",
  tools: "T",
  memory_files: "M",
  skills: "K",
  summary: "E",
  user: "Y",
  assistant: "A",
  tool_calls: "c",
  tool_results: "r",
  media: "I",
  attachments: "n",
};

function squareMark({ id, kind, color }: ContextCategory, style: Style): string {
  if (kind === "free") return style.dim("·");
  if (kind === "buffer") return style.dim(style.isPlain ? "x" : "□");
  return style.isPlain ? (categoryLetters[id] ?? "?") : style.paint(color, "■");
}
