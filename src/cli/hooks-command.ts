/** `pawl hooks`: lists the configured hooks and whether they would run, and tries them with a sample event. */
import type { Readable } from "node:stream";
import { formatDuration } from "../lib/format-figures.ts";
import { isRecord } from "../lib/is-record.ts";
import { tryParseJson } from "../lib/try-parse-json.ts";
import { oneLine, revealLine, sanitize } from "../lib/sanitize.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { HookRecord } from "../hooks/runner.ts";
import type { SurveyedHook } from "../hooks/survey.ts";
import { hookEvents, type HookAnswer, type HookEvent, type HookInput } from "../protocol/hook.ts";
import type { HookDesk, HookTrial } from "../session/desk/hook-desk.ts";
import type { EngineOptions } from "../session/options/options.ts";

export interface HooksArguments {
  json: boolean;
  settings?: string;
  test?: { event: string; matcher?: string; input?: string };
}

interface HooksContext {
  around: Pick<EngineOptions, "cwd" | "env" | "home" | "onNotice">;
  stdin: Readable;
  signal: AbortSignal;
}

const maxInputBytes = 4 * 1024 * 1024;
const maxLineLength = 2_000;

/** Returns the exit code: 1 if a hook that was tested failed or timed out, else 0. */
export async function runHooks(
  { json, settings, test }: HooksArguments,
  { around, stdin, signal }: HooksContext,
  print: (text: string) => Promise<unknown>,
): Promise<number> {
  const { openHookDesk } = await import("../session/desk/hook-desk.ts");
  const open = (): HookDesk => openHookDesk({ ...around, ...(settings === undefined ? {} : { settings }) });
  if (test === undefined) {
    const desk = open();
    await print(json ? `${JSON.stringify(listForJson(desk), null, 2)}\n` : listText(desk));
    return 0;
  }
  const event = parseEventName(test.event);
  const { sampleInput } = await import("../hooks/sample-input.ts");
  const inputFields = test.input === undefined ? {} : await readInputFields(test.input, stdin);
  assertFieldTypes(inputFields, sampleInput(event));
  const input = sampleInput(event, {
    ...(test.matcher === undefined ? {} : { matcher: test.matcher }),
    overrides: inputFields,
  });
  const trial = await open().try(input, signal);
  await print(json ? `${JSON.stringify({ event, input, ...trial }, null, 2)}\n` : trialText(input, trial));
  return trial.runs.some(({ outcome }) => outcome !== "success") ? 1 : 0;
}

function parseEventName(name: string): HookEvent {
  const event = hookEvents.find((known) => known === name);
  if (event !== undefined) return event;
  const near = hookEvents.find((known) => known.toLowerCase() === name.toLowerCase());
  throw new UsageError(
    near === undefined
      ? `${JSON.stringify(name)} is not a hook event; the events are ${hookEvents.join(", ")}.`
      : `The event is called ${near}: the names are case-sensitive.`,
  );
}

async function readInputFields(inputFlag: string, stdin: Readable): Promise<Record<string, unknown>> {
  const text = inputFlag === "-" ? await readStdin(stdin) : inputFlag;
  const value = tryParseJson(text);
  if (value === undefined)
    throw new UsageError(
      `--input should be a JSON object, such as '{"tool_name":"Edit"}', or - with one on standard input.`,
    );
  if (!isRecord(value)) throw new UsageError("--input should be a JSON object of the event's fields.");
  return value;
}

/** Strings and objects of the sample must keep their type: hooks and matchers rely on it. `tool_response` may be anything. */
function assertFieldTypes(inputFields: Readonly<Record<string, unknown>>, sample: HookInput): void {
  for (const [name, known] of Object.entries(sample)) {
    if (!Object.hasOwn(inputFields, name) || name === "tool_response") continue;
    if (typeof known === "string" && typeof inputFields[name] !== "string")
      throw new UsageError(`--input: "${name}" should be a string.`);
    if (isRecord(known) && !isRecord(inputFields[name]))
      throw new UsageError(`--input: "${name}" should be an object.`);
  }
}

async function readStdin(stdin: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > maxInputBytes) throw new UsageError("--input: more than 4 MiB came on standard input.");
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function listForJson({ cwd, hooks, problems }: HookDesk): object {
  return { cwd, hooks, problems };
}

function listText({ cwd, hooks, problems }: HookDesk): string {
  const lines = hooks.flatMap((hook, index) => [
    ...(hooks[index - 1]?.event === hook.event ? [] : [hook.event]),
    `  ${hook.runs ? "runs" : "does not run"}: ${describeHook(hook)}`,
    `    ${hook.source}${hook.trusted ? "" : ", not trusted"}${hook.why === null ? "" : `; ${hook.why}`}`,
  ]);
  if (hooks.length === 0) lines.push(`No hooks are configured for ${cwd}.`);
  for (const { level, text } of problems) lines.push(`${level === "error" ? "error" : "note"}: ${text}`);
  return `${lines.map((line) => line.replace(/\S.*/su, (text) => revealLine(text, maxLineLength))).join("\n")}\n`;
}

function describeHook({ matcher, type, command, if: condition, timeout, async: isAsync }: SurveyedHook): string {
  const more = [`at most ${timeout} s`, ...(isAsync ? ["not waited for"] : [])];
  const about = [matcher ?? "*", ...(condition === null ? [] : [`if ${condition}`])].join(" ");
  return `${about} · ${type} · ${command} (${more.join(", ")})`;
}

function trialText(input: HookInput, { runs, answer, late }: HookTrial): string {
  const lines = [`${input.hook_event_name} ${JSON.stringify(input)}`, ...runs.flatMap(runLines)];
  if (runs.length === 0) lines.push("No hook runs for this event; pawl hooks lists the configured hooks.");
  else lines.push(`together: ${describeAnswer(answer)}`);
  for (const { text } of answer.notices) lines.push(`for you: ${text}`);
  for (const text of [...answer.additionalContext, ...late]) lines.push(`for the model: ${text}`);
  return `${lines.map(sanitize).join("\n")}\n`;
}

function runLines({ name, outcome, exitCode, durationMs, decision, ...output }: HookRecord): string[] {
  const exit = exitCode === undefined ? "" : `, ${exitCode === null ? "ended by a signal" : `exit code ${exitCode}`}`;
  const head = `${oneLine(name, 200)}: ${outcome}${exit}, ${formatDuration(durationMs)}, decision ${decision}`;
  const { stdout, stderr, problem, hint } = output;
  const answered = [...labelledLines("stdout", stdout), ...labelledLines("stderr", stderr)];
  return [head, ...answered, ...labelledLines("problem", problem), ...labelledLines("hint", hint)];
}

function labelledLines(label: string, text: string | undefined): string[] {
  const trimmedText = text?.trimEnd() ?? "";
  return trimmedText === "" ? [] : trimmedText.split("\n").map((line) => `  ${label}: ${line}`);
}

function describeAnswer({
  preventContinuation,
  blocking,
  permission,
  permissionAnswer,
  updatedInput,
}: HookAnswer): string {
  const parts: string[] = [];
  if (preventContinuation !== undefined) parts.push(`the run ends (${preventContinuation})`);
  if (permission !== undefined)
    parts.push(`${permission.behavior}${permission.reason === undefined ? "" : ` (${permission.reason})`}`);
  if (permissionAnswer !== undefined) parts.push(`answered: ${permissionAnswer.behavior}`);
  if (blocking.length > 0) parts.push(`blocked (${blocking.join("; ")})`);
  if (updatedInput !== undefined && permission?.behavior !== "deny")
    parts.push(`the input becomes ${JSON.stringify(updatedInput)}`);
  return parts.length === 0 ? "no objection" : parts.join(", ");
}
