/** How a line looks on a terminal: few colours, none where they are not wanted (NO_COLOR, TERM=dumb, no terminal). */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
}

const same = (text: string): string => text;
export const plain: Style = { bold: same, dim: same, red: same, green: same, yellow: same };

function sgr(on: number, off: number): (text: string) => string {
  return (text) => (text === "" ? "" : `\x1b[${on}m${text}\x1b[${off}m`);
}

const coloured: Style = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
};

export function styleFor(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): Style {
  return isTerminal && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb" ? coloured : plain;
}
