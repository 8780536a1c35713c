/** Malformed HTTP requests, as bytes for a socket. */
import type { Chance } from "./chance.js";

const PATHS = [
  "/health",
  "/stats",
  "/metrics",
  "/mcp",
  "/",
  "/open/x",
  "/api/echo",
  "/api/../../../etc/passwd",
  "/assets/../../../../etc/passwd",
  "/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
  "/assets/..%5c..%5cetc%5cpasswd",
  "/assets/%c0%ae%c0%ae/etc/passwd",
  "/assets/%00",
  "/%",
  "/%zz",
  "//evil.example/stats",
  "http://evil.example/stats",
  "http://[::1/stats",
  "*",
  "evil.example:443",
  "?",
  "\\..\\..\\etc\\passwd",
  "/stats#/../x",
  "/\u0000",
  "/a b",
] as const;
const METHODS = [
  "GET",
  "GET",
  "POST",
  "POST",
  "HEAD",
  "PUT",
  "DELETE",
  "OPTIONS",
  "PATCH",
  "TRACE",
  "CONNECT",
  "get",
  "G\tT",
  "",
  "PRI",
  "PROPFIND",
];
const VERSIONS = [
  "HTTP/1.1",
  "HTTP/1.0",
  "HTTP/0.9",
  "HTTP/2.0",
  "HTTP/1.1 ",
  "http/1.1",
  "HTTP/9.9",
  "",
  "ICY",
];

export interface MalformedOptions {
  host: string;
  key: string;
}

/** One request; the same for the same random source. */
export function createMalformed(chance: Chance, { host, key }: MalformedOptions): Buffer {
  const pick = <T>(from: readonly T[]): T => from[chance(from.length)] as T;
  const noise = (length: number): string =>
    Array.from({ length }, () => String.fromCharCode(chance(256))).join("");
  const headers: readonly string[] = [
    `Authorization: Bearer ${noise(20)}`,
    `Authorization: ${"Bearer ".repeat(chance(100))}`,
    `Cookie: strata=${noise(40)}; strata-9824=${noise(5)}; =; ;;`,
    `Origin: ${pick(["null", "http://", "http://[", `http://${noise(10)}`, "http://evil.example"])}`,
    `Host: ${pick(["evil.example", "", noise(10), "a".repeat(5_000), "[::1", "localhost:99999999"])}`,
    `Content-Length: ${pick(["-1", "1e9", "0x10", "99999999999999999999", "5, 6", "", "a"])}`,
    `Transfer-Encoding: ${pick(["chunked, chunked", "identity", "gzip", "xchunked", "chunked"])}`,
    `Expect: ${pick(["100-continue", "200-ok", noise(5)])}`,
    `Upgrade: ${pick(["websocket", "h2c", noise(5)])}\r\nConnection: Upgrade`,
    `Content-Type: ${noise(30)}`,
    `Range: bytes=${noise(5)}`,
    `X-${noise(6)}: ${noise(60)}`,
    `X-Long: ${"a".repeat(chance(30_000))}`,
    `X-Forwarded-For: ${"1.1.1.1, ".repeat(200)}`,
    ` folded: ${noise(4)}`,
    "Sec-Fetch-Site: cross-site",
    "no colon at all",
    ": no name",
    "\u0000: \u0000",
  ];
  const bodies: readonly string[] = [
    "",
    "{",
    "[".repeat(5_000),
    '{"jsonrpc":"2.0","method":"tools/call","params":{"__proto__":{"x":1}},"id":1}',
    noise(200),
    "5\r\nhello\r\n0\r\n\r\n",
    "ffffffffffffffff\r\n",
    "-1\r\n\r\n",
    "zz\r\nhello\r\n",
    "5;ext=1\r\nhel",
    "GET /stats HTTP/1.1\r\nHost: evil.example\r\n\r\n",
  ];
  const keyed = chance(2) === 0 ? [`X-API-Key: ${key}`] : [];
  const some = Array.from({ length: chance(3) }, () => pick(headers));
  // Bytes after the end of a request begin the next one, which would hide the answer to the first.
  const body = chance(3) === 0 ? "" : pick(bodies);
  const request = [
    `${pick(METHODS)} ${pick(PATHS)} ${chance(3) === 0 ? pick(VERSIONS) : "HTTP/1.1"}`,
    ...(chance(4) === 0 ? [] : [`Host: ${host}`]),
    ...keyed,
    ...some,
    ...(chance(3) === 0 ? [] : [`Content-Length: ${body.length}`]),
    "",
    body,
  ].join("\r\n");
  const kinds = [
    ...Array.from({ length: 6 }, () => () => createReadable(pick, bodies, { host, key })),
    () => request,
    () => request,
    () => request,
    () => request.slice(0, chance(request.length)),
    () => request.replaceAll("\r\n", "\n"),
    () => noise(chance(400)),
    () => damage(request, chance),
    () => `${request}${request}`,
    () => "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
    () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    () => "\r\n".repeat(chance(1_000)),
  ];
  return Buffer.from(pick(kinds)(), "latin1");
}

type Pick = <T>(from: readonly T[]) => T;

/** A request with valid syntax, whose fault only the server's own checks can find. */
function createReadable(pick: Pick, bodies: readonly string[], { host, key }: MalformedOptions): string {
  const method = pick(
    METHODS.filter((name) => /^[A-Z]+$/.test(name) && name !== "PRI" && name !== "CONNECT"),
  );
  const path = pick(PATHS.filter((name) => /^\/[!-~]*$/.test(name)));
  const body = method === "GET" || method === "HEAD" ? "" : pick(bodies);
  const size = body.length.toString(16);
  const framed = [`Content-Length: ${body.length}\r\n\r\n${body}`];
  if (body !== "") framed.push(`Transfer-Encoding: chunked\r\n\r\n${size}\r\n${body}\r\n0\r\n\r\n`);
  const headers = [
    `Host: ${pick([host, host, host, "evil.example", "[::1", "localhost:1", "a".repeat(300)])}`,
    `X-API-Key: ${pick([key, key, key, "", "x", key.toUpperCase()])}`,
    `Authorization: ${pick(["Bearer", "Bearer  ", "Basic Og==", `Bearer ${"x".repeat(9_000)}`, "Negotiate"])}`,
    `Cookie: ${pick(["strata", "strata=", "strata=%", "strata=%E0%A4%A", '__proto__=1; strata="', "a".repeat(4_000)])}`,
    `Origin: ${pick([`http://${host}`, "null", "http://[", "data:", "http://evil.example"])}`,
    `Sec-Fetch-Site: ${pick(["same-origin", "none", "cross-site", "x"])}`,
    `Content-Type: ${pick(["application/json", "text/plain", ";;", "multipart/form-data; boundary="])}`,
    `Accept: ${pick(["*/*", "application/json, text/event-stream", ";q=", ",,,"])}`,
  ];
  const sent = headers.filter((_, n) => n < 2 || pick([true, false, false]));
  return [`${method} ${path} HTTP/1.1`, ...sent, "Connection: close", pick(framed)].join("\r\n");
}

/** Replaces some characters of the text. */
function damage(text: string, chance: Chance): string {
  const characters = [...text];
  for (let n = 0; n < 5; n++) characters[chance(characters.length)] = String.fromCharCode(chance(256));
  return characters.join("");
}
