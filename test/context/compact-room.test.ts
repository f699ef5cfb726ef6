// What comes back into a conversation that was compacted takes no more room than there is.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { AttachmentMessage, ContextEvent } from "../../src/protocol/index.ts";
import { fittingContext } from "../../src/context/hooks.ts";
import type { Pass, World } from "../../src/context/layer.ts";
import { spanTokens } from "../../src/context/measure.ts";
import { selectReattachments } from "../../src/context/reattach.ts";
import { fixture, namesOf, timestamp } from "./support.ts";

const reminder = (uuid: string, text: string): AttachmentMessage => ({
  type: "attachment",
  uuid,
  timestamp,
  attachment: { kind: "reminder", name: "file", text },
});
const said = (uuid: string, text: string): AttachmentMessage => ({
  type: "attachment",
  uuid,
  timestamp,
  attachment: { kind: "hook_context", event: "SessionStart", text },
});

const sizes = fc.array(fc.nat({ max: 3_000 }), { maxLength: 30, size: "max" });

test("reattaches files as far as they fit, a quarter as much after each refill, and only names the others", async () => {
  await fc.assert(
    fc.asyncProperty(sizes, fc.nat({ max: 2_000 }), fc.nat({ max: 2 }), async (lengths, room, refills) => {
      const items = lengths.map((length, at) => ({
        label: `file ${at}`,
        ...(length === 0 ? {} : { message: reminder(`f${at}`, `${at}: ${"x".repeat(length)}`) }),
      }));
      const { deps } = fixture({ policy: { reattachTokens: 1_500 } });
      const world = { ...deps, memory: { refills }, reattach: async () => items } as unknown as World;
      const all = await selectReattachments({ world } as Pass, [], room);
      const fitting = items.flatMap(({ message }) => (message !== undefined && all.includes(message) ? [message] : []));
      const most = Math.min(1_500, room) / 4 ** refills;
      expect(spanTokens(fitting)).toBeLessThanOrEqual(most);
      const others = items.filter(({ message }) => message === undefined || !fitting.includes(message));
      const free = most - spanTokens(fitting);
      for (const { message } of others) if (message !== undefined) expect(spanTokens([message])).toBeGreaterThan(free);
      expect(all.slice(0, fitting.length)).toEqual(fitting);
      const names = others.slice(0, 12).map(({ label }) => label);
      const more = others.length > 12 ? [`and ${others.length - 12} more`] : [];
      const told = JSON.stringify(all.slice(fitting.length));
      if (others.length === 0) expect(told).toBe("[]");
      else expect(told).toContain(`for want of room: ${[...names, ...more].join("; ")}. Look again`);
    }),
  );
});

test("cuts the context of hooks to the free room, and reports each cut", () => {
  fc.assert(
    fc.property(sizes, fc.nat({ max: 2_000 }), fc.constantFrom("x", "字"), (lengths, room, end) => {
      const around = end.repeat(100);
      const context = lengths.map((length, at) => said(`h${at}`, `${around}${"x".repeat(length)}${around}`));
      const events: ContextEvent[] = [];
      const { deps } = fixture();
      const steps = fittingContext(deps as unknown as World, context, room);
      let step = steps.next();
      for (; step.done !== true; step = steps.next()) events.push(step.value);
      const { fitting, roomLeft } = step.value;
      expect(roomLeft).toBeGreaterThanOrEqual(0);
      expect(roomLeft).toBeCloseTo(room - spanTokens(fitting), 5);
      const whole = fitting.filter((message) => context.includes(message));
      expect(namesOf(events)).toEqual(Array.from({ length: context.length - whole.length }, () => "hook_context_cut"));
      for (const { attachment } of fitting.filter((message) => !whole.includes(message)))
        expect("text" in attachment && attachment.text).toMatch(/^[x字]{90,}\n\[… cut …\]\n[x字]{90,}$/u);
      const [first] = context;
      // What fits is not cut.
      if (first !== undefined && spanTokens([first]) <= room) expect(fitting[0]).toBe(first);
    }),
  );
});
