/** Variables given for one command that name no program and no place to load something from. */
import { takesSignsApart } from "../../lib/locale-charset.ts";
import type { ShellStep } from "./step.ts";

type Assignment = ShellStep["assignments"][number];

/** They choose how something is shown. */
const showing = /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|TERM|COLUMNS|LINES|CI)$/u;
/** They choose among what the program does anyhow. */
const choosing =
  /^(?:COLORTERM|CARGO_TERM_COLOR|CGO_ENABLED|DEBUG|GOARCH|GOOS|GO111MODULE|LOG_LEVEL|NODE_ENV|PYTHONDONTWRITEBYTECODE|PYTHONHASHSEED|PYTHONIOENCODING|PYTHONUNBUFFERED|PYTHONUTF8|RUST_BACKTRACE|RUST_LIB_BACKTRACE|RUST_LOG|VERBOSE)$/u;

/** A slash in one names a folder, from which programs would take their messages, and with them how these are put together. */
export function onlyShows({ name, value }: Assignment): boolean {
  // As git is run anyhow.
  if (/^(?:GIT_)?PAGER$/u.test(name)) return value.kind === "literal" && /^(?:cat)?$/u.test(value.text);
  if (!showing.test(name) || value.kind !== "literal") return false;
  if (/^(?:LANG$|LC_)/u.test(name)) return takesSignsApart(value.text);
  return name === "TZ" || !value.text.includes("/");
}

/** An allow rule for the command holds with it in front. */
export function steersNothing(assignment: Assignment): boolean {
  const { name, value } = assignment;
  return onlyShows(assignment) || (choosing.test(name) && value.kind === "literal" && !value.text.includes("/"));
}

/**
 * The shell's `printf` sets a variable with `-v`, and with `%n` to how much it has put out: a `PATH` of `3` is a folder here. `words`
 * come after it, empty where only the shell knows what they are.
 */
export function setsByPrinting(words: readonly string[]): boolean {
  if (words[0]?.startsWith("-v") === true) return true;
  const [format, ...values] = words[0] === "--" ? words.slice(1) : words;
  const counts = format === "" || /%[-+ #0'*.\dhjlLqtz]*n/u.test(format?.replaceAll("%%", "") ?? "");
  return counts && values.length > 0;
}
