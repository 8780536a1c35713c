/** What the files of a mailbox say. Pure. */
import type { Claim, CursorLine, Letter, LetterState } from "./letter.js";
import { nameOf } from "./letter.js";

/** A letter that is not delivered for so long is out of date. */
const LONGEST_WAIT_MS = 7 * 86_400_000;
/** Bytes that one delivery may bring; the rest comes with the next. One letter always fits. */
const DELIVERY_BYTES = 8_192;

/** Claims of which the cursor does not say how they ended: then the decisions do. */
export function findOpenClaims(lines: readonly CursorLine[]): Claim[] {
  const ended = new Set(lines.filter(({ kind }) => kind !== "claimed").map(({ batch }) => batch));
  return lines.filter((line) => line.kind === "claimed").filter(({ batch }) => !ended.has(batch));
}

/** Deliveries that no answer is known to have followed; `recorded` are open claims whose decision is there. */
export function findUnseen(lines: readonly CursorLine[], recorded: readonly Claim[]): Claim[] {
  const of = (wanted: CursorLine["kind"]) =>
    new Set(lines.filter(({ kind }) => kind === wanted).map(({ batch }) => batch));
  const [seen, delivered] = [of("seen"), of("delivered")];
  const claims = lines.filter((line) => line.kind === "claimed");
  return claims.filter(
    (claim) => !seen.has(claim.batch) && (delivered.has(claim.batch) || recorded.includes(claim)),
  );
}

/** The state of each letter, by its name. */
export function readStates(
  letters: readonly Letter[],
  lines: readonly CursorLine[],
  recorded: readonly Claim[],
  nowMs: number,
): Map<string, LetterState> {
  const batches = new Map<string, LetterState>(recorded.map(({ batch }) => [batch, "delivered"]));
  for (const { batch, kind } of lines) {
    if (kind === "seen") batches.set(batch, "seen");
    else if (kind === "delivered" && batches.get(batch) !== "seen") batches.set(batch, "delivered");
  }
  const states = new Map<string, LetterState>(
    letters.map((letter) => [nameOf(letter), nowMs - letter.at > LONGEST_WAIT_MS ? "expired" : "queued"]),
  );
  for (const line of lines) {
    const state = line.kind === "claimed" ? batches.get(line.batch) : undefined;
    if (line.kind === "claimed" && state) for (const name of line.letters) states.set(name, state);
  }
  return states;
}

/** The letters to deliver next, in their order: from the first that is queued on, as many as fit. */
export function planDelivery(letters: readonly Letter[], states: ReadonlyMap<string, LetterState>): Letter[] {
  let bytes = 0;
  const planned: Letter[] = [];
  for (const letter of letters) {
    if (states.get(nameOf(letter)) !== "queued") continue;
    bytes += Buffer.byteLength(letter.text);
    if (planned.length > 0 && bytes > DELIVERY_BYTES) break;
    planned.push(letter);
  }
  return planned;
}
