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

/** What it returns rejects only if the server cannot be reached. */
export function createAskServer({ login, url }: ServerAddress) {
  const token = login && Buffer.from(`${login.name}:${login.password}`).toString("base64");
  const headers: Record<string, string> = {
    "content-type": "application/json",
    ...(token !== undefined && { authorization: `Basic ${token}` }),
  };
  return async (method: string, path: string, { body, query = {}, signal }: ServerRequest = {}) => {
    const asked = new URLSearchParams(query).toString();
    const address = `${url.replace(/\/+$/, "")}${path}${asked === "" ? "" : `?${asked}`}`;
    const response = await fetch(address, {
      method,
      headers,
      ...(signal && { signal }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { ok, status } = response;
    return { ok, status, body: (await response.json().catch(() => undefined)) as unknown };
  };
}

export const formatRefusal = ({ body, status }: { body: unknown; status: number }): string =>
  `OpenCode answered ${status}: ${JSON.stringify(body ?? "").slice(0, 300)}`;
