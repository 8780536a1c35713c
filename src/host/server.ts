/** Requests to a running OpenCode server, 1 or 2. */
export interface ServerAddress {
  url: string;
  /** The server's password, if it has one, and its user name. */
  login?: Login;
}

export interface Login {
  password: string;
  name: string;
}

interface ServerRequest {
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  signal?: AbortSignal;
}

interface ServerAnswer {
  ok: boolean;
  status: number;
  /** Parsed JSON; `undefined` if it is none. */
  body: unknown;
}

/** Rejects only if the server cannot be reached. */
type AskServer = (method: string, path: string, request?: ServerRequest) => Promise<ServerAnswer>;

export function createAskServer({ login, url }: ServerAddress): AskServer {
  const token = login && Buffer.from(`${login.name}:${login.password}`).toString("base64");
  const headers: Record<string, string> = {
    "content-type": "application/json",
    ...(token !== undefined && { authorization: `Basic ${token}` }),
  };
  return async (method, path, { body, query = {}, signal } = {}) => {
    const asked = new URLSearchParams(query).toString();
    const address = `${url.replace(/\/+$/, "")}${path}${asked === "" ? "" : `?${asked}`}`;
    const response = await fetch(address, {
      method,
      headers,
      ...(signal && { signal }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json().catch(() => undefined);
    return { ok: response.ok, status: response.status, body: answer };
  };
}

export const formatRefusal = ({ body, status }: ServerAnswer): string =>
  `OpenCode answered ${status}: ${JSON.stringify(body ?? "").slice(0, 300)}`;
