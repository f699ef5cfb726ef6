/** Suggests the rule that avoids similar questions. It covers only what was shown and a known, harmless tail. */
import { dirname } from "node:path";
import { coversCommand } from "../rules/command-rules.ts";
import { literalSpecifier, parseCommandPattern } from "../rules/command-pattern.ts";
import { networkAccessTool } from "../rules/tool-names.ts";
import type { CallFacts } from "./call-facts.ts";
import type { PathSubject } from "../paths/path-subject.ts";
import type { CommandFacts } from "../rules/command-rules.ts";
import { mayBeSecret } from "../paths/secret-names.ts";
import { protectionOf } from "../paths/protected-paths.ts";
import { joinTexts, textsOf } from "../shell/text.ts";
import { isFixed, type ShellWord } from "../shell/step.ts";

/** Commands whose further words only choose what of the project itself is run or shown. */
const openEndedCommands = new Set(
  [
    "npm test,npm t,npm run,npm ci,pnpm test,pnpm run,yarn test,yarn run,bun test,bun run,deno test,deno check,deno lint",
    "cargo build,cargo check,cargo test,cargo clippy,cargo fmt,go build,go test,go vet,mvn test,gradle test,dotnet test,dotnet build,swift test,mix test",
    "git status,git add,git commit,tsc,eslint,prettier,jest,vitest,pytest,mypy,ruff check,rspec,phpunit",
  ].flatMap((line) => line.split(",")),
);

export function suggestRule(call: CallFacts): string | undefined {
  const [subject] = call.subjects;
  if (subject === undefined || call.subjects.length > 1) return undefined;
  switch (subject.kind) {
    case "command":
      return suggestCommandRule(call.tool, subject.facts);
    case "path":
      return suggestPathRule(subject);
    case "tool":
      if (call.tool === networkAccessTool) return `WebFetch(domain:${String(call.input["host"])})`;
      return call.tool === "WebFetch" ? suggestDomainRule(call.input["url"]) : call.tool;
    default:
      return subject satisfies never;
  }
}

/** Suggests a rule for the exact command if the rule with a tail would not cover it: a glob after git add may spell an option. */
function suggestCommandRule(tool: string, facts: CommandFacts): string | undefined {
  const exact = facts.command.trim();
  const rule = ruleForCommand(tool, exact, facts.reading.plain);
  const pattern = rule === undefined ? null : parseCommandPattern(rule.slice(tool.length + 1, -1));
  return pattern !== null && coversCommand(pattern, facts) ? rule : ruleForCommand(tool, exact);
}

/** `plain`: the words of the command, if it is a single one of plain words. */
export function ruleForCommand(tool: string, exact: string, plain?: readonly ShellWord[]): string | undefined {
  if (plain !== undefined) {
    const length = openEndedLength(textsOf(plain));
    const prefix = plain.slice(0, length);
    const isWhole =
      length > 0 &&
      prefix.length === length &&
      prefix.every((word) => isFixed(word) && /^[\w.:/-]+$/u.test(word.text) && !word.text.startsWith("-"));
    if (isWhole) return `${tool}(${joinTexts(prefix)} *)`;
  }
  // A command that cannot be read at a glance should not be remembered.
  return exact === "" || exact.length > 500 || /\p{Cc}/u.test(exact)
    ? undefined
    : `${tool}(${literalSpecifier(exact)})`;
}

/** How many words name such a command; after `run`, the name of the script is one of them. 0 if it is none. */
function openEndedLength([program = "", subcommand]: readonly string[]): number {
  if (subcommand !== undefined && openEndedCommands.has(`${program} ${subcommand}`))
    return subcommand === "run" ? 3 : 2;
  return openEndedCommands.has(program) ? 1 : 0;
}

function suggestPathRule({ access, path, forms }: PathSubject): string | undefined {
  const [target = path] = forms.forms;
  if (forms.forms.length > 1 || !forms.isCertain) return undefined;
  if (access === "write") return protectionOf(target) === null ? editRule(target) : undefined;
  const folder = dirname(target);
  // Permission for one file with secrets says nothing about its neighbours.
  if (mayBeSecret(target)) return `Read(/${escapeGlob(target)})`;
  const isBroad = folder.split("/").filter((segment) => segment !== "").length < 3 || /\/\.[^/]/u.test(target);
  return isBroad ? `Read(/${escapeGlob(target)})` : `Read(/${escapeGlob(folder)}/**)`;
}

/** The rule for a file that steers agents or builds: a flag may allow it, but no answer allows it for good. */
export function suggestSteeringRule({ forms }: PathSubject): string | undefined {
  const [target] = forms.forms;
  return target === undefined || forms.forms.length > 1 || !forms.isCertain ? undefined : editRule(target);
}

function editRule(path: string): string {
  return `Edit(/${escapeGlob(path)})`;
}

function escapeGlob(path: string): string {
  return path.replace(/[*?[\]\\!# ]/gu, String.raw`\$&`);
}

function suggestDomainRule(url: unknown): string | undefined {
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  return `WebFetch(domain:${new URL(url).hostname})`;
}
