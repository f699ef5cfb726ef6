/** The library in a process of its own: prompts come in as stream-json lines, results go out. */
import { createInterface } from "node:readline";
import { createEngine } from "../../../src/index.ts";

const engine = await createEngine({ allowedTools: ["Bash", "Write", "Edit"], headless: true });
for await (const line of createInterface({ input: process.stdin })) {
  const { message } = JSON.parse(line) as { message: { content: string } };
  for await (const event of engine.submitMessage(message.content))
    if (event.type === "result") process.stdout.write(`${JSON.stringify(event)}\n`);
}
await engine.dispose();
