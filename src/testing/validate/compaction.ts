/**
 * On-demand compaction, by its documentation page: what must not be combined with the parameter, and where and how a signed summary
 * may be sent back.
 */
import { asText, isObject, type WireRequest } from "../wire/types.ts";
import type { BlockFacts } from "../wire/facts.ts";
import type { Prompt } from "../wire/prompt.ts";
import { checkShape } from "./shape.ts";
import type { CheckContext, Report } from "./report.ts";

const compactionBeta = "compact-2026-09-04";
const maxInstructionsLength = 16_384;

export function asksForSummary(body: Record<string, unknown>): boolean {
  return isObject(body["compaction"]);
}

/** Checks the request's own fields. */
export function checkCompactionRequest(body: Record<string, unknown>, context: CheckContext): void {
  const { compaction } = body;
  if (!isObject(compaction)) return;
  const { report, betas, traits } = context;
  if (!betas.has(compactionBeta)) {
    report.add("compaction", `the \`compaction\` parameter requires anthropic-beta: ${compactionBeta}`);
    return;
  }
  if (!traits.compaction) report.add("compaction", `\`compaction\` is not supported on ${asText(body["model"])}`);
  const shape = { required: { type: "string" }, optional: { instructions: "string" } } as const;
  checkShape(compaction, shape, "compaction", (at, message) => report.add(at, message));
  if (compaction["type"] !== "summarize") report.add("compaction.type", "Input should be 'summarize'");
  const { instructions } = compaction;
  if (typeof instructions === "string" && instructions.length > maxInstructionsLength)
    report.add("compaction.instructions", `String should have at most ${maxInstructionsLength} characters`);
  if (context.options.operation !== "count_tokens") checkCombinations(body, report);
}

function checkCombinations(body: Record<string, unknown>, report: Report): void {
  const never = (what: string): void => report.add("compaction", `\`${what}\` cannot be combined with \`compaction\``);
  if (body["context_management"] !== undefined) never("context_management");
  if (body["stop_sequences"] !== undefined) never("stop_sequences");
  const { output_config: output, tool_choice: choice } = body;
  if (isObject(output) && output["format"] !== undefined) never("output_config.format");
  if (isObject(choice) && (choice["type"] === "any" || choice["type"] === "tool"))
    never(`tool_choice.${choice["type"]}`);
}

/** Checks the summary that is sent back, and the turn that is to be summarised. */
export function checkSummaryBlocks(body: WireRequest, prompt: Prompt, context: CheckContext): void {
  const { report, betas } = context;
  const found = summaryBlocksIn(prompt, betas.has("compact-2026-01-12"));
  const usesSummary = found.length > 0 || asksForSummary(body);
  if (usesSummary && hasRemainingBudget(body)) {
    report.add(
      "output_config.task_budget.remaining",
      "`remaining` cannot be set with `compaction` or a `compaction` block",
    );
  }
  if (asksForSummary(body)) checkWhatIsSummarised(prompt, report);
  const first = found[0];
  if (first === undefined) return;
  if (!betas.has(compactionBeta) || !context.traits.compaction) {
    report.add(first.path, "Input tag 'compaction' found using 'type' does not match any of the expected tags");
    return;
  }
  if (found.length > 1) {
    report.addCode(
      "compaction_block_ambiguous",
      first.path,
      "a request can carry only one `compaction` block; send the newest",
    );
  } else if (first.path !== "messages.0.content.0") {
    const text = "`compaction` block must be sent first, in place of the messages it summarizes; remove those messages";
    report.addCode("compaction_block_misplaced", first.path, text);
  } else checkSeal(first, report);
}

interface FoundSummary {
  path: string;
  facts: BlockFacts;
}

/** With `takesUnsigned`, skips unsigned blocks: they come from compaction at a threshold and follow what they summarise. */
function summaryBlocksIn(prompt: Prompt, takesUnsigned: boolean): FoundSummary[] {
  const found: FoundSummary[] = [];
  prompt.messages.forEach((message, index) => {
    message.blocks.forEach((facts, inner) => {
      const isUnsigned = takesUnsigned && facts.block["signature"] === undefined;
      if (facts.type === "compaction" && !isUnsigned) found.push({ path: `messages.${index}.content.${inner}`, facts });
    });
  });
  return found;
}

function checkSeal({ path, facts }: FoundSummary, report: Report): void {
  if (facts.isAltered) {
    report.addCode(
      "compaction_content_mismatch",
      path,
      "the `compaction` block's content does not match its signature",
    );
  } else if (facts.seal === undefined) {
    report.addCode("compaction_signature_invalid", path, "Invalid `signature` in `compaction` block");
  }
}

function checkWhatIsSummarised({ messages }: Prompt, report: Report): void {
  const spokenMessages = messages.filter(({ role }) => role !== "system");
  if (!spokenMessages.some(({ blocks }) => blocks.some((facts) => facts.type !== "compaction"))) {
    report.addCode("compaction_nothing_to_summarize", "messages", "there is nothing to summarize");
  }
  const last = messages.at(-1);
  if (last?.role === "assistant" && last.blocks.some((facts) => facts.type === "tool_use")) {
    const text = "the last `assistant` turn ends in a tool call that has no result yet";
    report.addCode("compaction_incomplete_turn", `messages.${messages.length - 1}`, text);
  }
}

function hasRemainingBudget(body: WireRequest): boolean {
  const budget = body.output_config?.["task_budget"];
  return isObject(budget) && budget["remaining"] !== undefined && budget["remaining"] !== null;
}
