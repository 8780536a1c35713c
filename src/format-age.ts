/** "just now", "5 minutes ago", "2 hours ago", "3 days ago"; a time in the future, from a changed clock, is now. */
export function formatAge(thenMs: number, nowMs: number): string {
  const minutes = Math.floor((nowMs - thenMs) / 60_000);
  if (Number.isNaN(minutes)) return "at an unknown time";
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${count(minutes, "minute")} ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${count(hours, "hour")} ago` : `${count(Math.floor(hours / 24), "day")} ago`;
}

const count = (number: number, unit: string): string => `${number} ${unit}${number === 1 ? "" : "s"}`;
