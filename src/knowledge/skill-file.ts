/** Reads one file of a skill or command, leniently: what cannot be used is left out and reported. */
import { createHash } from "node:crypto";
import { efforts } from "../protocol/effort.ts";
import type { KnowledgeProblem, KnowledgeSource } from "../protocol/knowledge.ts";
import { isRecord } from "../lib/is-record.ts";
import { withoutUndefined } from "../lib/without-undefined.ts";
import { Fields } from "./fields.ts";
import { readFrontMatter } from "./front-matter.ts";
import { hasShellLines } from "./shell-pieces.ts";
import type { PluginFolders, Skill } from "./skill.ts";

export interface SkillSource {
  kind: Skill["kind"];
  name: string;
  source: KnowledgeSource;
  path: string;
  folder: string;
  /** Whether what it would permit and run may take effect. */
  isTrusted: boolean;
  plugin?: PluginFolders;
}

export interface ReadSkill {
  skill: Skill;
  /** The name in its front matter. */
  ownName?: string;
  /** The text without its front matter. */
  body: string;
  problems: KnowledgeProblem[];
}

const maxDescription = 20_000;

const skillFields = (
  "description when_to_use when-to-use argument-hint arguments disable-model-invocation user-invocable allowed-tools disallowed-tools " +
  "model effort context agent background hooks paths"
).split(" ");

export async function readSkillFile(text: string, about: SkillSource): Promise<ReadSkill> {
  const { path, kind, isTrusted } = about;
  const matter = await readFrontMatter(text, { mayBeLate: true });
  const permits = isTrusted && matter.isLate !== true;
  const fields = new Fields(matter.fields, path, (field) => matter.lineOf(field));
  const { folder, source, plugin } = about;
  fields.acceptAliases("disallowed-tools", ["disallowedTools", "disallowed_tools", "denied-tools"]);
  fields.acceptAliases("disable-model-invocation", ["disable_model_invocation", "disableModelInvocation"]);
  for (const name of ["allowedTools", "allowed_tools"])
    if (fields.has(name)) fields.reportProblem(name, 'permits nothing: it is called "allowed-tools" here');
  fields.reportMisspelt(skillFields, ["disallowed-tools", "disable-model-invocation"]);
  const allowedTools = fields.rules("allowed-tools");
  for (const name of matter.isLate === true ? ["allowed-tools", "hooks"] : [])
    if (fields.has(name)) fields.reportProblem(name, "counts only if the file begins with its front matter");
  const withheld = isTrusted ? [] : withheldFields(allowedTools, fields, matter.body);
  const description = fields.text("description") ?? firstParagraph(matter.body);
  const whenToUse = fields.text("when_to_use") ?? fields.text("when-to-use");
  const argumentHint = hintOf(fields);
  const model = fields.text("model");
  const effort = fields.oneOf("effort", efforts);
  const skill: Skill = {
    kind,
    name: about.name,
    description: description.slice(0, maxDescription),
    ...withoutUndefined({ whenToUse: whenToUse?.slice(0, maxDescription), argumentHint }),
    arguments: fields.list("arguments") ?? [],
    allowedTools: permits ? allowedTools : [],
    disallowedTools: fields.rules("disallowed-tools"),
    ...withoutUndefined({ model: model?.toLowerCase() === "inherit" ? undefined : model, effort }),
    ...rareFields(fields, about.kind, permits),
    isModelInvocable: fields.flag("disable-model-invocation") !== true,
    isUserInvocable: fields.flag("user-invocable") !== false,
    runsCommands: isTrusted,
    source,
    path,
    folder,
    ...(plugin === undefined ? {} : { plugin }),
    digest: digestOf(text),
    withheld,
  };
  const problems = [...matter.problems.map((problem) => ({ path, ...problem })), ...fields.problems];
  const ownName = fields.text("name");
  return { skill, ...(ownName === undefined ? {} : { ownName }), body: matter.body, problems };
}

/** Reads fields that few skills have. */
function rareFields(fields: Fields, kind: Skill["kind"], permits: boolean): Pick<Skill, "fork" | "paths" | "hooks"> {
  const [agent, background, hooks] = [fields.text("agent"), fields.flag("background"), fields.raw("hooks")];
  const isForked = fields.oneOf("context", ["fork", "inline"]) === "fork";
  const fork = withoutUndefined({ agent, background });
  // By convention commands have no `paths`.
  const paths = kind === "skill" ? fields.list("paths") : undefined;
  return {
    ...(isForked ? { fork } : {}),
    ...(paths === undefined || paths.length === 0 ? {} : { paths }),
    ...(permits && hooks !== undefined ? { hooks } : {}),
  };
}

export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

function withheldFields(allowedTools: readonly string[], fields: Fields, body: string): string[] {
  const names = allowedTools.length > 0 ? ["allowed-tools"] : [];
  if (fields.has("hooks")) names.push("hooks");
  if (hasShellLines(body)) names.push("shell lines");
  return names;
}

/** `[issue] [branch]` is text to people, but a list in YAML. */
function hintOf(fields: Fields): string | undefined {
  const value = fields.raw("argument-hint");
  if (Array.isArray(value))
    return value.map((each) => `[${isRecord(each) ? JSON.stringify(each) : String(each)}]`).join(" ");
  return fields.text("argument-hint");
}

function firstParagraph(body: string): string {
  const paragraph = body
    .split(/\n\s*\n/u)
    .map((part) => part.trim())
    .find((part) => part !== "" && !/^(?:#|```|---)/u.test(part));
  const text =
    paragraph ??
    body
      .trim()
      .split("\n")[0]
      ?.replace(/^#+\s*/u, "") ??
    "";
  return text.replaceAll(/\s+/gu, " ").slice(0, 500);
}
