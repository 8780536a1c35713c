import { type Lease, PERSON } from "../../../src/project/lease.js";
import { formatTime } from "../format.js";

/** For models and people. */
export function formatLease({ instance, item, session, untilMs, why }: Lease): string {
  const reason = why === undefined ? "" : `, for ${JSON.stringify(why)}`;
  return `${item} is held by ${formatHolder({ instance, session })} until ${formatTime(untilMs)}${reason}`;
}

export const formatHolder = ({ instance, session }: Pick<Lease, "instance" | "session">): string =>
  instance === PERSON ? "the user" : `${session} (instance ${instance})`;
