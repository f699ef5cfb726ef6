/** Whether a session reports to a collector. By default it does not, and no telemetry code is loaded. */
import { yesOrNo } from "../../lib/yes-or-no.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

const exporterVariables = ["OTEL_METRICS_EXPORTER", "OTEL_LOGS_EXPORTER", "OTEL_TRACES_EXPORTER"];

export async function withTelemetry(around: Surroundings, options: EngineOptions): Promise<Surroundings> {
  const { env } = around;
  if (yesOrNo(env["CLAUDE_CODE_ENABLE_TELEMETRY"]) !== true) return around;
  if (yesOrNo(env["OTEL_SDK_DISABLED"]) === true) return around;
  const isNamed = exporterVariables.some((name) => !["", "none"].includes(env[name]?.trim().toLowerCase() ?? ""));
  if (!isNamed) return around;
  const { openWatch } = await import("./open-watch.ts");
  const telemetry = await openWatch(around, options);
  return telemetry === undefined ? around : { ...around, telemetry };
}
