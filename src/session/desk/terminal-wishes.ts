/** How a terminal should behave, according to its environment and settings. */
import { yesOrNo } from "../../lib/yes-or-no.ts";
import { given } from "../options/variables.ts";
import type { EngineOptions } from "../options/options.ts";
import { loadFor, settingsPlaces } from "../settings/read-settings.ts";

export interface TerminalWishes {
  /** Where a screen reader was requested. A "no" in the variable wins over a "yes" in the settings. */
  screenReader?: "env" | "settings";
  /** Vim key bindings are wanted; the keys that leave insert mode besides Esc. */
  vimEscapes?: string[];
}

const variable = "CLAUDE_AX_SCREEN_READER";

/** Problems with the settings are reported by the session. */
export function terminalWishes(options: EngineOptions): TerminalWishes {
  const places = settingsPlaces({ ...options, onNotice: () => {} });
  const { settings } = loadFor(options, places);
  const own = yesOrNo(given(places.env[variable]) ?? "");
  const said = own ?? (yesOrNo(given(settings.env[variable]) ?? "") === true ? true : undefined);
  const isSet = settings.axScreenReader === true;
  const remaps = Object.entries(settings.vimInsertModeRemaps ?? {});
  return {
    ...(said === true ? { screenReader: "env" } : said === undefined && isSet ? { screenReader: "settings" } : {}),
    ...(settings.editorMode === "vim" ? { vimEscapes: remaps.map(([keys]) => keys) } : {}),
  };
}
