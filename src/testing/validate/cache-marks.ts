/** Cache breakpoints: at most four, those with the longer lifetime first. */
import type { CacheTtl } from "../wire/facts.ts";
import type { Prompt } from "../wire/prompt.ts";
import { isObject, type WireRequest } from "../wire/types.ts";
import type { CheckContext } from "./report.ts";

interface Mark {
  path: string;
  ttl: CacheTtl;
}

export function checkCacheMarks(body: WireRequest, prompt: Prompt, { report }: CheckContext): void {
  const marks = cacheMarksIn(prompt);
  const automatic = body["cache_control"];
  const count = countMarks(prompt) + (isObject(automatic) ? 1 : 0);
  if (count > 4) report.add("", `A maximum of 4 blocks with cache_control may be provided. Found ${count}.`);
  if (isObject(automatic)) {
    const ttl: CacheTtl = automatic["ttl"] === "1h" ? "1h" : "5m";
    const target = prompt.messages.at(-1)?.blocks.at(-1)?.ttl;
    if (target !== undefined && target !== ttl) {
      report.add(
        "",
        `Top-level cache_control has ttl='${ttl}' but the target block already has cache_control with ttl='${target}'`,
      );
    }
    marks.push({ path: "", ttl });
  }
  const firstShort = marks.findIndex((mark) => mark.ttl === "5m");
  const late = marks.find((mark, index) => mark.ttl === "1h" && firstShort >= 0 && index > firstShort);
  if (late !== undefined) {
    report.add(
      `${late.path === "" ? "" : `${late.path}.`}cache_control.ttl`,
      "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: tools, system, messages.",
    );
  }
}

function cacheMarksIn(prompt: Prompt): Mark[] {
  const marks: Mark[] = [];
  const add = (path: string, ttl: CacheTtl | undefined) => {
    if (ttl !== undefined) marks.push({ path, ttl });
  };
  prompt.tools.forEach((tool, index) => add(`tools.${index}`, tool.ttl));
  prompt.system.forEach((block, index) => add(`system.${index}`, block.ttl));
  prompt.messages.forEach((message, index) => {
    message.blocks.forEach((block, inner) => add(`messages.${index}.content.${inner}`, block.ttl));
  });
  return marks;
}

/** Counts the marks inside tool results one by one, unlike `cacheMarksIn`. */
function countMarks(prompt: Prompt): number {
  let count = 0;
  for (const facts of [...prompt.tools, ...prompt.system, ...prompt.messages.flatMap((message) => message.blocks)]) {
    if (facts.ttl === undefined) continue;
    if (isObject(facts.block["cache_control"])) count++;
    const content = facts.block["content"];
    if (!Array.isArray(content)) continue;
    for (const inner of content as unknown[]) if (isObject(inner) && isObject(inner["cache_control"])) count++;
  }
  return count;
}
