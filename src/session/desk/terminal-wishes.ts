/** What a terminal is to be like, as its environment and settings say it. */
import { yesOrNo } from "../../lib/yes-or-no.ts";
import { given } from "../options/variables.ts";
import type { EngineOptions } from "../options/options.ts";
import { loadFor, settingsPlaces } from "../settings/read-settings.ts";

export interface TerminalWishes {
  /** What says that a screen reader is to read it. A variable's no counts over the settings' yes. */
  screenReader?: "env" | "settings";
  /** Vim's keys are wanted; what ends the insert mode besides Esc. */
  vimEscapes?: string[];
}

const variable = "CLAUDE_AX_SCREEN_READER";

/** What is wrong with the settings is told by the session. */
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
