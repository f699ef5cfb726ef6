/** Problems of a file that a session and each of its agents read: reported to people once. */
import type { Surroundings } from "./surroundings.ts";

/** One set per session, shared with its agents. */
const noticedBySession = new WeakMap<Surroundings, Set<string>>();

interface Parts {
  around: Surroundings;
  /** Set for an agent. */
  agentRun?: { root: { around: Surroundings } } | undefined;
}

/** Returns the texts reported so far, to which the caller adds. */
export function noticedTexts(parts: Parts): Set<string> {
  const around = parts.agentRun?.root.around ?? parts.around;
  const texts = noticedBySession.get(around) ?? new Set();
  noticedBySession.set(around, texts);
  return texts;
}

export function createNoticeOnce(parts: Parts): (text: string) => void {
  const around = parts.agentRun?.root.around ?? parts.around;
  const texts = noticedTexts(parts);
  return (text) => {
    if (texts.has(text)) return;
    texts.add(text);
    around.notice(text);
  };
}
