// The colours of a conversation on a terminal that is asked for its background, and that answers early, late or never.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { World } from "./command.ts";
import { endPlayedTerminals, onPlayedTerminal, playTerminal } from "./support/played-terminal.ts";

endPlayedTerminals();

const question = "\x1b]11;?\x07\x1b[c";
const white = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\";
const fence = "\x1b[?62;22c";
const [lightCode, darkCode] = ["\x1b[38;5;25mthis", "\x1b[36mthis"];
const script = { fallback: "See `this`." };
const settle = (settings: object) => (world: World) => {
  mkdirSync(join(world.home, ".claude"));
  writeFileSync(join(world.home, ".claude", "settings.json"), JSON.stringify(settings));
  return {};
};
const prompts = ({ server }: World): string => JSON.stringify(server.requests.map(({ body }) => body));

onPlayedTerminal("a white background is asked for and found, and the start does not wait for the answer", async () => {
  const { gets, send, written, world } = await playTerminal(script);
  await gets("/help");
  await gets("> ");
  expect(written().split(question)).toHaveLength(2);
  send("one\r");
  await gets(darkCode);
  send(white.slice(0, 9));
  send(white.slice(9) + fence);
  send("two\r");
  await gets(lightCode);
  send("\x04");
  await gets("left with 0");
  expect(prompts(world)).not.toContain("rgb");
  send("END\n");
  await gets("shell got <END>");
});

onPlayedTerminal("no byte of an answer reaches the shell if the person leaves before it", async () => {
  const { gets, send, written } = await playTerminal(script);
  await gets("> ");
  // In one piece: a busy machine might send the rest after the wait for it.
  send(`\x04${white}${fence}`);
  await gets("left with 0");
  send("END\n");
  await gets("shell got <END>");
  expect(written()).not.toContain("rgb:");
});

onPlayedTerminal("an editor gets the terminal once the answer is here", async () => {
  const layEditor = ({ home }: World): Record<string, string> => {
    writeFileSync(join(home, "editor"), '#!/bin/sh\necho editing\nread -r line\necho "$line" > "$1"\n');
    chmodSync(join(home, "editor"), 0o755);
    return { VISUAL: join(home, "editor") };
  };
  const world = await playTerminal(script, [], layEditor);
  const { gets, send } = world;
  await gets("> ");
  send(`draft\x07${white}${fence}`);
  await gets("editing");
  send("edited\n");
  await gets("> edited");
  send("\r");
  await gets(lightCode);
  expect(prompts(world.world)).toContain('"edited"');
  expect(prompts(world.world)).not.toContain("rgb");
});

onPlayedTerminal("a terminal that never answers can be left", async () => {
  const { gets, send } = await playTerminal(script);
  await gets("> ");
  send("hello\r");
  await gets(darkCode);
  send("\x04");
  await gets("left with 0");
});

onPlayedTerminal(
  "the theme in the settings decides without a question, and one that does not exist is named once",
  async () => {
    const { gets, written } = await playTerminal(script, ["say it"], settle({ theme: "light" }));
    await gets(lightCode);
    expect(written()).not.toContain("\x1b]11");
    const other = await playTerminal(script, ["say it"], settle({ theme: "beige" }));
    await other.gets(question);
    await other.gets('"theme" (line 1) should be one');
    await other.gets(darkCode);
    expect(other.written().split("should be one")).toHaveLength(2);
  },
);

onPlayedTerminal("a run without a conversation has the colours of the theme, and asks nothing", async () => {
  const { gets, written } = await playTerminal(script, ["-p", "say it"]);
  await gets("left with 0");
  expect(written()).toContain("\x1b[2m1 turn");
  expect(written()).not.toContain("\x1b]11");
  const light = await playTerminal(script, ["-p", "say it"], settle({ theme: "light" }));
  await light.gets("left with 0");
  expect(light.written()).toContain("\x1b[38;5;241m1 turn");
});
