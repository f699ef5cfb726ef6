import { expect, onTestFinished, test } from "vitest";
import { LoginCallbackServer } from "../../src/mcp/login-callback.ts";

// Seen: the page of an earlier login said that pawl had the answer, and pawl waited on.
test("the page says so if an answer belongs to another login, and the right one still counts", async () => {
  const callback = new LoginCallbackServer();
  const address = await callback.open(0, "127.0.0.1");
  onTestFinished(() => callback.close());
  const answered = callback.waitForAnswer("this");
  const pageFor = async (state: string): Promise<[number, string]> => {
    const response = await fetch(`${address}?code=c-${state}&state=${state}`);
    return [response.status, await response.text()];
  };
  expect(await pageFor("another")).toEqual([400, expect.stringContaining("belongs to another login")]);
  expect(await pageFor("this")).toEqual([200, expect.stringContaining("pawl has the answer")]);
  expect((await answered).get("code")).toBe("c-this");
});
