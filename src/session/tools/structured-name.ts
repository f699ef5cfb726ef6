/** The tool by which an answer of a given form ends the turn. Apart: only runs that ask for one load the tool. */
export const structuredToolName = "StructuredOutput";
