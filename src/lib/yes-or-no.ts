/** Reads an on/off variable of the environment; undefined for any other text, and for none. */
export function yesOrNo(text: string | undefined): boolean | undefined {
  switch (text?.trim().toLowerCase()) {
    case "1":
    case "true":
    case "yes":
    case "on":
      return true;
    case "0":
    case "false":
    case "no":
    case "off":
      return false;
    default:
      return undefined;
  }
}
