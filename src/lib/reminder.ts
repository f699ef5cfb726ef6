/** The envelope that tells the model who speaks: text in it comes from the program. What is put in cannot get out of it. */

export function reminder(text: string): string {
  return `<system-reminder>\n${text.replaceAll(/<(?=\s*\/?\s*system-reminder)/giu, "&lt;")}\n</system-reminder>`;
}
