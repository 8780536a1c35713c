/** The page's route, in the fragment of the URL: `#/memories/decision%2Fport`. Pure. */

export const sections = ["overview", "sessions", "memories", "waiting", "agenda", "changes", "log"] as const;
export type Section = (typeof sections)[number];

export const SECTION_NAMES: Readonly<Record<Section, string>> = {
  overview: "Overview",
  sessions: "Sessions",
  memories: "Memories",
  waiting: "Waiting",
  agenda: "Agenda",
  changes: "Changes",
  log: "Log",
};

export interface Route {
  section: Section;
  /** Id of the open session or memory. */
  id?: string;
}

/** Invalid routes lead to the overview. */
export function parseRoute(hash: string): Route {
  const [, name = "", id] = /^#\/(\w+)(?:\/(.+))?$/.exec(hash) ?? [];
  const section = sections.find((one) => one === name) ?? "overview";
  const decoded = id === undefined ? undefined : decode(id);
  return { section, ...(decoded !== undefined && { id: decoded }) };
}

/** Replaces half surrogate pairs, which a file may contain but a URL cannot, with U+FFFD. */
export function formatRoute(section: Section, id?: string): string {
  if (id === undefined) return `#/${section}`;
  return `#/${section}/${encodeURIComponent(id.replace(/\p{Surrogate}/gu, "\ufffd"))}`;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
