/** A variable of the host's environment; `undefined` if it is not set. */
export const readVariable = (name: string): string | undefined => process.env[name];
