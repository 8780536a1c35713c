/** Reads the settings of `strata serve` from options, else from environment variables. Pure. */
import { isIP } from "node:net";
import { StrataError } from "../base/error.js";
import { type OptionValues, readList, readWhole, WRONG_ARGUMENT } from "../operations/command.js";

export interface HostRules {
  /** Names in lower case, in addition to those of the loopback interface. */
  names: readonly string[];
  isAnyAddress: boolean;
}

export const LOOPBACK = ["localhost", "127.0.0.1", "::1"];

const isLoopback = (host: string): boolean =>
  LOOPBACK.includes(host.toLowerCase()) || (isIP(host) === 4 && host.startsWith("127."));

export const isWildcard = (host: string): boolean => ["0.0.0.0", "::", "*"].includes(host);

export type ServeSettings = ReturnType<typeof readServeSettings>;

const PORTS = { least: 0, most: 65_535, usual: 9824 };
const RATES = { least: 1, most: 1_000_000, usual: 60 };
/** Minimum length of a key if others on the network can guess at it. */
const LEAST_KEY = 16;

type Env = Readonly<Record<string, string | undefined>>;

/** @throws StrataError WRONG_ARGUMENT */
export function readServeSettings(options: OptionValues, env: Env) {
  const { allowHost, host: given, port, rateLimit } = options;
  const host = (typeof given === "string" ? given : env.OPENCODE_MEMORY_HOST) || "127.0.0.1";
  const names = typeof allowHost === "string" ? readList(allowHost.toLowerCase()) : [];
  return {
    host,
    port: readNumber(["--port", port], ["OPENCODE_MEMORY_PORT"], env, PORTS),
    requestsPerMinute: readNumber(
      ["--rate-limit", rateLimit],
      ["STRATA_RATE_LIMIT", "OPENCODE_MEMORY_RATE_LIMIT"],
      env,
      RATES,
    ),
    hosts: {
      names: isWildcard(host) ? names : [...names, host.toLowerCase()],
      isAnyAddress: !isLoopback(host),
    } satisfies HostRules,
    /** Absent if the server is to generate one. */
    key: readKey(env, host),
  };
}

function readKey(env: Env, host: string): string | undefined {
  const name = env.STRATA_API_KEY ? "STRATA_API_KEY" : "OPENCODE_MEMORY_API_KEY";
  const key = env[name] || undefined;
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new StrataError(
      WRONG_ARGUMENT,
      `${name} must consist of visible ASCII characters, since it is sent in a header`,
    );
  if (isLoopback(host)) return key;
  if (key !== undefined && key.length >= LEAST_KEY) return key;
  throw new StrataError(
    WRONG_ARGUMENT,
    `others can reach ${host}: expected a key of at least ${LEAST_KEY} characters in STRATA_API_KEY; set one, or leave out --host`,
  );
}

/** The option, else the first variable that is set. */
function readNumber(
  [option, given]: [string, OptionValues[string]],
  variables: readonly string[],
  env: Env,
  bounds: Parameters<typeof readWhole>[2],
): number {
  const variable = variables.find((name) => env[name]);
  return given === undefined && variable !== undefined
    ? readWhole(variable, env[variable], bounds)
    : readWhole(option, given, bounds);
}
