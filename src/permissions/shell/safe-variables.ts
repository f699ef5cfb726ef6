/** Variables given to one command that name neither a program nor a place to load something from. */
import { isAsciiSafeLocale } from "../../lib/locale-charset.ts";
import type { ShellStep } from "./step.ts";

type Assignment = ShellStep["assignments"][number];

/** Variables that choose how something is displayed. */
const displayVariables =
  /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|TERM|COLUMNS|LINES|CI)$/u;
/** Variables that choose among what the program does anyway. */
const harmlessVariables =
  /^(?:COLORTERM|CARGO_TERM_COLOR|CGO_ENABLED|DEBUG|GOARCH|GOOS|GO111MODULE|LOG_LEVEL|NODE_ENV|PYTHONDONTWRITEBYTECODE|PYTHONHASHSEED|PYTHONIOENCODING|PYTHONUNBUFFERED|PYTHONUTF8|RUST_BACKTRACE|RUST_LIB_BACKTRACE|RUST_LOG|VERBOSE)$/u;

/** Whether the variable only affects display. A slash could name a folder, from which programs would load their messages and formats. */
export function onlyAffectsDisplay({ name, value }: Assignment): boolean {
  // git is run like this anyway.
  if (/^(?:GIT_)?PAGER$/u.test(name)) return value.kind === "literal" && /^(?:cat)?$/u.test(value.text);
  if (!displayVariables.test(name) || value.kind !== "literal") return false;
  if (/^(?:LANG$|LC_)/u.test(name)) return isAsciiSafeLocale(value.text);
  return name === "TZ" || !value.text.includes("/");
}

/** Whether an allow rule for the command also applies with this assignment in front. */
export function isHarmlessAssignment(assignment: Assignment): boolean {
  const { name, value } = assignment;
  return (
    onlyAffectsDisplay(assignment) ||
    (harmlessVariables.test(name) && value.kind === "literal" && !value.text.includes("/"))
  );
}

/**
 * Whether `printf` sets a variable: the shell's own does with `-v`, and with `%n` stores the number of characters printed. A `PATH` of `3`
 * would be a folder here. `words` are its arguments, empty if only the shell knows them.
 */
export function printfSetsVariable(words: readonly string[]): boolean {
  if (words[0]?.startsWith("-v") === true) return true;
  const [format, ...values] = words[0] === "--" ? words.slice(1) : words;
  const counts = format === "" || /%[-+ #0'*.\dhjlLqtz]*n/u.test(format?.replaceAll("%%", "") ?? "");
  return counts && values.length > 0;
}
