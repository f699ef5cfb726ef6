/** Whether a screen reader is to read the terminal, and what says so. */
import { yesOrNo } from "../../lib/yes-or-no.ts";
import { given } from "../options/variables.ts";
import type { EngineOptions } from "../options/options.ts";
import { loadFor, settingsPlaces } from "../settings/read-settings.ts";

/** A variable's no counts over the settings' yes. What is wrong with the settings is told by the session. */
export function screenReaderSaid(options: EngineOptions): "env" | "settings" | undefined {
  const places = settingsPlaces({ ...options, onNotice: () => {} });
  const said = yesOrNo(given(places.env["CLAUDE_AX_SCREEN_READER"]) ?? "");
  if (said !== undefined) return said ? "env" : undefined;
  const { settings } = loadFor(options, places);
  if (yesOrNo(given(settings.env["CLAUDE_AX_SCREEN_READER"]) ?? "") === true) return "env";
  return settings.axScreenReader === true ? "settings" : undefined;
}
