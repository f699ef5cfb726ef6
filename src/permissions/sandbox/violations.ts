/** Explains to the model how the sandbox contributed to a command's failure: which file or host, and what would open it. Pure. */
import { resolve } from "node:path";
import { oneLine, reveal } from "../../lib/sanitize.ts";
import { isInside } from "../paths/path-forms.ts";
import type { Mount } from "./mounts.ts";

export interface RefusedHost {
  host: string;
  port: number;
  why: string;
}

export interface Violations {
  /** Null if the command has not ended. */
  exitCode: number | null;
  stderr: string;
  cwd: string;
  mounts: readonly Mount[];
  isDiskOpen: boolean;
  refusedHosts: readonly RefusedHost[];
  /** Refusals that the sandbox itself noted, one a line. */
  observedRefusals: readonly string[];
  /** Whether hosts can be reached through a proxy at all. */
  hasNetwork: boolean;
  /** Paths whose refusal needs no explanation. */
  ignored: readonly string[];
  /** Whether the model may ask to leave the sandbox. */
  mayLeave: boolean;
  /** Names that were taken from what the command created. */
  movedAside: readonly string[];
  temporary: string;
}

const maxListed = 3;
const maxLines = 400;
const maxLineLength = 2_000;
const readOnlyErrors = /Read-only file system|EROFS|Errno 30\b/u;
const busyErrors = /Device or resource busy|EBUSY|Errno 16\b/u;
const fileErrors =
  /\b(?:Read-only file system|Permission denied|Operation not permitted|Device or resource busy|EROFS|EACCES|EPERM|EBUSY|Errno (?:1|13|16|30))\b/u;
const networkErrors =
  /could ?n[o']t resolve|name or service not known|temporary failure in name resolution|network is unreachable|could not resolve|ENOTFOUND|EAI_AGAIN|ENETUNREACH|getaddrinfo|no address associated/iu;
// From inside, only a server of the sandbox itself can refuse: all others are behind the proxy, or unreachable.
const refusedErrors = /connection refused|ECONNREFUSED|could ?n[o']t connect to|failed to connect|Errno 111\b/iu;
const socketErrors =
  /(?:socket|connect|daemon|docker\.sock|agent|\.sock)\b.*(?:Operation not permitted|EPERM)|dial unix/iu;

// A disk was removed, or another sandbox's folder deleted, between listing the mounts and working on them.
const mountGone = /^bwrap: .*\bremount\b.*: (?:No such file or directory|Invalid argument)$/mu;

/** Returns the explanation, or undefined if the sandbox had no part in the failure. */
export function explainViolations(violations: Violations): string | undefined {
  if (violations.exitCode === 1 && mountGone.test(violations.stderr))
    return "[Sandbox: something that was mounted on this machine went away while the sandbox was set up, and the command did not run. Run it once more.]";
  const parts = [
    ...movedAsideText(violations),
    ...failureTexts(violations),
    ...hostTexts(violations),
    ...observedTexts(violations),
  ];
  if (parts.length === 0) return undefined;
  const leave = violations.mayLeave
    ? "If the task needs it, run the command again with dangerouslyDisableSandbox: true, which asks the user; do not look for a way round it."
    : "Only the user's settings can open more (sandbox.filesystem, sandbox.network.allowedDomains): do without it, or say why it is needed.";
  return `[Sandbox: ${parts.join(" ")} ${leave}]`;
}

function movedAsideText({ movedAside }: Violations): string[] {
  if (movedAside.length === 0) return [];
  return [
    `commands may not create ${movedAside.slice(0, maxListed).map(shortenForDisplay).join(", ")}, which can make other programs run something: renamed to end in .refused.`,
  ];
}

function failureTexts(violations: Violations): string[] {
  const { stderr, exitCode, isDiskOpen } = violations;
  const isFailure = exitCode !== 0;
  if (/^bwrap: /mu.test(stderr) && exitCode === 1) return ["it could not be set up, and the command did not run."];
  const lines = stderr.split("\n", maxLines).filter((line) => line.length < maxLineLength);
  const texts = isDiskOpen ? [] : fileTexts(violations, lines);
  if (!isFailure) return texts;
  if (!isDiskOpen && texts.length === 0 && namesNoPath(lines))
    texts.push(`commands write in the working directories and in $TMPDIR (${violations.temporary}) only.`);
  if (lines.some((line) => socketErrors.test(line)))
    texts.push("sockets of other programs (Docker, agents, databases) are closed.");
  if (violations.refusedHosts.length === 0 && lines.some((line) => networkErrors.test(line)))
    texts.push(
      violations.hasNetwork
        ? "the network is reached through the proxy in HTTPS_PROXY and HTTP_PROXY only, which this program did not use."
        : "there is no network.",
    );
  else if (violations.refusedHosts.length === 0 && lines.some((line) => refusedErrors.test(line)))
    texts.push("a command reaches only those servers of this machine that it starts itself, even if others run.");
  return texts;
}

function namesNoPath(lines: readonly string[]): boolean {
  const refused = lines.filter((line) => readOnlyErrors.test(line));
  return refused.length > 0 && refused.every((line) => pathsIn(line, "/").length === 0);
}

/** Reports only files that the sandbox really closes: the same errors also occur for files the user never had access to. */
function fileTexts({ cwd, mounts, ignored, stderr, temporary }: Violations, lines: readonly string[]): string[] {
  const paths = lines.filter((line) => fileErrors.test(line)).flatMap((line) => pathsIn(line, cwd));
  const isIgnored = (path: string): boolean => ignored.some((each) => isInside(resolve(cwd, each), path));
  const closed = [...new Set(paths)].filter((path) => !isIgnored(path));
  const listed = (how: PathState): string =>
    closed
      .filter((path) => pathState(path, mounts) === how)
      .slice(0, maxListed)
      .map(shortenForDisplay)
      .join(", ");
  const [hidden, kept, outside] = [listed("hidden"), listed("kept"), listed("outside")];
  const isReadOnly = readOnlyErrors.test(stderr);
  const texts: string[] = [];
  if (hidden !== "") texts.push(`${hidden} may not be read.`);
  if (kept !== "" && (isReadOnly || busyErrors.test(stderr)))
    texts.push(`${kept} may not be changed: it can make other programs run something, or a rule guards it.`);
  if (outside !== "" && isReadOnly)
    texts.push(`${outside} may only be read: commands write in the working directories and in $TMPDIR (${temporary}).`);
  return texts;
}

function hostTexts({ refusedHosts }: Violations): string[] {
  const each = new Map(refusedHosts.map(({ host, port, why }) => [`${host}:${port}`, why]));
  return [...each]
    .slice(0, maxListed)
    .map(([host, why]) => `the network was refused to ${shortenForDisplay(host)}: ${oneLine(reveal(why), 200)}.`);
}

function observedTexts({ observedRefusals }: Violations): string[] {
  return [...new Set(observedRefusals)].slice(0, maxListed).map((line) => `it refused ${shortenForDisplay(line)}.`);
}

/** The words of an error line that are paths: quoted, or up to a colon. */
function pathsIn(output: string, cwd: string): string[] {
  // A shell starts the line with its own name and the line number.
  const line = output.replace(/^\S+: line \d+: /u, "");
  const quoted = [...line.matchAll(/['"`‘]([^'"`’]{1,400})['"`’]/gu)].map(([, text = ""]) => text);
  const bare = [...line.matchAll(/(?:^|[\s:(=])((?:\/|\.{1,2}\/)[^\s:'"`,;)]{1,400})/gu)].map(([, text = ""]) => text);
  const path = /([^\s:'"]{1,200}): (?:Read-only|Permission|Operation|Device)/u.exec(line)?.[1];
  const words = [...quoted, ...bare, ...(path === undefined ? [] : [path])];
  return words.filter((word) => !word.includes("\0")).map((word) => resolve(cwd, word));
}

type PathState = "writable" | "kept" | "hidden" | "outside";

function pathState(path: string, mounts: readonly Mount[]): PathState {
  const holding = mounts.filter((mount) => isInside(mount.path, path));
  const nearest = holding.at(-1)?.kind;
  if (nearest === undefined) return "outside";
  if (nearest === "writable")
    return mounts.some((mount) => mount.kind === "readable" && isInside(path, mount.path)) ? "kept" : "writable";
  if (nearest === "readable") return holding.some(({ kind }) => kind === "writable") ? "kept" : "outside";
  return "hidden";
}

function shortenForDisplay(text: string): string {
  return oneLine(reveal(text), 200);
}
