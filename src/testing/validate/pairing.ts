/** Tool calls and results: each call is answered once, in the very next user message, ahead of any text. */
import { asText, type WireBlock } from "../wire/types.ts";
import type { Prompt } from "../wire/prompt.ts";
import type { CheckContext } from "./report.ts";

interface PlacedBlock {
  block: WireBlock;
  message: number;
  index: number;
}

/** Built only for the report, because a long conversation has thousands of places. */
function blockPath({ message, index }: PlacedBlock): string {
  return `messages.${message}.content.${index}`;
}

/** Consecutive messages of one role, merged as the API does. */
interface RoleGroup {
  role: string;
  first: number;
  placed: PlacedBlock[];
}

export function checkPairing(prompt: Prompt, context: CheckContext): void {
  const groups = groupByRole(prompt);
  const seen = new Set<string>();
  groups.forEach((group, index) => {
    const next = groups[index + 1];
    if (group.role === "assistant") {
      checkUniqueIds(group, seen, context);
      checkAnswered(group, next, context);
      checkServerUses(group, next, prompt, context);
    } else if (group.role === "user") {
      checkResults(group, groups[index - 1], context);
    }
  });
}

function groupByRole(prompt: Prompt): RoleGroup[] {
  const groups: RoleGroup[] = [];
  prompt.messages.forEach((message, messageIndex) => {
    let group = groups.at(-1);
    if (group === undefined || group.role !== message.role) {
      group = { role: message.role, first: messageIndex, placed: [] };
      groups.push(group);
    }
    for (const [blockIndex, facts] of message.blocks.entries()) {
      group.placed.push({ block: facts.block, message: messageIndex, index: blockIndex });
    }
  });
  return groups;
}

function toolUseIds(group: RoleGroup): string[] {
  return group.placed.flatMap(({ block }) => (block.type === "tool_use" ? [asText(block["id"])] : []));
}

function checkUniqueIds(group: RoleGroup, seenIds: Set<string>, { report }: CheckContext): void {
  for (const placed of group.placed) {
    const { block } = placed;
    if (block.type !== "tool_use" && block.type !== "server_tool_use") continue;
    const id = asText(block["id"]);
    if (seenIds.has(id)) report.add(blockPath(placed), "`tool_use` ids must be unique");
    seenIds.add(id);
  }
}

function checkAnswered(group: RoleGroup, next: RoleGroup | undefined, { report }: CheckContext): void {
  const calls = toolUseIds(group);
  if (calls.length === 0) return;
  const answered = new Set(next?.role === "user" ? leadingResults(next) : []);
  const missing = calls.filter((id) => !answered.has(id));
  if (missing.length === 0) return;
  report.add(
    `messages.${group.first}`,
    `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

/** Results after the first block of another kind do not count: the API requires results to come first. */
function leadingResults(group: RoleGroup): string[] {
  const ids: string[] = [];
  for (const { block } of group.placed) {
    if (block.type !== "tool_result") break;
    ids.push(asText(block["tool_use_id"]));
  }
  return ids;
}

function checkResults(group: RoleGroup, before: RoleGroup | undefined, { report }: CheckContext): void {
  const calls = new Set(before?.role === "assistant" ? toolUseIds(before) : []);
  const results = new Set<string>();
  for (const placed of group.placed) {
    const { block } = placed;
    if (block.type !== "tool_result") continue;
    const id = asText(block["tool_use_id"]);
    if (results.has(id)) {
      report.add(
        blockPath(placed),
        `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    } else if (!calls.has(id)) {
      report.add(
        blockPath(placed),
        `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    results.add(id);
  }
}

/** A server tool call needs its result in the same message, unless the server has yet to run it. */
function checkServerUses(group: RoleGroup, next: RoleGroup | undefined, prompt: Prompt, context: CheckContext): void {
  const { report } = context;
  const open = new Map<string, PlacedBlock & { name: string }>();
  for (const placed of group.placed) {
    const { block } = placed;
    if (block.type === "server_tool_use") {
      open.set(asText(block["id"]), { ...placed, name: asText(block["name"]) });
    } else if (block.type.endsWith("_tool_result")) {
      const id = asText(block["tool_use_id"]);
      if (!open.delete(id) && block.type !== "mcp_tool_result") {
        report.add(
          blockPath(placed),
          `unexpected \`tool_use_id\` found in \`${block.type}\` blocks: ${id}. Each \`${block.type}\` block must have a corresponding \`server_tool_use\` block before it.`,
        );
      }
    }
  }
  if (open.size === 0) return;
  const onlyResults = next === undefined || next.placed.every(({ block }) => block.type === "tool_result");
  const isLast = prompt.messages.at(-1)?.role === "assistant" ? next === undefined : isLastUser(prompt, next);
  const offered = new Set(prompt.tools.map((tool) => asText(tool.block["name"])));
  for (const [id, placed] of open) {
    const { name } = placed;
    const text = `\`${name}\` tool use with id \`${id}\` was found without a corresponding \`${name}_tool_result\` block`;
    if (!isLast || !onlyResults) report.add(blockPath(placed), text);
    else if (!offered.has(name)) report.add(blockPath(placed), `${text}, but no ${name} tool was provided.`);
  }
}

function isLastUser(prompt: Prompt, next: RoleGroup | undefined): boolean {
  return next !== undefined && next.first + 1 >= prompt.messages.length;
}
