/** The envelope that marks text as coming from the program. Text inside cannot close it. */

export function reminder(text: string): string {
  return `<system-reminder>\n${withoutReminders(text)}\n</system-reminder>`;
}

/** Returns the text with nothing in it that could pass for a reminder. */
export function withoutReminders(text: string): string {
  return text.replaceAll(/<(?=\s*(?:\/\s*)?system-reminder)/giu, "&lt;");
}
