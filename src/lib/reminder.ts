/** The envelope that tells the model who speaks: text in it comes from the program. What is put in cannot get out of it. */

export function reminder(text: string): string {
  return `<system-reminder>\n${withoutReminders(text)}\n</system-reminder>`;
}

/** Nothing in it passes for a reminder of the program. */
export function withoutReminders(text: string): string {
  return text.replaceAll(/<(?=\s*(?:\/\s*)?system-reminder)/giu, "&lt;");
}
