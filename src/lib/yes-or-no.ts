/** What a variable of the environment says that is on or off; undefined for all other words, and for none. */
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
