/** Control requests that only read. */
import type { ContextUsage } from "../../protocol/context-usage.ts";
import type { McpServerStatus } from "../../protocol/mcp.ts";
import { formatCost } from "../../lib/format-figures.ts";
import { oneLine } from "../../lib/sanitize.ts";
import { allocateSquares } from "../show/context-grid.ts";
import { ControlError, noTaskError, optionalField, textField, wholeNumberField, type ControlEntry } from "./control.ts";

/** The width of a title in a list of sessions. */
const titleWidth = 80;

export const queryRequests: readonly ControlEntry[] = [
  {
    name: "get_context_usage",
    does: "answers what uses the context window, also as squares to draw (`gridRows`); `detail` makes no difference",
    run: ({ engine }) => withGrid(engine.getContextUsage()),
  },
  {
    name: "get_usage",
    does: "answers the session's cost, how long it has been open here and has waited for models (ms), and the number of lines it changed",
    run({ engine }) {
      const { totalUsd, modelUsage, durationMs, apiDurationMs, linesAdded, linesRemoved } = engine.getCost();
      const session = {
        total_cost_usd: totalUsd,
        total_api_duration_ms: apiDurationMs,
        total_duration_ms: durationMs,
        total_lines_added: linesAdded,
        total_lines_removed: linesRemoved,
        model_usage: modelUsage,
      };
      return { session, subscription_type: null, rate_limits_available: false, rate_limits: null };
    },
  },
  {
    name: "get_session_cost",
    does: "answers the session's cost, also as text",
    run({ engine }) {
      const { totalUsd, modelUsage } = engine.getCost();
      return { total_cost_usd: totalUsd, model_usage: modelUsage, text: formatCost(totalUsd, modelUsage) };
    },
  },
  {
    name: "generate_session_title",
    does: "answers the session's title, or else the beginning of `description`; no model is called, and nothing is recorded",
    run({ engine }, { description }) {
      const beginning = typeof description === "string" ? oneLine(description, titleWidth) : "";
      return { title: engine.desk.title ?? (beginning === "" ? null : beginning) };
    },
  },
  {
    name: "list_models",
    does: "lists the models of the catalogue and the aliases",
    run: ({ engine }) => ({ models: engine.desk.models() }),
  },
  {
    name: "get_binary_version",
    does: "answers the version of pawl",
    now: ({ version }) => ({ version }),
  },
  {
    name: "get_settings",
    does: "answers the settings in force, in the shape of a settings file, the current content of each file, and the problems in them",
    run: async ({ engine }) => await engine.desk.settings(),
  },
  {
    name: "list_permission_rules",
    does: "lists the rules in force and the folders",
    run: async ({ engine }) => ({ state: await engine.desk.permissionRules() }),
  },
  {
    name: "get_hooks_listing",
    does: "lists the hooks of settings, and for those that do not run the reason",
    run: async ({ engine }) => await engine.desk.hooks(),
  },
  {
    name: "mcp_status",
    does: "lists the servers and their status",
    run: ({ engine }) => ({ mcpServers: engine.desk.mcpServers().map(serverWithAnnotations) }),
  },
  {
    name: "get_task_output",
    does: "answers the last 8 KiB of output of a background command",
    async run({ engine }, fields) {
      const id = textField(fields, "task_id");
      const output = await engine.desk.taskOutput(id);
      if (output === undefined) throw noTaskError(id);
      return output;
    },
  },
  {
    name: "read_file",
    does: "reads a file that the Read tool may read without asking: 1 MB of it, or up to 16 MB with `max_bytes`",
    async run({ engine }, fields) {
      const maxBytes = optionalField(fields, "max_bytes", wholeNumberField);
      const encoding = fields["encoding"] === "base64" ? { encoding: "base64" as const } : {};
      return await engine.desk.readFile(textField(fields, "path"), {
        ...(maxBytes === undefined ? {} : { maxBytes }),
        ...encoding,
      });
    },
  },
  {
    name: "file_suggestions",
    does: "lists at most 50 files whose path matches the query, without those that .gitignore names",
    async run({ engine }, fields) {
      const { query } = fields;
      if (typeof query !== "string") throw new ControlError('"query" must be a string');
      const paths = await engine.desk.suggestFiles(query);
      return { suggestions: paths.map((path) => ({ path })) };
    },
  },
];

/** Adds the tool annotations that clients of the convention expect. */
function serverWithAnnotations(server: McpServerStatus): object {
  const { tools } = server;
  if (tools === undefined) return server;
  const annotated = tools.map((tool) => ({ ...tool, annotations: tool.readOnly === true ? { readOnly: true } : {} }));
  return { ...server, tools: annotated };
}

const squaresPerRow = 10;

/** Adds the context window as a hundred squares, in rows. */
function withGrid(usage: ContextUsage): object {
  const { categories, maxTokens } = usage;
  const counts = allocateSquares(categories, squaresPerRow * squaresPerRow);
  const allSquares = categories.flatMap(({ name, color, kind, tokens }, at) => {
    const percentage = maxTokens === 0 ? 100 : Math.round((tokens / maxTokens) * 100);
    const square = { color, isFilled: kind === "used", categoryName: name, tokens, percentage, squareFullness: 1 };
    return Array.from({ length: counts[at] ?? 0 }, () => square);
  });
  const gridRows = Array.from({ length: squaresPerRow }, (_, row) =>
    allSquares.slice(row * squaresPerRow, (row + 1) * squaresPerRow),
  );
  return { ...usage, gridRows };
}
