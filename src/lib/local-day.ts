/** Which day a time falls on where the user is. */

/** Of the last zone that was asked for: making one takes far longer than asking it. */
let made: { timeZone: string; format: Intl.DateTimeFormat } | undefined;

/** YYYY-MM-DD of an ISO 8601 time: in `timeZone` as the variable TZ has it, or in the zone of this process. */
export function localDay(timestamp: string, timeZone = ""): string {
  const at = new Date(timestamp);
  const zone = timeZone.replace(/^:/u, "");
  // The process has made its own already.
  if (zone !== "" && timeZone !== process.env["TZ"])
    try {
      if (made?.timeZone !== zone)
        made = { timeZone: zone, format: new Intl.DateTimeFormat("sv-SE", { timeZone: zone }) };
      return made.format.format(at);
    } catch (error) {
      // TZ may also be a file or a rule (EST5EDT,M3.2.0), of which only the process itself may make something.
      if (!(error instanceof RangeError)) throw error;
    }
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}
