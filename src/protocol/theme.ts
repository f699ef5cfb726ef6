/** The themes for terminals: `auto` chooses by the terminal's background; with `-ansi`, only the 16 basic colours are used. */
export const themes = [
  "auto",
  "dark",
  "light",
  "dark-daltonized",
  "light-daltonized",
  "dark-ansi",
  "light-ansi",
] as const;
export type Theme = (typeof themes)[number];
