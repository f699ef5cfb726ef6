/** The calendar day of a time in the user's time zone. */

/** The format of the last time zone: creating one takes far longer than using it. */
let cachedFormat: { timeZone: string; format: Intl.DateTimeFormat } | undefined;

/** YYYY-MM-DD of an ISO 8601 time, in `timeZone` (a value of the variable TZ) or in the time zone of this process. */
export function localDay(timestamp: string, timeZone = ""): string {
  const at = new Date(timestamp);
  const zone = timeZone.replace(/^:/u, "");
  // The process itself already uses this time zone.
  if (zone !== "" && timeZone !== process.env["TZ"])
    try {
      if (cachedFormat?.timeZone !== zone)
        cachedFormat = { timeZone: zone, format: new Intl.DateTimeFormat("sv-SE", { timeZone: zone }) };
      return cachedFormat.format.format(at);
    } catch (error) {
      // TZ may also be a file or a rule (EST5EDT,M3.2.0), which only the process itself can interpret.
      if (!(error instanceof RangeError)) throw error;
    }
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}
