/** A content search without ripgrep: lists the files itself and matches them in a worker thread. */
import type { ToolDependencies } from "../dependencies.ts";
import { createGlobFilter } from "./glob-filter.ts";
import type { GrepQuery } from "./grep-query.ts";
import { searchInWorker } from "./grep-worker.ts";
import type { SearchHits } from "./hits.ts";
import { listVisible } from "./list-files.ts";
import type { SearchScope } from "./ripgrep.ts";

export async function searchWithoutRipgrep(
  query: GrepQuery,
  scope: SearchScope,
  file: string | undefined,
  dependencies: ToolDependencies,
): Promise<SearchHits> {
  if (file !== undefined) return await searchInWorker(query, [Buffer.from(file)], scope);
  const { paths, endReason, hasUnread } = await listVisible(scope, { includesHidden: true }, dependencies);
  const visible = query.glob === undefined ? paths : paths.filter(await createGlobFilter(query.glob));
  const hits = await searchInWorker(query, visible, scope);
  return { ...hits, ...(hasUnread === true ? { hasUnread } : {}), ...(endReason === undefined ? {} : { endReason }) };
}
