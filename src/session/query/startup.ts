/** A session created before its prompt is known, for programs whose first answer must not wait for the start. */
import { SessionError } from "../../lib/session-error.ts";
import { checkObject, checkParameters } from "../options/check-arguments.ts";
import { snapshotOptions } from "../options/snapshot-options.ts";
import { createEngine } from "../compose.ts";
import type { Options } from "../options/query-options.ts";
import { queryOf } from "./query.ts";
import type { Query, QueryParams } from "./query-types.ts";

export interface WarmQuery extends AsyncDisposable {
  /** Can be called once; the session is closed with its last message. Throws `SessionError` if it was already used or closed. */
  query(prompt: QueryParams["prompt"]): Query;
  /** Closes a session that was never used. */
  close(): Promise<void>;
}

/** Throws whatever `createEngine` throws. */
export async function startup(params: { options?: Options | undefined } = {}): Promise<WarmQuery> {
  checkObject("The argument of startup()", params);
  // The convention's time limit for a process to start.
  checkParameters("startup()", params, ["options", "initializeTimeoutMs"]);
  const options = snapshotOptions(params.options ?? {});
  const engine = await createEngine(options);
  let isTaken = false;
  const close = async (): Promise<void> => {
    if (!isTaken) await engine.dispose();
    isTaken = true;
  };
  return {
    query(prompt) {
      if (isTaken) throw new SessionError("session_closed", "This session was already used or closed.");
      isTaken = true;
      return queryOf(engine, { prompt, options });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
