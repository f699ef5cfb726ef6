/**
 * The order of judgement: deny rules, plan mode, ask rules and what always needs a question, the mode, allow rules. Pure, except that it
 * looks up where paths lead.
 */
import { basename, dirname } from "node:path";
import type { PermissionReason, PermissionRequest } from "../../protocol/permission.ts";
import type { CallFacts, CommandSubject, SubjectFacts } from "./call-facts.ts";
import type { PathSubject } from "../paths/path-subject.ts";
import { criticalRemove } from "../files/critical-remove.ts";
import { askByRule, denyByRule, askInDoubt, denyHiddenMatch, askAboutUnnamedFiles, ruleReason } from "./guard-rules.ts";
import type { CommandLaw, Law } from "./law.ts";
import { foreignRepositoryReason } from "./foreign-repository.ts";
import { judgeScript } from "./judge-command.ts";
import { onlyReads } from "./step-reads.ts";
import { partRules } from "./part-rules.ts";
import { denyOutsideFolders } from "./outside-folders.ts";
import { linkedProtections } from "../paths/linked-places.ts";
import { hasControlCharacters, isFolder, uncertaintyText } from "../paths/path-forms.ts";
import { protectionOf, type Protection } from "../paths/protected-paths.ts";
import { steeringProtection } from "../paths/steering-files.ts";
import { ruleCovers } from "./rule-match.ts";
import type { Rule } from "../rules/rule.ts";
import { mayBeSecret } from "../paths/secret-names.ts";
import { visibleWord } from "../../lib/shell-quote.ts";
import { acceptsEdits } from "./strictness.ts";
import { suggestSteeringRule, suggestRule } from "./suggest.ts";
import { allowingFlags, firmAsk, safetyReason, openAsk, type Ask, type Verdict } from "./verdict.ts";

/** Tools that touch only the session's own state. */
const sessionOnlyTools = new Set([
  "TodoWrite",
  "TaskOutput",
  "TaskStop",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskUpdate",
  "StructuredOutput",
  "ToolSearch",
]);

export function evaluate(call: CallFacts, hook: PermissionRequest["hookDecision"], law: Law): Verdict {
  const refused =
    denyUnsafePath(call) ??
    denyByRule(call, law) ??
    denyOutsideFolders(call, law) ??
    denyInPlanMode(call, law) ??
    denySandboxExit(law);
  if (refused !== null) return refused;
  const askReason =
    askByRule(call, law) ??
    askByHook(hook) ??
    askAboutUnread(call, law) ??
    checkCriticalRemove(call, law) ??
    askForSandboxExit(law) ??
    askAboutToolConcern(law.toolConcern(call.tool, null)) ??
    askForPersonInput(call, hook, law);
  if (askReason !== null) return askReason;
  if (law.mode === "bypassPermissions") return denyHiddenMatch(call, law) ?? allowedByMode(law);
  const unsure = askInDoubt(call, law) ?? askAboutUnnamedFiles(call, law);
  if (unsure !== null) return unsure;
  const verdicts = call.subjects.map((subject) => judgeSubject(subject, call, law));
  const asks = verdicts.filter((verdict): verdict is Ask => verdict.behavior === "ask");
  const decidingAsk = asks.find((verdict) => verdict.isFirm) ?? asks[0];
  if (decidingAsk === undefined) return verdicts[0] ?? allowedByMode(law);
  if (hook?.behavior === "allow" && !decidingAsk.isFirm) return allowedByHook(hook);
  return decidingAsk;
}

function denyUnsafePath(call: CallFacts): Verdict | null {
  const isUnsafe = call.subjects.some((subject) => subject.kind === "path" && hasControlCharacters(subject.path));
  const why = "its path holds a NUL or a control character other than newline and tab";
  return isUnsafe ? { behavior: "deny", reason: safetyReason(why), why } : null;
}

function denyInPlanMode(call: CallFacts, law: Law): Verdict | null {
  if (law.mode !== "plan" || sessionOnlyTools.has(call.tool)) return null;
  const isReading = call.subjects.every((subject) => {
    if (subject.kind === "path") return subject.access === "read";
    return subject.kind === "command" ? onlyReads(subject.script) : call.isReadOnly;
  });
  if (isReading) return null;
  return {
    behavior: "deny",
    reason: { type: "mode", mode: "plan" },
    why: "plan mode is on, which allows only reading",
  };
}

function askByHook(hook: PermissionRequest["hookDecision"]): Ask | null {
  if (hook?.behavior !== "ask") return null;
  const text = hook.reason ?? "a PreToolUse hook wants a person to answer";
  return firmAsk({ type: "hook", text }, text);
}

/** What was not read may also remove what nobody means to remove. */
function askAboutUnread(call: CallFacts, law: Law): Verdict | null {
  const why = call.subjects.map((subject) => (subject.kind === "command" ? subject.unread : undefined)).find(Boolean);
  if (why === undefined) return null;
  const hidden = law.mode === "bypassPermissions" ? denyHiddenMatch(call, law) : null;
  return hidden ?? firmAsk(safetyReason(why), why);
}

function checkCriticalRemove(call: CallFacts, law: Law): Verdict | null {
  for (const subject of call.subjects) {
    if (subject.kind !== "command") continue;
    const places = { cwd: call.cwd, home: law.home, folders: law.folders.writtenPaths(), reader: law.reader };
    const { reading, command } = subject.facts;
    const target = criticalRemove(reading, command, places);
    if (target === null) continue;
    const why = `it would remove ${target}, which is the disk, the home directory, the working directory, a folder above one of them, or everything in such a folder`;
    // In that mode, what a rule may forbid is refused, even if a person would be asked this time.
    const hidden = law.mode === "bypassPermissions" ? denyHiddenMatch(call, law) : null;
    return hidden ?? firmAsk(safetyReason(why), why);
  }
  return null;
}

function denySandboxExit({ confinement }: Law): Verdict | null {
  if (confinement?.kind !== "refused") return null;
  const why =
    "the settings (sandbox.allowUnsandboxedCommands) let no command out of the sandbox; leave dangerouslyDisableSandbox out";
  return { behavior: "deny", reason: { type: "sandbox", text: why }, why };
}

/** Applies whatever the mode and the rules: people switch a sandbox on for the commands that nobody looks at. */
function askForSandboxExit({ confinement }: Law): Ask | null {
  if (confinement?.kind !== "leaving") return null;
  const why = "it asks to run outside the sandbox, which a person must approve each time";
  return firmAsk({ type: "sandbox", text: why }, why);
}

function askAboutToolConcern(why: string | undefined): Ask | null {
  return why === undefined ? null : firmAsk(safetyReason(why), why);
}

/** The purpose of such a tool is the answer, so a hook's consent counts only if the hook supplies the input. */
function askForPersonInput(
  { tool, input }: CallFacts,
  hook: PermissionRequest["hookDecision"],
  law: Law,
): Verdict | null {
  if (!law.needsPerson(tool)) return null;
  if (hook?.behavior === "allow" && hook.givesInput === true && law.isAnswered(tool, input)) return allowedByHook(hook);
  const why = "each call of this tool is for a person to answer";
  return { ...firmAsk(safetyReason(why), why), takesInput: true };
}

function modeReason({ mode }: Law): PermissionReason {
  return { type: "mode", mode };
}

function allowedByMode(law: Law): Verdict {
  return { behavior: "allow", reason: modeReason(law) };
}

function allowedByRule(rule: Rule): Verdict {
  return { behavior: "allow", reason: ruleReason(rule) };
}

function allowedByHook({ reason }: { reason?: string }): Verdict {
  return { behavior: "allow", reason: { type: "hook", text: reason ?? "allowed by a PreToolUse hook" } };
}

function judgeSubject(subject: SubjectFacts, call: CallFacts, law: Law): Verdict {
  switch (subject.kind) {
    case "path":
      return judgePath(subject, call, law);
    case "command":
      return judgeCommand(subject, call, law);
    case "tool": {
      const rule = law.allow.find((candidate) => ruleCovers(candidate, subject, call));
      if (rule !== undefined)
        return askAboutToolConcern(law.toolConcern(call.tool, rule.source)) ?? allowedByRule(rule);
      if (sessionOnlyTools.has(call.tool) || (call.isReadOnly && !isRemoteTool(call.tool))) return allowedByMode(law);
      return askForPermission(call, law);
    }
    default:
      return subject satisfies never;
  }
}

/** What a server says about its own tools grants nothing, and reading the web sends data to it. */
function isRemoteTool(tool: string): boolean {
  return tool.startsWith("mcp__") || tool === "WebFetch" || tool === "WebSearch";
}

function askForPermission(call: CallFacts, law: Law): Ask {
  return openAsk(modeReason(law), "it needs permission", allowingFlags(suggestRule(call) ?? call.tool));
}

function judgeCommand(subject: CommandSubject, call: CallFacts, law: Law): Verdict {
  for (const mention of subject.mentions()) {
    const protection = mention.access === "write" ? strictestProtection(mention, law) : null;
    if (protection?.level === "never") return askAboutProtectedPath(protection.name);
  }
  const rule = law.allow.find((candidate) => ruleCovers(candidate, subject, call));
  if (
    rule !== undefined &&
    foreignRepositoryReason(subject.facts.reading.plain ?? [], rule, [call.cwd], law) === undefined
  )
    return allowedByRule(rule);
  if (law.confinement?.kind === "confined" && law.confinement.isFree)
    return {
      behavior: "allow",
      reason: { type: "sandbox", text: "sandbox.autoAllowBashIfSandboxed allows confined commands" },
    };
  if (subject.script === undefined) return askForPermission(call, law);
  let fileRuleReason: PermissionReason | undefined;
  const mayTouch = (path: PathSubject): boolean => {
    const { behavior, reason } = judgePath(path, call, law);
    if (behavior === "allow" && reason.type === "rule") fileRuleReason ??= reason;
    return behavior === "allow";
  };
  const commandLaw: CommandLaw = { ...law, mayTouch };
  const verdict = judgeScript(subject.script, subject.facts.reading, call, commandLaw);
  if (verdict.allowed) {
    const commandReason = verdict.reason ?? modeReason(law);
    return {
      behavior: "allow",
      reason: commandReason.type === "rule" ? commandReason : (fileRuleReason ?? commandReason),
    };
  }
  const parts = partRules(subject.script, { lineVerdict: verdict, facts: subject.facts, call, law: commandLaw });
  if (parts === undefined || parts.rules.length === 0)
    return { ...askForPermission(call, law), why: parts?.why ?? verdict.why };
  return { ...openAsk(modeReason(law), parts.why, allowingFlags(...parts.rules)), rules: parts.rules };
}

function strictestProtection({ forms }: PathSubject, law: Law): Protection {
  const found = forms.forms
    .flatMap((form) => [
      protectionOf(form, law.folders.depthOf(form)),
      ...linkedProtections(form, law.linked()),
      steeringProtection(form, law.steering()),
    ])
    .filter((protection) => protection !== null);
  return found.find(({ level }) => level === "never") ?? found[0] ?? null;
}

function askAboutProtectedPath(name: string): Ask {
  const why = `${name} is protected: it can make other programs run something or change what is permitted here, so a person must approve each write`;
  const flags = ["--permission-mode bypassPermissions (which permits everything)"];
  return { ...firmAsk(safetyReason(why), why), flags };
}

function judgePath(subject: PathSubject, call: CallFacts, law: Law): Verdict {
  const isWrite = subject.access === "write";
  const protection = isWrite ? strictestProtection(subject, law) : null;
  if (protection?.level === "never") return askAboutProtectedPath(protection.name);
  const isWithin = law.folders.contain(subject.forms, subject.access);
  const isOpen = !isWrite || (acceptsEdits(law.mode) && protection === null);
  const isSecret = !isWrite && subject.forms.forms.some(mayBeSecret);
  if (isWithin && isOpen && !isSecret) return allowedByMode(law);
  // A rule for the whole tool was not given for links that lead out of the working directories.
  const leadsOut =
    !isWithin &&
    law.folders.contain({ ...subject.forms, forms: subject.forms.forms.slice(0, 1), isCertain: true }, subject.access);
  const rule = law.allow.find(
    (candidate) =>
      ruleCovers(candidate, subject, call) && !(leadsOut && candidate.specifiers.some(({ kind }) => kind === "whole")),
  );
  if (rule !== undefined) return allowedByRule(rule);
  if (isWithin && isSecret) return askAboutSecret(subject, call);
  return isWithin ? askInsideFolders(subject, protection, law) : askOutsideFolders(subject, leadsOut, call, law);
}

function askAboutSecret({ path, forms }: PathSubject, call: CallFacts): Ask {
  const name = basename(forms.forms.find(mayBeSecret) ?? path);
  const why = `${name} may hold secrets by its name, so reading it takes an allow rule or a person`;
  return openAsk(safetyReason(why), why, allowingFlags(suggestRule(call)));
}

function askInsideFolders(subject: PathSubject, protection: Protection, law: Law): Ask {
  if (protection === null)
    return openAsk(modeReason(law), "writing needs permission", ["--permission-mode acceptEdits"]);
  const why = `${protection.name} steers agents, builds or editors, so writing it takes an allow rule or a person`;
  return openAsk(safetyReason(why), why, allowingFlags(suggestSteeringRule(subject)));
}

function askOutsideFolders(subject: PathSubject, leadsOut: boolean, call: CallFacts, law: Law): Ask {
  const { forms, path } = subject;
  const target = forms.forms.at(-1) ?? path;
  const place = leadsOut
    ? `it leads through a link to ${target}, which is outside the working directories`
    : "it is outside the working directories";
  const why = forms.isCertain ? place : uncertaintyText(path, law.reader);
  const flags = forms.isCertain ? folderAccessFlags(target, subject.access, call, law) : [];
  return openAsk({ type: "workingDirectory", text: why }, why, flags);
}

/** The flag for the narrowest existing folder. A folder that does not exist cannot be added, so a rule is suggested instead. */
function folderAccessFlags(target: string, access: PathSubject["access"], call: CallFacts, law: Law): string[] {
  const folder = call.listsFolders && isFolder(target, law.reader) ? target : dirname(target);
  if (!isFolder(folder, law.reader)) return allowingFlags(suggestRule(call));
  const mode = access === "write" && !acceptsEdits(law.mode) ? " --permission-mode acceptEdits" : "";
  return [`--add-dir ${visibleWord(folder)}${mode}`];
}
