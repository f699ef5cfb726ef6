/** A content search without ripgrep: lists the files itself and matches them in a worker thread. */
import type { ToolDependencies } from "../dependencies.ts";
import type { GrepQuery } from "./grep-query.ts";
import { searchInWorker } from "./grep-worker.ts";
import type { SearchHits } from "./hits.ts";
import { listVisible } from "./list-files.ts";
import { withLiteralNames } from "./literal-names.ts";
import type { SearchScope } from "./ripgrep.ts";

export async function searchWithoutRipgrep(
  query: GrepQuery,
  scope: SearchScope,
  file: string | undefined,
  dependencies: ToolDependencies,
): Promise<SearchHits> {
  if (file !== undefined) return await searchInWorker(query, [Buffer.from(file)], scope);
  const { paths, endReason, hasUnread } = await listVisible(scope, { includesHidden: true }, dependencies);
  const hits = await searchInWorker(query, await filterByGlob(paths, query.glob), scope);
  return { ...hits, ...(hasUnread === true ? { hasUnread } : {}), ...(endReason === undefined ? {} : { endReason }) };
}

async function filterByGlob(paths: readonly Buffer[], glob: string | undefined): Promise<readonly Buffer[]> {
  if (glob === undefined) return paths;
  const { default: picomatch } = await import("picomatch");
  const isNegative = glob.startsWith("!");
  const pattern = isNegative ? glob.slice(1) : glob;
  // A slash at the beginning stands for the searched folder.
  const isMatch = picomatch(withLiteralNames(pattern.replace(/^\//, "")), {
    dot: true,
    basename: !pattern.includes("/"),
    nonegate: true,
    flags: "s",
  });
  return paths.filter((path) => isMatch(path.toString()) !== isNegative);
}
