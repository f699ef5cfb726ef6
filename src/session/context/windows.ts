/** Context windows that a server reported, kept for a resume of the session against the same server. */
import { defaultBaseUrl, readEndpoint } from "../../model/index.ts";
import type { Store } from "../store/store-shape.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { isRecord } from "../../lib/is-record.ts";

export interface ReportedWindows {
  windows: Map<string, number>;
  onWindow(windows: ReadonlyMap<string, number>): void;
}

export function composeWindows({ restored, transcript }: Store, { env }: Surroundings): ReportedWindows {
  const endpoint = readEndpoint(env["ANTHROPIC_BASE_URL"]?.trim() || defaultBaseUrl).label;
  return {
    windows: restoredWindows(restored.windows, endpoint),
    onWindow(windows) {
      // If it cannot be written, a resume costs a refused request, and nothing else.
      transcript?.appendMeta("windows", { endpoint, windows: Object.fromEntries(windows) });
    },
  };
}

/** What a transcript says is data: read field by field. The windows of another server do not apply to this one. */
function restoredWindows(value: unknown, endpoint: string): Map<string, number> {
  const windows = new Map<string, number>();
  if (!isRecord(value) || value["endpoint"] !== endpoint || !isRecord(value["windows"])) return windows;
  for (const [model, tokens] of Object.entries(value["windows"]))
    if (Number.isSafeInteger(tokens) && (tokens as number) > 0) windows.set(model, tokens as number);
  return windows;
}
