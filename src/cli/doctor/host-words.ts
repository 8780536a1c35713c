/**
 * Why OpenCode did not load a plugin, in its own words. Its screen does not show them: a plugin that it cannot install or
 * load is a `session.error` event, and one that throws at start is a line of its log.
 */
import { isRecord, parseJson } from "../../base/records.js";

export interface Refusal {
  /** The step that failed. */
  what: "install" | "load" | "start";
  why: string;
}

/** Reads an event of OpenCode's. */
export function findRefusalInEvent(json: string): Refusal | undefined {
  const event = parseJson(json);
  const { payload } = isRecord(event) ? event : {};
  if (!isRecord(payload) || payload.type !== "session.error" || !isRecord(payload.properties))
    return undefined;
  const { error } = payload.properties;
  const message = isRecord(error) && isRecord(error.data) ? error.data.message : undefined;
  const found = typeof message === "string" ? /^Failed to (install|load) plugin (.*)$/s.exec(message) : null;
  if (!found) return undefined;
  const [, what, rest = ""] = found;
  // A spec may contain colons, but none followed by a space.
  return { what: what as "install" | "load", why: rest.slice(rest.indexOf(": ") + 2) };
}

/** Reads what OpenCode has printed. */
export function findRefusalInLog(text: string): Refusal | undefined {
  const line = text.split("\n").find((one) => one.includes('message="failed to load plugin"'));
  const quoted = line === undefined ? null : /\berror=("(?:[^"\\]|\\.)*"|\S+)/.exec(line);
  if (!quoted?.[1]) return undefined;
  const why = parseJson(quoted[1]);
  return { what: "start", why: typeof why === "string" ? why : quoted[1] };
}

export interface Listening {
  url: string;
  signal: AbortSignal;
  onRefusal(refusal: Refusal): void;
}

/** Resolves when the event stream is open or has failed; a stream that ends is ignored. */
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
