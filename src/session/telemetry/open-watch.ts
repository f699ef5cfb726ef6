/** Opens the telemetry of one session, as its environment requests. */
import { randomBytes } from "node:crypto";
import { withMachinePathFirst } from "../../lib/repository-programs.ts";
import type { TelemetryPlan } from "../../telemetry/plan.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { createHeaderSource } from "./headers.ts";
import { readTraceparent } from "./traceparent.ts";
import { SessionWatch } from "./watch.ts";

/** Returns undefined if nothing can be sent anywhere, after a notice. */
export async function openWatch(around: Surroundings, options: EngineOptions): Promise<SessionWatch | undefined> {
  const [{ Telemetry }, { readPlan, signals }] = await Promise.all([
    import("../../telemetry/telemetry.ts"),
    import("../../telemetry/plan.ts"),
  ]);
  const { env, cwd, clock, notice, version, settings } = around;
  const remarks: string[] = [];
  const read = readPlan(env, { service: "pawl", version }, remarks);
  const isTalk = options.headless === false;
  const plan = isTalk ? { ...read, destinations: withoutConsole(read.destinations, remarks) } : read;
  // An inherited trace belongs to the caller; a session with a person has none.
  const inherited = isTalk ? undefined : readTraceparent(env, remarks);
  for (const remark of new Set(remarks)) notice(remark);
  if (signals.every((signal) => plan.destinations[signal].length === 0)) return undefined;
  const helper = settings.otelHeadersHelper;
  const telemetry = new Telemetry(plan, {
    now: () => clock.now(),
    every(ms, action) {
      const timer = setInterval(action, ms);
      timer.unref();
      return () => clearInterval(timer);
    },
    after(ms, action) {
      const timer = setTimeout(action, ms);
      return () => clearTimeout(timer);
    },
    randomHex: (bytes) => randomBytes(bytes).toString("hex"),
    print: (text) => void process.stderr.write(text),
    notice,
    debug: (line) => options.debug?.(line),
    ...(helper === undefined
      ? {}
      : {
          headers: createHeaderSource(helper, withMachinePathFirst(env, cwd), plan.maxHeadersAgeMs, () =>
            clock.elapsed(),
          ),
        }),
    version,
    proxies: env,
  });
  return new SessionWatch(telemetry, { clock, env, inherited, entrypoint: entrypointOf(env, options), version });
}

type Destinations = TelemetryPlan["destinations"];

/** The console exporter would write into the text that a person reads. */
function withoutConsole(destinations: Destinations, remarks: string[]): Destinations {
  const isKept = ({ kind }: Destinations["logs"][number]): boolean => kind !== "console";
  const { metrics, logs, traces } = destinations;
  if (![...metrics, ...logs, ...traces].every(isKept))
    remarks.push(
      "The exporter console is left out in a conversation, since it would write to the terminal: use it with -p.",
    );
  return { metrics: metrics.filter(isKept), logs: logs.filter(isKept), traces: traces.filter(isKept) };
}

function entrypointOf(env: Surroundings["env"], { headless }: EngineOptions): string {
  const entrypoint = env["CLAUDE_CODE_ENTRYPOINT"]?.trim() ?? "";
  if (entrypoint !== "") return entrypoint;
  if (headless === undefined) return "sdk-ts";
  return headless ? "sdk-cli" : "cli";
}
