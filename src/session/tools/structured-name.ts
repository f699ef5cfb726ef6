/** The tool whose call ends the turn with a structured answer. Kept apart because only runs that need the tool load it. */
export const structuredToolName = "StructuredOutput";
