/** `pawl sessions`: lists, searches, renames, copies, exports and removes sessions. */
import { formatCount } from "../lib/format-figures.ts";
import type { Writable } from "node:stream";
import type { Pruned, StoredSessionsDesk } from "../session/sessions/desk.ts";
import { notifyIfSlow } from "../lib/notify-if-slow.ts";
import { sessionListText, readingSessionsText } from "../surface/show/session-list.ts";
import { writeOutput } from "./say.ts";
import { sessionReportText } from "./sessions-text.ts";
import type { SessionsArguments } from "./sessions-arguments.ts";

export interface SessionsContext {
  cwd: string;
  env: Record<string, string | undefined>;
  /** ms since the epoch. */
  now: () => number;
  onNotice: (text: string) => void;
}

type SessionsRequest = SessionsArguments & { sessionName: string };

const defaultLimit = 50;

/** Returns the exit code. Throws `UsageError` for an unknown session or one that is open. */
export async function runSessions(
  args: SessionsArguments,
  context: SessionsContext,
  stdout: Writable,
): Promise<number> {
  const { StoredSessionsDesk: Desk } = await import("../session/sessions/desk.ts");
  const desk = new Desk(context);
  for await (const text of runVerb({ ...args, sessionName: args.words[0] ?? "" }, desk, context))
    if (!(await writeOutput(stdout, text))) break;
  return 0;
}

async function* runVerb(
  args: SessionsRequest,
  desk: StoredSessionsDesk,
  context: SessionsContext,
): AsyncGenerator<string> {
  const { verb, sessionName, json } = args;
  const rest = args.words.slice(1).join(" ");
  switch (verb) {
    case "list":
      return yield await listSessions(args, desk, context);
    case "search":
      return yield await listSessions({ ...args, search: args.words.join(" ") }, desk, context);
    case "show": {
      const report = await desk.report(sessionName);
      return yield json
        ? jsonLine({ ...report.info, ...report, info: undefined })
        : sessionReportText(report, context.now());
    }
    case "rename":
      return desk.rename(sessionName, rest);
    case "tag":
      return desk.tag(sessionName, rest);
    case "untag":
      return desk.tag(sessionName, null);
    case "archive":
    case "unarchive":
      return desk.archive(sessionName, verb === "archive");
    case "fork": {
      const { sessionId, notice } = desk.fork(sessionName, args);
      if (notice !== undefined) context.onNotice(notice);
      return yield json ? jsonLine({ sessionId }) : `${sessionId}\n`;
    }
    case "export":
      return yield* exportSession(args, desk);
    case "prune":
      return yield await prune(args, desk, context);
    case "delete":
      for (const each of args.words) {
        const sessionId = desk.delete(each);
        yield json ? jsonLine({ deleted: sessionId }) : `deleted ${sessionId}\n`;
      }
      return;
    case "reindex": {
      const sessions = await desk.reindex();
      return yield json
        ? jsonLine({ sessions })
        : `${formatCount(sessions, "session is", "sessions are")} in the index.\n`;
    }
    default:
      return verb satisfies never;
  }
}

function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

async function listSessions(
  args: SessionsRequest,
  desk: StoredSessionsDesk,
  context: SessionsContext,
): Promise<string> {
  const { all: everywhere, search, tag, json, limit } = args;
  const filters = { ...(search === undefined ? {} : { search }), ...(tag === undefined ? {} : { tag }) };
  const listed = await notifyIfSlow(desk.list({ everywhere, ...filters }), () => context.onNotice(readingSessionsText));
  const found = listed.filter(({ archived }) => everywhere || archived !== true);
  if (json) return `${JSON.stringify(found.slice(0, limit ?? Infinity), null, 2)}\n`;
  if (found.length === 0) context.onNotice(nothingFoundText(args));
  const shown = found.slice(0, limit ?? defaultLimit);
  const more = found.length - shown.length;
  const tail = more === 0 ? "" : `and ${more} more (--limit ${found.length} lists all)\n`;
  return sessionListText(shown, context.now(), everywhere) + tail;
}

function nothingFoundText({ all, search, tag }: SessionsRequest): string {
  const what = search !== undefined || tag !== undefined ? "No session matches" : "There are no sessions";
  return all ? `${what}.` : `${what} in this folder; --all looks in every folder.`;
}

async function prune(args: SessionsRequest, desk: StoredSessionsDesk, context: SessionsContext): Promise<string> {
  const { olderThan = Infinity, all: everywhere, dryRun, json } = args;
  const pruned: Pruned = await desk.prune({ olderThan, everywhere, dryRun });
  if (json) return `${JSON.stringify({ dryRun, ...pruned }, null, 2)}\n`;
  for (const { session, why } of pruned.kept) context.onNotice(`${session.sessionId} is kept: ${why}`);
  const count = pruned.removed.length;
  const what = dryRun ? "would be removed" : count === 1 ? "was removed" : "were removed";
  return `${sessionListText(pruned.removed, context.now(), everywhere)}${count} ${count === 1 ? "session" : "sessions"} ${what}.\n`;
}

async function* exportSession(
  { sessionName, format, output, force }: SessionsRequest,
  desk: StoredSessionsDesk,
): AsyncGenerator<string> {
  const pieces = desk.export(sessionName, format);
  if (output === undefined) return yield* pieces;
  const { writePieces } = await import("../session/sessions/export-file.ts");
  writePieces(output, pieces, { force, remedy: "name another file, or give --force" });
  yield `written to ${output}\n`;
}
