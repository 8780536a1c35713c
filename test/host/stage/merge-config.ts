/** Lays one configuration over another: objects are merged key by key, everything else is replaced. */
export function mergeConfig(
  base: Record<string, unknown>,
  over: Record<string, unknown>,
): Record<string, unknown> {
  const merged = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const below = base[key];
    merged[key] = isRecord(value) && isRecord(below) ? mergeConfig(below, value) : value;
  }
  return merged;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
