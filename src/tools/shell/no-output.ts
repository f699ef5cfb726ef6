/** What the model is told of a command that succeeded and printed nothing. A person is shown fewer words for it. */
export const noOutput = "[The command finished and printed nothing.]";
