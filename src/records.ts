/** A plain object, such as JSON has. */
export type PlainRecord = Record<string, unknown>;

/** Is it an object that is no list and not null? */
export function isRecord(value: unknown): value is PlainRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Both in one, key by key and level by level; of two values that are not both objects the stronger stays. */
export function mergeRecords(weaker: PlainRecord, stronger: PlainRecord): PlainRecord {
  const merged: PlainRecord = { ...weaker };
  for (const [key, value] of Object.entries(stronger)) {
    const below = merged[key];
    merged[key] = isRecord(below) && isRecord(value) ? mergeRecords(below, value) : value;
  }
  return merged;
}

/** The value of a text of JSON; `undefined` for what is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
