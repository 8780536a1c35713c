import { type Lease, PERSON } from "../../../src/instances/lease.js";
import { formatTime } from "../format.js";

/** For models and people. */
export function formatLease({ instance, item, session, untilMs, why }: Lease): string {
  const reason = why === undefined ? "" : `, for ${JSON.stringify(why)}`;
  const holder = instance === PERSON ? "the user" : `${session} (instance ${instance})`;
  return `${item} is held by ${holder} until ${formatTime(untilMs)}${reason}`;
}
