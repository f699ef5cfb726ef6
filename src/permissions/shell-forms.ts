/** Forms of what a shell expands, as far as they do nothing but show something. */

export const plainName = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}|[?#$])$/u;
/** These are numbers, which no shell takes apart: no variable that a command may set here changes that. */
export const number = /^\$[?#$]$/u;
export const plainSum = /^\$\(\([\d\s+*/%()-]+\)\)$/u;

/** Bash takes out the end of a line that goes on before it reads what stands there: `$` and `(` on both sides of one are a command. */
export const joined = /(?<![\s&|;])\\\n(?=\S)|(?<=[&|;])\\\n(?=[\\&|;<>(){}])/u;
