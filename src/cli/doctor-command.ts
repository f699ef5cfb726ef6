/** `pawl doctor`: shows what a session would find in this folder, and what would not count and why. */
import { formatCount } from "../lib/format-figures.ts";
import { errorText } from "../lib/error-text.ts";
import { revealLine, sanitizeLine } from "../lib/sanitize.ts";
import type { DoctorReport } from "../session/desk/doctor.ts";
import type { Finding } from "../session/desk/doctor-knowledge.ts";
import type { EngineOptions } from "../session/options/options.ts";
import type { DoctorArguments } from "./doctor-arguments.ts";
import { maxTurnsFromEnvironment } from "./values.ts";

/** Returns the exit code: 1 if a session would not start. */
export async function runDoctor(
  { json, trust }: DoctorArguments,
  context: Pick<EngineOptions, "cwd" | "env" | "home" | "version">,
  print: (text: string) => Promise<unknown>,
): Promise<number> {
  const { createDoctorReport } = await import("../session/desk/doctor.ts");
  const report = await createDoctorReport({ ...context, ...(trust ? { trust } : {}), onNotice: () => {} });
  report.start.push(...maxTurnsProblem(context.env ?? {}));
  await print(json ? `${JSON.stringify(report, null, 2)}\n` : `${doctorText(report)}\n`);
  return report.start.length > 0 || report.settings.problems.some(({ level }) => level === "error") ? 1 : 0;
}

function maxTurnsProblem(env: NonNullable<EngineOptions["env"]>): string[] {
  try {
    maxTurnsFromEnvironment(env);
    return [];
  } catch (error) {
    return [errorText(error)];
  }
}

function doctorText(report: DoctorReport): string {
  const { model, trust, start, settings, memory } = report;
  const state = trust.trusted ? "trusted" : "not trusted: pawl trust add trusts it as it is now";
  const parts = [
    section(`pawl ${report.version}`, [
      `folder    ${report.cwd}`,
      `home      ${report.pawlHome}`,
      `node      ${report.node} on ${report.platform}`,
      `model     ${model.name ?? "the default"} at ${model.endpoint}`,
      `key       ${model.key === null ? "none: set ANTHROPIC_API_KEY" : `from ${model.key}`}`,
      `trust     ${trust.wants.length === 0 ? "nothing here needs trust" : `${trust.wants.join(", ")}; ${state}`}`,
      ...start.map((text) => `error     ${text}`),
    ]),
    section("Settings", [
      ...settings.files,
      ...settings.problems
        .filter(({ level }) => level !== "remark")
        .map(({ level, text }) => `${level === "error" ? "error" : "note"}: ${text}`),
    ]),
    section("Memory", [
      ...memory.files.map(({ path, scope, characters, importedBy }) => {
        const from = importedBy === undefined ? "" : `, imported by ${importedBy}`;
        return `${path} (${scope}, ${formatCount(characters, "character")}${from})`;
      }),
      ...memory.waiting.map(({ path, globs }) => `${path} (waits for ${globs.join(", ")})`),
      ...memory.notices.map((text) => `note: ${text}`),
    ]),
    section("Skills", report.skills.map(findingLine)),
    section(
      "Commands",
      report.commands.map((finding) => findingLine({ ...finding, name: `/${finding.name}` })),
    ),
    section("Agents", report.agents.map(findingLine)),
    section("Plugins", report.plugins.map(pluginLine)),
    section("MCP servers", report.servers.map(serverLine)),
    section("Output style", styleLines(report.styles)),
    section(
      "Hooks",
      report.hooks.map(
        ({ event, type, command, source, runs, why }) =>
          `${event}: ${type} ${revealLine(command, 60)} (${source})${runs ? "" : `; does not run: ${why ?? ""}`}`,
      ),
    ),
    section("Git work trees left by agents", report.worktrees),
    section(
      "Problems",
      report.problems.map(({ path, line, reason }) => `${line === undefined ? path : `${path}:${line}`}: ${reason}`),
    ),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [title, ...lines.map((line) => `  ${sanitizeLine(line)}`)].join("\n");
}

function styleLines({ chosen, isThere, found }: DoctorReport["styles"]): string[] {
  if (chosen === "default" && found.length === 0) return [];
  return [
    isThere ? `in force: ${chosen}` : `there is no style called ${chosen}: the default is in force`,
    ...found.map(({ name, source, path }) => `${name} (${source}) ${path}`),
  ];
}

function findingLine({ name, source, path, inForce, remarks }: Finding): string {
  const why = remarks.length === 0 ? "" : `: ${remarks.join("; ")}`;
  return `${name} (${source}) ${path ?? ""}${inForce ? "" : " does not count"}${why}`;
}

function pluginLine({ name, path, version, unused, brings }: DoctorReport["plugins"][number]): string {
  const { hooks, servers } = brings;
  const partsText =
    hooks + servers === 0 ? "" : `; brings ${formatCount(hooks, "hook")}, ${formatCount(servers, "MCP server")}`;
  const unusedParts = unused.length === 0 ? "" : `; not acted on: ${unused.join(", ")}`;
  return `${name}${version === undefined ? "" : ` ${version}`} ${path}${partsText}${unusedParts}`;
}

function serverLine({ name, scope, source, starts, why }: DoctorReport["servers"][number]): string {
  return `${name} (${scope}) ${source}${starts ? "" : ` does not start: ${why ?? ""}`}`;
}
