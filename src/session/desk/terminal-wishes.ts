/** How a terminal should behave, according to its environment and settings. */
import { yesOrNo } from "../../lib/yes-or-no.ts";
import type { Theme } from "../../protocol/theme.ts";
import { nonEmpty } from "../options/variables.ts";
import type { EngineOptions } from "../options/options.ts";
import { loadSettingsFor, settingsPlaces } from "../settings/read-settings.ts";

export interface TerminalWishes {
  /** Where a screen reader was requested. A "no" in the variable wins over a "yes" in the settings. */
  screenReader?: "env" | "settings";
  theme?: Theme;
  /** Vim key bindings are wanted; the keys that leave insert mode besides Esc. */
  vimEscapes?: string[];
}

const screenReaderVariable = "CLAUDE_AX_SCREEN_READER";

/** Problems with the settings are reported by the session. */
export function terminalWishes(options: EngineOptions): TerminalWishes {
  const places = settingsPlaces({ ...options, onNotice: () => {} });
  const { settings } = loadSettingsFor(options, places);
  const fromEnvironment = yesOrNo(nonEmpty(places.env[screenReaderVariable]) ?? "");
  const requested =
    fromEnvironment ?? (yesOrNo(nonEmpty(settings.env[screenReaderVariable]) ?? "") === true ? true : undefined);
  const isSet = settings.axScreenReader === true;
  const remaps = Object.entries(settings.vimInsertModeRemaps ?? {});
  return {
    ...(requested === true
      ? { screenReader: "env" }
      : requested === undefined && isSet
        ? { screenReader: "settings" }
        : {}),
    ...(settings.theme === undefined ? {} : { theme: settings.theme }),
    ...(settings.editorMode === "vim" ? { vimEscapes: remaps.map(([keys]) => keys) } : {}),
  };
}
