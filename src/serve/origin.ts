/**
 * Refuses requests that other sites make a browser send. Pure.
 *
 * `Host`: a site whose name was pointed at this machine (DNS rebinding) sends its own name, so only names of this machine
 * pass. IP addresses cannot be rebound; if others can reach the server, any address passes.
 * `Origin` and `Sec-Fetch-Site`: browsers add them to the requests of a page; only the inspector's page may send any.
 */
import { isIP } from "node:net";

export interface HostRules {
  /** Names in lower case, in addition to those of the loopback interface. */
  names: readonly string[];
  /** Whether every IP address passes. */
  isAnyAddress: boolean;
}

const LOOPBACK = ["localhost", "127.0.0.1", "::1"];
const WILDCARDS = ["0.0.0.0", "::", "*"];

/** Whether only this machine can reach what listens there. */
export const isLoopback = (host: string): boolean =>
  LOOPBACK.includes(host.toLowerCase()) || (isIP(host) === 4 && host.startsWith("127."));

/** Whether it means all addresses of this machine. */
export const isWildcard = (host: string): boolean => WILDCARDS.includes(host);

/** Whether the server accepts this `Host` header. Any port passes, to allow tunnels. */
export function isAllowedHost(host: string | undefined, { isAnyAddress, names }: HostRules): boolean {
  const name = host === undefined ? undefined : readName(host);
  if (name === undefined) return false;
  return LOOPBACK.includes(name) || names.includes(name) || (isAnyAddress && isIP(name) !== 0);
}

/** Whether this host's own page sent the request; `true` if no page did. */
export function isAllowedOrigin({
  fetchSite,
  host,
  origin,
}: {
  host: string | undefined;
  origin: string | undefined;
  fetchSite: string | undefined;
}): boolean {
  if (fetchSite !== undefined && fetchSite !== "same-origin" && fetchSite !== "none") return false;
  if (origin === undefined) return true;
  // A proxy may use https.
  const [, from] = /^https?:\/\/(.+)$/i.exec(origin) ?? [];
  return from !== undefined && from.toLowerCase() === host?.toLowerCase();
}

/** The name of `name`, `name:port`, `[address]` or `[address]:port`, in lower case; `undefined` for anything else. */
function readName(host: string): string | undefined {
  const [, address, name] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(host) ?? [];
  return (address ?? name)?.toLowerCase();
}
