/** The variables of a process, or those that stand for them. */
export type Environment = Readonly<Record<string, string | undefined>>;
