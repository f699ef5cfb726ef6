// Hooks of type http whose answer does not come whole.
import { expect, test } from "vitest";
import { runHttpHook } from "../../src/hooks/http-hook.ts";
import { serve } from "../model/support/servers.ts";

test("reports the cause if an HTTP answer breaks off", async () => {
  const { url } = await serve((_request, response) => {
    response.writeHead(200, { "content-length": "100" }).write('{"a":', () => response.destroy());
  });
  const handler = { type: "http", url, headers: {}, allowedEnvVars: [], blocksOnFailure: false } as const;
  const answer = runHttpHook(handler as never, { hook_event_name: "Stop" } as never, new AbortController().signal, {
    env: {},
  });
  await expect(answer).rejects.toThrow(/^its answer broke off \(/u);
});
