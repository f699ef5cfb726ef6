/** Checks that depend on the model: thinking and effort, sampling, output limits, betas inside parameters. */
import { asText, isObject } from "../wire/types.ts";
import { canonicalModel, type ModelTraits } from "../models.ts";
import { outputFormat } from "./parts.ts";
import { alternatives, checkShape, unknownTag, type Shape } from "./shape.ts";
import type { CheckContext, Report } from "./report.ts";
import { checkNoAdditionalProperties } from "./strict-tools.ts";

const thinkingShapes: Record<string, Shape> = {
  enabled: {
    required: { type: "string", budget_tokens: "integer" },
    optional: { display: "string", block_binding: "object" },
  },
  adaptive: { required: { type: "string" }, optional: { display: "string", block_binding: "object" } },
  disabled: { required: { type: "string" }, optional: { block_binding: "object" } },
  between_tools: { required: { type: "string" }, optional: { display: "string", block_binding: "object" } },
};

/** Whether the model thinks in this request. */
export function isThinkingOn(body: Record<string, unknown>, traits: ModelTraits): boolean {
  const thinking = body["thinking"];
  return isObject(thinking) ? thinking["type"] !== "disabled" : traits.thinking.defaultOn;
}

export function checkModelRules(body: Record<string, unknown>, context: CheckContext): void {
  checkThinking(body, context);
  checkOutputConfig(body, context);
  checkFormat(body["output_format"], "output_format", context.report);
  if (context.options.operation === "count_tokens") return;
  checkMaxTokens(body, context);
  if (!context.isLatest) checkSampling(body, context);
  if (body["speed"] === "fast" && context.traits.fastMode === "no" && context.options.endpoint !== "compatible") {
    context.report.add("speed", '"fast" is not supported for this model.');
  }
}

function checkThinking(body: Record<string, unknown>, context: CheckContext): void {
  const { report } = context;
  const thinking = body["thinking"];
  if (!isObject(thinking)) return;
  const type = asText(thinking["type"]);
  const shape = Object.hasOwn(thinkingShapes, type) ? thinkingShapes[type] : undefined;
  if (shape === undefined) {
    report.add("thinking", unknownTag(type, Object.keys(thinkingShapes)));
    return;
  }
  checkShape(thinking, shape, `thinking.${type}`, (path, message) => report.add(path, message));
  const display = thinking["display"];
  if (typeof display === "string" && !["summarized", "omitted", "updates"].includes(display)) {
    report.add(`thinking.${type}.display`, "Input should be 'summarized', 'omitted' or 'updates'");
  }
  if (type === "enabled") checkBudget(thinking["budget_tokens"], body["max_tokens"], context);
  if (context.options.endpoint === "compatible") return;
  if (thinking["block_binding"] !== undefined && !context.betas.has("thinking-binding-controls-2026-08-01")) {
    report.add(`thinking.${type}.block_binding`, "Extra inputs are not permitted");
  }
  checkThinkingType(type, body, context);
}

function checkBudget(budget: unknown, maxTokens: unknown, { report, betas }: CheckContext): void {
  if (typeof budget !== "number") return;
  if (budget < 1024) {
    report.add("thinking.enabled.budget_tokens", "Input should be greater than or equal to 1024");
  }
  // With interleaved thinking the budget spans several responses and may exceed one response's limit.
  if (betas.has("interleaved-thinking-2025-05-14")) return;
  if (typeof maxTokens === "number" && maxTokens <= budget) {
    report.add(
      "",
      "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size",
    );
  }
}

function checkThinkingType(type: string, body: Record<string, unknown>, { report, traits }: CheckContext): void {
  const allowed = traits.thinking;
  const effort = effortOf(body, traits);
  if (type === "enabled" && !allowed.enabled) {
    report.add(
      "",
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    );
  } else if (type === "adaptive" && !allowed.adaptive) {
    report.add("", "adaptive thinking is not supported on this model");
  } else if (type === "disabled" && allowed.disabled === false) {
    report.add("", '"thinking.type.disabled" is not supported for this model.');
  } else if (type === "disabled" && allowed.disabled === "modest-effort" && ["xhigh", "max"].includes(effort)) {
    report.add("", `"thinking.type.disabled" is not supported for this model at effort "${effort}".`);
  } else if (type === "between_tools" && !allowed.betweenTools) {
    report.add("", '"thinking.type.between_tools" is not supported for this model.');
  } else if (type === "between_tools" && ["xhigh", "max"].includes(effort)) {
    report.add("", `"thinking.type.between_tools" is not supported at effort "${effort}". Use low, medium or high.`);
  }
}

function effortOf(body: Record<string, unknown>, traits: ModelTraits): string {
  const config = body["output_config"];
  return isObject(config) && typeof config["effort"] === "string" ? config["effort"] : traits.defaultEffort;
}

const effortLevels = ["low", "medium", "high", "xhigh", "max"];
const outputConfig: Shape = {
  required: {},
  optional: { effort: "string", task_budget: "object", format: outputFormat },
};
const taskBudget: Shape = { required: { type: "string", total: "integer" }, optional: { remaining: "integer" } };

function checkOutputConfig(body: Record<string, unknown>, context: CheckContext): void {
  const config = body["output_config"];
  const { report, traits } = context;
  if (!isObject(config)) return;
  const complain = (path: string, message: string) => report.add(path, message);
  checkShape(config, outputConfig, "output_config", complain);
  checkFormat(config["format"], "output_config.format", report);
  const effort = config["effort"];
  if (typeof effort === "string") {
    if (!effortLevels.includes(effort))
      report.add("output_config.effort", `Input should be ${alternatives(effortLevels)}`);
    else if (context.options.endpoint === "compatible") return;
    else if (traits.efforts.length === 0) report.add("", "This model does not support the effort parameter.");
    else if (!traits.efforts.includes(effort as never)) {
      report.add(
        "",
        `This model does not support effort level '${effort}'. Supported levels: ${traits.efforts.join(", ")}.`,
      );
    }
  }
  if (context.options.endpoint !== "compatible") checkTaskBudget(config["task_budget"], context);
}

function checkFormat(format: unknown, path: string, report: Report): void {
  if (isObject(format)) checkNoAdditionalProperties(format["schema"], `${path}.schema`, report);
}

function checkTaskBudget(budget: unknown, { report, betas, traits }: CheckContext): void {
  if (!isObject(budget)) return;
  const path = "output_config.task_budget";
  if (!betas.has("task-budgets-2026-03-13")) return report.add(path, "Extra inputs are not permitted");
  checkShape(budget, taskBudget, path, (at, message) => report.add(at, message));
  if (!traits.taskBudget) report.add(path, "This model does not support task budgets.");
  if (typeof budget["total"] === "number" && budget["total"] < 20_000) {
    report.add(`${path}.total`, "Input should be greater than or equal to 20000");
  }
}

function checkMaxTokens(body: Record<string, unknown>, { report, traits, options }: CheckContext): void {
  const maxTokens = body["max_tokens"];
  if (typeof maxTokens !== "number") return;
  if (maxTokens < 0) report.add("max_tokens", "Input should be greater than or equal to 0");
  if (maxTokens === 0) {
    const choice = body["tool_choice"];
    const forced = isObject(choice) && (choice["type"] === "any" || choice["type"] === "tool");
    const thinking = body["thinking"];
    const manual = isObject(thinking) && thinking["type"] === "enabled";
    const output = body["output_config"];
    const format = (isObject(output) ? output["format"] : undefined) ?? body["output_format"] ?? undefined;
    if (body["stream"] === true || forced || manual || format !== undefined) {
      report.add(
        "max_tokens",
        "0 may not be combined with `stream`, manual thinking, an output format, or a forced `tool_choice`",
      );
    }
  }
  if (options.endpoint !== "compatible" && maxTokens > traits.maxOutput) {
    report.add(
      "max_tokens",
      `${maxTokens} > ${traits.maxOutput}, which is the maximum allowed number of output tokens for ${canonicalModel(asText(body["model"]))}`,
    );
  }
}

function checkSampling(body: Record<string, unknown>, { report, traits, options }: CheckContext): void {
  const { temperature, top_p: topP, top_k: topK } = body;
  for (const [name, value] of [
    ["temperature", temperature],
    ["top_p", topP],
  ] as const) {
    if (typeof value !== "number") continue;
    if (value > 1) report.add(name, "Input should be less than or equal to 1");
    if (value < 0) report.add(name, "Input should be greater than or equal to 0");
  }
  if (typeof topK === "number" && topK < 0) report.add("top_k", "Input should be greater than or equal to 0");
  if (options.endpoint === "compatible") return;
  if (traits.fixedSampling) {
    if (typeof temperature === "number" && temperature !== 1)
      report.add("", "`temperature` is deprecated for this model.");
    if (typeof topP === "number" && topP !== 1) report.add("", "`top_p` is deprecated for this model.");
    if (typeof topK === "number") report.add("", "`top_k` is deprecated for this model.");
    return;
  }
  if (typeof temperature === "number" && typeof topP === "number") {
    report.add("", "`temperature` and `top_p` cannot both be specified for this model. Please use only one.");
  }
  const thinking = body["thinking"];
  if (!isObject(thinking) || thinking["type"] === "disabled") return;
  if (typeof temperature === "number" && temperature !== 1) {
    report.add("", "`temperature` may only be set to 1 when thinking is enabled.");
  }
  if (typeof topK === "number") report.add("", "`top_k` must be unset when thinking is enabled.");
  if (typeof topP === "number" && topP < 0.95) {
    report.add("", "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.");
  }
}
