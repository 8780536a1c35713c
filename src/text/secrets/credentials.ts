/** The text with user names and passwords removed from its URLs. */
export const withoutCredentials = (text: string): string => text.replace(/\/\/[^/@\s]*@/g, "//");
