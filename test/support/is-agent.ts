/** Whether a request is an agent's, by the first words of its system prompt. */
export function isAgent({ systemText }: { systemText: string }): boolean {
  return systemText.includes("another agent has given a task");
}
