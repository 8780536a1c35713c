/** In brackets; the last one may be cut. */
const ASIDE = /\s?[(（][^()（）]{0,300}[)）]/gu;
const OPEN_ASIDE = /\s?[(（][^()（）]*$/u;

/** The text without what stands in brackets. */
export const dropAsides = (text: string): string => text.replace(ASIDE, "").replace(OPEN_ASIDE, "");
