/**
 * Authenticates clients by the key, and browsers by a cookie that they get from a one-time link.
 *
 * The cookie holds a separate token, so a browser never has the key. Only digests are kept and compared, so a comparison
 * takes the same time for every guess.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../io/clock.js";

export interface Credentials {
  authorization?: string | undefined;
  apiKey?: string | undefined;
  cookie?: string | undefined;
}

/** The name of a client with the key. */
export const KEY_CLIENT = "key";

export const LINK_MS = 10 * 60_000;
/** Lifetime of a browser's session after its last request. */
const SESSION_MS = 12 * 3_600_000;
/** Maximum number of codes, and of sessions; one more replaces the least recently used. */
const MOST_TOKENS = 32;
const TOKEN_BYTES = 32;

export const createToken = (): string => randomBytes(TOKEN_BYTES).toString("base64url");

export type Access = ReturnType<typeof createAccess>;

export function createAccess({ clock, key }: { clock: Pick<Clock, "now">; key: string }) {
  const keyDigest = digest(key);
  const codes = createTokens(clock, LINK_MS);
  const sessions = createTokens(clock, SESSION_MS);
  return {
    /** `KEY_CLIENT`, or the name of a browser's session; `undefined` if the credentials are missing or wrong. */
    identify({ apiKey, authorization, cookie }: Credentials): string | undefined {
      const given = apiKey ?? readBearer(authorization);
      if (given !== undefined) return timingSafeEqual(digest(given), keyDigest) ? KEY_CLIENT : undefined;
      return cookie === undefined ? undefined : sessions.find(cookie);
    },

    /** A code that a browser can exchange for a session, once and within `LINK_MS`. */
    createCode: (): string => codes.add(),

    /** The cookie's value for this code; `undefined` if the code is unknown, used or expired. */
    openSession(code: string): string | undefined {
      const held = codes.find(code);
      if (held === undefined) return undefined;
      codes.remove(held);
      return sessions.add();
    },
  };
}

const readBearer = (authorization: string | undefined): string | undefined =>
  authorization?.match(/^Bearer +([\x21-\x7e]+) *$/i)?.[1];

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Issued tokens, by digest, the one used last at the end. */
function createTokens(clock: Pick<Clock, "now">, lifetimeMs: number) {
  const usedMs = new Map<string, number>();
  return {
    add(): string {
      const token = createToken();
      usedMs.set(digest(token).toString("hex"), clock.now());
      const [oldest] = usedMs.keys();
      if (usedMs.size > MOST_TOKENS && oldest !== undefined) usedMs.delete(oldest);
      return token;
    },

    /** Renews the token and returns its digest; `undefined` if the token is unknown or expired. */
    find(token: string): string | undefined {
      const id = digest(token).toString("hex");
      const lastMs = usedMs.get(id);
      usedMs.delete(id);
      if (lastMs === undefined || clock.now() - lastMs > lifetimeMs) return undefined;
      usedMs.set(id, clock.now());
      return id;
    },

    remove: (id: string): void => void usedMs.delete(id),
  };
}
