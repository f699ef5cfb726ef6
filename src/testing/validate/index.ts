/** Combines the checks, in the order in which a client would learn of the faults: the first is the text of the 400. */
import { canonicalModel, modelTable, permissiveTraits, type ModelTraits } from "../models.ts";
import { promptOf, type Prompt } from "../wire/prompt.ts";
import { isObject, type WireMessage, type WireRequest } from "../wire/types.ts";
import { checkCacheControl, localFindings } from "./blocks.ts";
import { checkCacheMarks } from "./cache-marks.ts";
import { checkContextManagement } from "./context-management.ts";
import { checkCompactionRequest, checkSummaryBlocks } from "./compaction.ts";
import { checkConversation } from "./conversation.ts";
import { betasOf, checkHeaders, isLatest, normaliseHeaders } from "./headers.ts";
import { checkRemovedFields, checkUserCitations } from "./latest-version.ts";
import { checkMedia } from "./media-limits.ts";
import { checkModelRules } from "./model-rules.ts";
import { checkPairing } from "./pairing.ts";
import { Report, type CheckContext, type ValidationOptions, type ValidationState, type Violation } from "./report.ts";
import { checkThinkingBlocks, type Transformation } from "./thinking.ts";
import { checkTools } from "./tools.ts";
import { checkTopLevel, continuesThread, isTraversable } from "./top-level.ts";

export { createValidationState, type ValidationOptions, type ValidationState, type Violation } from "./report.ts";
export { normaliseHeaders } from "./headers.ts";

export interface Examination {
  violations: Violation[];
  /** Present if the body could be traversed at all. */
  prompt?: Prompt;
  traits?: ModelTraits;
  transformations: Transformation[];
  /** The request continues a conversation that the server is expected to hold. */
  continuesThread?: true;
}

const defaultTable = modelTable();

/**
 * Validates one request as the API would.
 *
 * @param body the parsed JSON body.
 * @param headers names in any case.
 * @param state from `createValidationState()`. Kept over a conversation, it makes repeated checks of a growing history cheap;
 * messages must then not be changed in place. Without it, every call starts afresh.
 * @returns an empty list for a valid request, else every violation found, in the API's order.
 */
export function validateRequest(
  body: unknown,
  headers: Record<string, string>,
  state?: ValidationState,
  options: ValidationOptions = {},
): Violation[] {
  return examineRequest(body, headers, state, options).violations;
}

export function examineRequest(
  body: unknown,
  headers: Record<string, string>,
  state: ValidationState | undefined,
  options: ValidationOptions,
): Examination {
  const report = new Report();
  const lowerCase = normaliseHeaders(headers);
  checkHeaders(lowerCase, options, report);
  const betas = betasOf(lowerCase);
  const result: Examination = { violations: report.violations, transformations: [] };
  if (!checkTopLevel(body, betas, options, report)) return result;
  if (continuesThread(body)) return { ...result, continuesThread: true };
  const traits = traitsFor(body["model"], options, report);
  const latest = isLatest(lowerCase) && options.endpoint !== "compatible";
  const context: CheckContext = { report, betas, isLatest: latest, traits, options, state };
  if (latest) checkRemovedFields(body, context);
  checkModelRules(body, context);
  if (options.endpoint !== "compatible") {
    checkContextManagement(body, context);
    checkCompactionRequest(body, context);
  }
  checkEveryMessage(body, context);
  if (!isTraversable(body)) return result;
  const request = body as unknown as WireRequest;
  const prompt = promptOf(request, state?.memo);
  checkTools(body, context);
  checkSystem(request, context);
  checkConversation(request, prompt, context);
  if (latest) checkUserCitations(request.messages, context);
  if (options.endpoint !== "compatible") checkSummaryBlocks(request, prompt, context);
  checkPairing(prompt, context);
  if (options.endpoint !== "compatible") result.transformations = checkThinkingBlocks(request, prompt, context);
  if (options.depth !== "light") {
    checkCacheMarks(request, prompt, context);
    checkMedia(prompt, context);
  }
  return { ...result, prompt, traits };
}

function traitsFor(model: unknown, options: ValidationOptions, report: Report): ModelTraits {
  const found = typeof model === "string" ? (options.models ?? defaultTable).find(model) : undefined;
  if (found === undefined && typeof model === "string" && options.endpoint !== "compatible") {
    report.addStatus(404, "not_found_error", `model: ${canonicalModel(model) === "" ? "(empty)" : model}`);
  }
  return found ?? permissiveTraits;
}

function checkEveryMessage(body: Record<string, unknown>, { report, state }: CheckContext): void {
  if (!Array.isArray(body["messages"])) return;
  body["messages"].forEach((message: unknown, index) => {
    if (!isObject(message)) return;
    for (const finding of localFindings(message as unknown as WireMessage, state)) {
      report.add(finding.path === "" ? "messages" : `messages.${index}.${finding.path}`, finding.message);
    }
  });
}

function checkSystem(request: WireRequest, { report }: CheckContext): void {
  if (!Array.isArray(request.system)) return;
  request.system.forEach((block, index) => {
    if (block.type !== "text") {
      report.add(`system.${index}.type`, "Input should be 'text'");
      return;
    }
    for (const key in block) {
      if (!["type", "text", "cache_control", "citations"].includes(key)) {
        report.add(`system.${index}.${key}`, "Extra inputs are not permitted");
      }
    }
    checkCacheControl(block, `system.${index}`, (path, message) => report.add(path, message));
    if (typeof block["text"] !== "string") report.add(`system.${index}.text`, "Field required");
    else if (block["text"] !== "") return;
    else if ("cache_control" in block) {
      report.add(`system.${index}`, "cache_control cannot be set for empty text blocks");
    } else report.add("system", "text content blocks must be non-empty");
  });
}
