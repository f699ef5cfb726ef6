/** `pawl --init-only`: the Setup hooks that a session here would run, without a session. */
import type { EngineOptions } from "../session/options/options.ts";
import type { StopDesk } from "../surface/stop.ts";

/** Answers the exit code: 0, for nothing that these hooks say stands in anybody's way; what they complain of is said. */
export async function runSetup(options: EngineOptions, stop: StopDesk, say: (text: string) => void): Promise<number> {
  const { openHookDesk } = await import("../session/hooks/hook-desk.ts");
  const ended = new AbortController();
  const leave = stop.attend(() => ended.abort());
  try {
    const desk = openHookDesk(options);
    const { answer } = await desk.try({ hook_event_name: "Setup", trigger: "init" }, ended.signal);
    for (const { text } of answer.notices) say(text);
    for (const text of answer.blocking) say(text);
    return 0;
  } finally {
    leave();
  }
}
