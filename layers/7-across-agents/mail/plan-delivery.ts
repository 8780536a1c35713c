/** Reads the state of messages from an inbox, and plans the next delivery. Pure. */
import type { AgentMessage, Claim, CursorLine, MessageState } from "./agent-message.js";
import { nameOf } from "./agent-message.js";

/** A message that waits longer expires. */
const LONGEST_WAIT_MS = 7 * 86_400_000;
/** Maximum size of one delivery, in bytes; the rest comes with the next. One message always fits. */
const DELIVERY_BYTES = 8_192;

/** Claims without an end in the cursor; the decisions tell how they ended. */
export function findOpenClaims(lines: readonly CursorLine[]): Claim[] {
  const ended = new Set(lines.filter(({ kind }) => kind !== "claimed").map(({ batch }) => batch));
  return lines.filter((line) => line.kind === "claimed").filter(({ batch }) => !ended.has(batch));
}

/** Deliveries without a known answer; `recorded` are open claims with a recorded decision. */
export function findUnseen(lines: readonly CursorLine[], recorded: readonly Claim[]): Claim[] {
  const of = (wanted: CursorLine["kind"]) =>
    new Set(lines.filter(({ kind }) => kind === wanted).map(({ batch }) => batch));
  const [seen, delivered] = [of("seen"), of("delivered")];
  const claims = lines.filter((line) => line.kind === "claimed");
  return claims.filter(
    (claim) => !seen.has(claim.batch) && (delivered.has(claim.batch) || recorded.includes(claim)),
  );
}

/** The state of each message, by its name. */
export function readStates(
  messages: readonly AgentMessage[],
  lines: readonly CursorLine[],
  recorded: readonly Claim[],
  nowMs: number,
): Map<string, MessageState> {
  const batches = new Map<string, MessageState>(recorded.map(({ batch }) => [batch, "delivered"]));
  for (const { batch, kind } of lines) {
    if (kind === "seen") batches.set(batch, "seen");
    else if (kind === "delivered" && batches.get(batch) !== "seen") batches.set(batch, "delivered");
  }
  const states = new Map<string, MessageState>(
    messages.map((message) => [nameOf(message), nowMs - message.at > LONGEST_WAIT_MS ? "expired" : "queued"]),
  );
  for (const line of lines) {
    const state = line.kind === "claimed" ? batches.get(line.batch) : undefined;
    if (line.kind === "claimed" && state) for (const name of line.letters) states.set(name, state);
  }
  return states;
}

/** The messages to deliver next, in order: as many queued ones as fit. */
export function planDelivery(
  messages: readonly AgentMessage[],
  states: ReadonlyMap<string, MessageState>,
): AgentMessage[] {
  let bytes = 0;
  const planned: AgentMessage[] = [];
  for (const message of messages) {
    if (states.get(nameOf(message)) !== "queued") continue;
    bytes += Buffer.byteLength(message.text);
    if (planned.length > 0 && bytes > DELIVERY_BYTES) break;
    planned.push(message);
  }
  return planned;
}
