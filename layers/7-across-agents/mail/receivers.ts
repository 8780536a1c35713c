/** Finds the sessions that a session can write to. Pure. */
import {
  CLIENT_PREFIX,
  formatSession,
  type Instance,
  type LiveSession,
} from "../../../src/project/instance.js";

export interface Receiver extends LiveSession {
  instance: string;
}

export type Found =
  | { kind: "found"; receivers: readonly Receiver[] }
  /** `why` lists the sessions that exist. */
  | { kind: "unknown"; why: string };

/**
 * The sessions that `to` means: a session's id, "parent", "children", or an instance's id, which means the session it used
 * last. `living` are all living instances.
 */
export function findReceivers(to: string, sessionID: string, living: readonly Instance[]): Found {
  const all = listReceivers(living);
  const own = all.find(({ id }) => id === sessionID);
  const others = all.filter(({ id }) => id !== sessionID);
  const found = others.filter(
    ({ id, parentID }) =>
      id === to || (to === "parent" && id === own?.parentID) || (to === "children" && parentID === sessionID),
  );
  if (found.length > 0) return { kind: "found", receivers: found };
  const ofInstance = others.find(({ instance, parentID }) => instance === to && parentID === undefined);
  if (ofInstance) return { kind: "found", receivers: [ofInstance] };
  return { kind: "unknown", why: `${describe(to, sessionID)}. ${formatAlive(others)}` };
}

/** All sessions that read messages; one that several instances have open is listed once. */
export function listReceivers(living: readonly Instance[]): Receiver[] {
  const reading = living.filter(({ id }) => !id.startsWith(CLIENT_PREFIX));
  const all = reading.flatMap(({ id, sessions }) => sessions.map((one) => ({ ...one, instance: id })));
  return all.filter((one, index) => all.findIndex(({ id }) => id === one.id) === index);
}

export function formatAlive(receivers: readonly Receiver[]): string {
  if (receivers.length === 0) return "Nobody else is there.";
  return ["There are:", ...receivers.map((one) => `- ${formatSession(one, one.instance)}`)].join("\n");
}

function describe(to: string, sessionID: string): string {
  if (to === "parent") return "This session has no parent that is there";
  if (to === "children") return "This session has no children at work";
  if (to === sessionID) return `${to} is this session`;
  return `There is no session or instance ${to}, or it has ended; nothing was sent`;
}
