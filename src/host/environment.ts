/** A variable of the host's environment; `undefined` if it is not set. */
export const readVariable = (name: string): string | undefined => process.env[name];

/** All of them, as they are now. */
export const readVariables = (): Readonly<Record<string, string | undefined>> => ({ ...process.env });
