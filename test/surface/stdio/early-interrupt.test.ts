// An interrupt that comes behind a message whose turn has not begun, as a pipe may hand over both at once.
import { describe, expect, test } from "vitest";
import { drive, says } from "./client.ts";

const one = "0b0b0b0b-1111-4222-8333-000000000001";
const two = "0b0b0b0b-1111-4222-8333-000000000002";

describe("an interrupt", () => {
  test.each([undefined, one])("ends the turn of the next waiting message only", (uuid) =>
    drive([says("x"), says("y")], {}, async (client) => {
      client.sendPrompt("first");
      await client.result(1);
      // In one piece, as a pipe may hand them over.
      client.sendPrompt("second", { uuid });
      client.sendPrompt("third", { uuid: two });
      expect(await client.request("interrupt")).toEqual({ still_queued: [two] });
      expect(await client.result(2)).toMatchObject({ terminal_reason: "aborted_streaming" });
      expect(await client.result(3)).toMatchObject({ result: "y" });
    }),
  );

  test("has no effect on later messages if its message is dropped before the turn", () =>
    drive([says("x"), says("y")], {}, async (client) => {
      client.sendPrompt("first");
      await client.result(1);
      client.sendPrompt("second", { uuid: one });
      const asked = [
        client.request("interrupt"),
        client.request("cancel_async_message", { message_uuid: one }),
      ] as const;
      expect(await Promise.all(asked)).toEqual([{ still_queued: [] }, { cancelled: true }]);
      client.sendPrompt("third");
      expect(await client.result(2)).toMatchObject({ result: "y" });
    }));

  test("still ends the first message's turn if an urgent message comes before it", () =>
    drive([says("x")], {}, async (client) => {
      client.sendPrompt("first");
      const receipt = client.request("interrupt");
      client.sendPrompt("urgent", { priority: "now" });
      await receipt;
      expect(await client.result(1)).toMatchObject({ result: "x" });
      expect(await client.result(2)).toMatchObject({ terminal_reason: "aborted_streaming" });
    }));

  // Seen: the one that overtook it ran, and then so did it, though its receipt had told of its end.
  test("still ends its own message's turn if another message overtakes it", () =>
    drive([says("x"), says("y")], {}, async (client) => {
      client.sendPrompt("first");
      await client.result(1);
      client.sendPrompt("second", { uuid: one });
      const asked = client.request("interrupt");
      client.sendPrompt("third", { uuid: two, priority: "now" });
      expect(await asked).toEqual({ still_queued: [] });
      expect(await client.result(2)).toMatchObject({ result: "y" });
      expect(await client.result(3)).toMatchObject({ terminal_reason: "aborted_streaming" });
    }));

  test("has no effect on the next message if the first message is dropped", async () => {
    for (const isQueueDropped of [true, false])
      await drive([says("x")], {}, async (client) => {
        client.sendPrompt("first", { uuid: one });
        const asked = client.request("interrupt", isQueueDropped ? { cancel_queued: true } : {});
        const dropped = isQueueDropped ? undefined : client.request("cancel_async_message", { message_uuid: one });
        expect(await asked).toEqual(isQueueDropped ? { cancelled: [one], still_queued: [] } : { still_queued: [] });
        if (dropped !== undefined) expect(await dropped).toEqual({ cancelled: true });
        client.sendPrompt("second");
        expect(await client.result(1)).toMatchObject({ result: "x" });
      });
  });
});
