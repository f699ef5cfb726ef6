/**
 * The script of the demo's model. It knows what the two bugs look like, not where they are: every edit is derived from the
 * results of Read, and every step from the conversation alone, so that an interrupted session continues where it was.
 */
import type { Reply, RequestView, Script, ToolResultView } from "../src/testing/index.ts";

const source = "src/paginate.js";
/** Names the reporter whose output the script understands, because the default depends on Node's version. */
export const testCommand = "node --test --test-reporter=spec";
const pushCommand = "git push origin main";

export const demoPrompt = "The tests of this folder fail. Find out why, fix the code, and make sure they pass.";

export const demoScript: Script = {
  rules: [{ name: "one overload", when: { turns: 1 }, reply: { fault: "overloaded" }, times: 1 }],
  fallback: reply,
};

interface Progress {
  /** The file as Read last showed it, without line numbers; null before that. */
  code: string | null;
  /** The old text of each edit since then. */
  edited: string[];
  everEdited: boolean;
  /** The last edit failed, so the file must be read again. */
  mustRead: boolean;
  /** Read reported that it cannot show the file. */
  isUnreadable: boolean;
  test: "none" | "stale" | "passed" | "failed";
  triedPush: boolean;
}

function reply(request: RequestView): Reply {
  const seen = readProgress(request.toolResults);
  if (seen.isUnreadable)
    return { content: [`There is no ${source} that I could read or fix. I stop here so that you can look.`] };
  if (seen.code === null || seen.mustRead) return start(seen);
  const { count, cut } = findSuspects(seen.code);
  if (count !== undefined && !seen.edited.includes(count.line))
    return edit(
      count.line,
      count.line.replace(roundingDown, "Math.ceil("),
      "A last page that is not full is lost: the count is rounded down.",
    );
  if (seen.test === "none" || seen.test === "stale") return runTests(seen);
  if (seen.test === "passed") return finish(seen, count, cut);
  if (cut !== undefined && !seen.edited.includes(cut.line))
    return edit(
      cut.line,
      cut.line.replace(cut.fromZero, (_, after = "", before = "") => `${before}(${cut.page} - 1)${after}`),
      "One test still fails: pages count from 1, but the slice starts as if they counted from 0.",
    );
  return { content: ["The tests still fail, and I do not see why from this file. I stop here so that you can look."] };
}

const roundingDown = /Math\.(?:floor|round|trunc)\(/;

interface Suspect {
  name: string;
  line: string;
}

/** Finds the two lines by what they do, whatever else the file contains and however things are named. */
function findSuspects(code: string): { count?: Suspect; cut?: Suspect & { page: string; fromZero: RegExp } } {
  const found: ReturnType<typeof findSuspects> = {};
  for (const { name, parameters, lines } of functionsOf(code)) {
    const [, page = "", size = ""] = parameters;
    if (size !== "") {
      const fromZero = new RegExp(`\\b(?:${page}( *\\* *${size})|(${size} *\\* *)${page})\\b`);
      const line = lines.find((text) => fromZero.test(text));
      if (line !== undefined) found.cut ??= { name, line, page, fromZero };
    } else if (page !== "") {
      const line = lines.find((text) => roundingDown.test(text));
      if (line !== undefined) found.count ??= { name, line };
    }
  }
  return found;
}

const functionText = /(\w+) *(?:= *)?\(([\w, ]*)\) *(?:=> *)?(?:\{([^\n]+)\} *;?$|\{([^]*?)\n\}|(?<==> *)([^{\n]+))/gm;

function functionsOf(code: string): { name: string; parameters: string[]; lines: string[] }[] {
  return [...code.matchAll(functionText)].map(([, name = "", parameters = "", short, body, expression]) => ({
    name,
    parameters: parameters.split(/, */),
    lines: (short ?? body ?? expression ?? "").split("\n"),
  }));
}

function start(progress: Progress): Reply {
  const read = { tool: "Read|read_file", input: { "file_path|path": source } };
  if (progress.code !== null) return { content: ["The last step was interrupted; I look at the file again.", read] };
  return {
    content: [
      { thinking: "The tests fail. First see the code and who uses it; both can be looked up at once." },
      "I look at the code and at its uses.",
      read,
      { tool: "Grep|grep", input: { pattern: "pageCount|pageOf", output_mode: "content" } },
    ],
  };
}

function edit(oldText: string, newText: string, why: string): Reply {
  return {
    content: [
      { thinking: why },
      why,
      { tool: "Edit|edit_file", input: { "file_path|path": source, old_string: oldText, new_string: newText } },
    ],
  };
}

function runTests(progress: Progress): Reply {
  const why = progress.everEdited ? "Now the tests." : "Nothing in the code looks wrong to me; the tests will tell.";
  return { content: [why, { tool: "Bash|shell", input: { command: testCommand, description: "Run the tests" } }] };
}

function finish(progress: Progress, count: Suspect | undefined, cut: Suspect | undefined): Reply {
  if (!progress.everEdited)
    return { content: ["The tests already pass. There was nothing to fix, and I changed nothing."] };
  if (!progress.triedPush)
    return {
      content: ["All tests pass. I try to push the fix.", { tool: "Bash|shell", input: { command: pushCommand } }],
    };
  const fixed = [
    ...(isEdited(count) ? [`\`${count.name}\` rounds up`] : []),
    ...(isEdited(cut) ? [`\`${cut.name}\` counts from 1`] : []),
  ];
  const what = fixed.length === 0 ? "" : `: ${fixed.join(" and ")}${fixed.length === 2 ? ", both" : ""}`;
  return {
    content: [`Fixed${what} in ${source}. All tests pass. I was not allowed to push, so that is left to you.`],
  };

  function isEdited(suspect: Suspect | undefined): suspect is Suspect {
    return suspect !== undefined && progress.edited.includes(suspect.line);
  }
}

function readProgress(results: readonly ToolResultView[]): Progress {
  const seen: Progress = {
    code: null,
    edited: [],
    everEdited: false,
    mustRead: false,
    isUnreadable: false,
    test: "none",
    triedPush: false,
  };
  for (const result of results) {
    const input = result.input as Record<string, unknown>;
    if (result.tool === "Read") takeRead(seen, result);
    else if (result.tool === "Edit") takeEdit(seen, result, String(input["old_string"]));
    else if (result.tool === "Bash" && input["command"] === testCommand) seen.test = testOutcome(result);
    else if (result.tool === "Bash") seen.triedPush = true;
  }
  return seen;
}

function takeRead(progress: Progress, result: ToolResultView): void {
  const lines = result.text.split("\n").flatMap((line) => /^\s*\d+(?:\t|→)(.*)$/.exec(line)?.[1] ?? []);
  // An interruption is also an error, but does not concern the file.
  progress.isUnreadable = result.isError && result.text.includes(source);
  if (result.isError) return;
  progress.mustRead = false;
  // Read shows no lines if the file is empty or was shown before.
  if (lines.length === 0 && !result.text.includes("is empty")) return;
  progress.code = lines.join("\n");
  progress.edited = [];
}

function takeEdit(progress: Progress, result: ToolResultView, oldText: string): void {
  if (result.isError) {
    progress.mustRead = true;
    return;
  }
  progress.edited.push(oldText);
  progress.everEdited = true;
  if (progress.test !== "none") progress.test = "stale";
}

/** Returns the outcome of a test run. An interrupted run is `stale`, because it shows nothing about the code. */
function testOutcome(result: ToolResultView): Progress["test"] {
  if (/^(?:#|ℹ) fail 0$/m.test(result.text)) return "passed";
  return /^(?:#|ℹ) fail \d+$/m.test(result.text) ? "failed" : "stale";
}
