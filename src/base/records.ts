/** A plain object, as in JSON. */
export type PlainRecord = Record<string, unknown>;

/** Is the value an object, but neither an array nor null? */
export function isRecord(value: unknown): value is PlainRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Deep merge. Where the two values of a key are not both objects, the stronger wins. */
export function mergeRecords(weaker: PlainRecord, stronger: PlainRecord): PlainRecord {
  const merged: PlainRecord = { ...weaker };
  for (const [key, value] of Object.entries(stronger)) {
    const below = merged[key];
    merged[key] = isRecord(below) && isRecord(value) ? mergeRecords(below, value) : value;
  }
  return merged;
}

/** Parses JSON; `undefined` if the text is not valid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
