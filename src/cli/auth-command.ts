/** `pawl auth status`: tells a program that is about to drive a session whether it must ask its user for a key. */
import type { EngineOptions } from "../session/options/options.ts";
import type { AuthArguments } from "./auth-arguments.ts";

/** Returns the exit code: 1 if a session could not reach a model. */
export async function runAuth(
  { isText }: AuthArguments,
  context: Pick<EngineOptions, "cwd" | "env" | "home">,
  print: (text: string) => Promise<unknown>,
): Promise<number> {
  const { authStatus } = await import("../session/desk/auth-status.ts");
  const status = authStatus({ ...context, onNotice: () => {} });
  const { problem, apiKeySource } = status;
  await print(
    isText ? `${problem ?? `The key comes from ${apiKeySource}.`}\n` : `${JSON.stringify(status, null, 2)}\n`,
  );
  return status.loggedIn ? 0 : 1;
}
