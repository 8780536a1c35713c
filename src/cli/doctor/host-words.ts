/**
 * Why OpenCode has not loaded a plugin, in its own words. It does not put them on its screen: what it cannot install or
 * load is an event `session.error`, and what throws as it starts is a line of its log.
 */
import { isRecord } from "../../records.js";

export interface Refusal {
  /** What OpenCode could not do. */
  what: "install" | "load" | "start";
  why: string;
}

/** In an event, as the host sends it. */
export function findRefusalInEvent(json: string): Refusal | undefined {
  const event = parse(json);
  const { payload } = isRecord(event) ? event : {};
  if (!isRecord(payload) || payload.type !== "session.error" || !isRecord(payload.properties))
    return undefined;
  const { error } = payload.properties;
  const message = isRecord(error) && isRecord(error.data) ? error.data.message : undefined;
  const found = typeof message === "string" ? /^Failed to (install|load) plugin (.*)$/s.exec(message) : null;
  if (!found) return undefined;
  const [, what, rest = ""] = found;
  // A spec may have colons of its own, but none that a space follows.
  return { what: what as "install" | "load", why: rest.slice(rest.indexOf(": ") + 2) };
}

/** In what it has printed. */
export function findRefusalInLog(text: string): Refusal | undefined {
  const line = text.split("\n").find((one) => one.includes('message="failed to load plugin"'));
  const quoted = line === undefined ? null : /\berror=("(?:[^"\\]|\\.)*"|\S+)/.exec(line);
  if (!quoted?.[1]) return undefined;
  const why = parse(quoted[1]);
  return { what: "start", why: typeof why === "string" ? why : quoted[1] };
}

export interface Listening {
  url: string;
  signal: AbortSignal;
  onRefusal(refusal: Refusal): void;
}

/** Resolves when OpenCode sends its events, or does not; whatever ends them is no matter. */
export async function listenToOpenCode({ onRefusal, signal, url }: Listening): Promise<void> {
  const response = await fetch(`${url}/global/event`, { signal }).catch(() => undefined);
  if (response?.ok && response.body) void readEvents(response.body, onRefusal).catch(() => undefined);
}

async function readEvents(
  body: ReadableStream<Uint8Array>,
  onRefusal: Listening["onRefusal"],
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body) {
    const lines = `${rest}${decoder.decode(bytes, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const refusal = line.startsWith("data:") ? findRefusalInEvent(line.slice("data:".length)) : undefined;
      if (refusal) onRefusal(refusal);
    }
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
