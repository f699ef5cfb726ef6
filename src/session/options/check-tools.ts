/** Checks of lists of tools made by `tool()`. */
import { toolNamePattern } from "../../lib/call-id.ts";
import { isRecord } from "../../lib/is-record.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { Tool } from "../../protocol/tool.ts";
import { checkReadable, refuseIf } from "./check-arguments.ts";

/** Throws `UsageError` for a value that is not a list of tools; undefined is accepted. */
export function checkTools(name: string, tools: unknown): void {
  if (tools === undefined) return;
  if (Array.isArray(tools)) for (const [index, tool] of tools.entries()) checkReadable(`${name}[${index}]`, tool);
  const isTool = (tool: unknown): boolean =>
    isRecord(tool) && typeof tool["name"] === "string" && typeof tool["call"] === "function";
  refuseIf(!(Array.isArray(tools) && tools.every(isTool)), `${name} must be a list of tools made by tool().`);
  const isNamed = ({ name: own }: { name: string }): boolean => own.trim() !== "";
  refuseIf(
    !(tools as { name: string }[]).every(isNamed),
    `${name}: each tool must have a name; no model can call one without.`,
  );
}

/** Throws `UsageError` for two tools of the same name: nobody could call the second. */
export function refuseDuplicateTools(tools: readonly { name: string }[]): void {
  const seenNames = new Set<string>();
  const twin = tools.find(({ name }) => seenNames.size === seenNames.add(name).size);
  if (twin !== undefined) throw new UsageError(`Two tools have the name ${twin.name}: rename one.`);
}

/** Throws `UsageError` for a value that is not a list of tools, and for a tool that the API would refuse. */
export function checkCustomTools(tools: readonly Tool[]): void {
  checkTools("customTools", tools);
  for (const { name, inputSchema } of tools) {
    refuseIf(
      !toolNamePattern.test(name),
      `A tool's name must have 1 to 64 letters, digits, _ and -, unlike "${name.slice(0, 80)}".`,
    );
    refuseIf(!isRecord(inputSchema), `The inputSchema of the tool ${name} must be a JSON Schema object.`);
  }
}
