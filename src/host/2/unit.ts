/** Ties one of Strata's messages to the host's messages that it was made from. */

import { isRecord } from "../../base/records.js";
import type { Message, Part } from "../../io/message.js";
import type { TheirMessage } from "./contract.js";

/** Position of a part in its unit: the message's index, and the part's index in that message. */
export type Place = readonly [message: number, part: number];

export interface Unit {
  readonly theirs: readonly TheirMessage[];
  readonly message: Message;
  readonly places: ReadonlyMap<Part, Place>;
  /** Result of each call, by call id. */
  readonly results: ReadonlyMap<string, Place>;
  /** Of a checkpoint. */
  readonly frame?: Frame;
}

/** The host's text around the summary in a checkpoint, which a rewritten summary keeps. */
export interface Frame {
  readonly summary: Part;
  readonly before: string;
  readonly after: string;
}

/** The text of a failure. */
export function readError(value: unknown): string | undefined {
  const message = isRecord(value) && isRecord(value.error) ? value.error.message : undefined;
  return typeof message === "string" ? message : undefined;
}
