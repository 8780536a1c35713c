/** Malformed HTTP requests, as bytes for a socket. */
import type { Chance } from "./chance.js";

const PATHS = [
  ...["/health", "/stats", "/metrics", "/mcp", "/", "/open/x", "/api/echo", "/api/../../../etc/passwd"],
  ...[
    "/assets/../../../../etc/passwd",
    "/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "/assets/%00",
    "/%",
    "/%zz",
  ],
  ...["//evil.example/stats", "http://[::1/stats", "*", "evil.example:443", "?", "/stats#/../x", "/\u0000"],
];
const METHODS = [
  "GET",
  "GET",
  "POST",
  "POST",
  "HEAD",
  "PUT",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "get",
  "G\tT",
  "",
];
const VERSIONS = ["HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "http/1.1", "", "ICY"];
const SIZES = ["-1", "1e9", "99999999999999999999", "5, 6", "", "a"];

/** One request; the same for the same random source. */
export function createMalformed(chance: Chance, { host, key }: { host: string; key: string }): Buffer {
  const pick = <T>(from: readonly T[]): T => from[chance(from.length)] as T;
  const noise = (length: number): string =>
    Array.from({ length }, () => String.fromCharCode(chance(256))).join("");
  const body = pick([
    ...["", "", "{", "[".repeat(5_000), noise(200), "5\r\nhello\r\n0\r\n\r\n", "ffffffffffffffff\r\n"],
    '{"jsonrpc":"2.0","method":"tools/call","params":{"__proto__":{"x":1}},"id":1}',
  ]);
  const odd = [
    `Authorization: Bearer ${noise(20)}`,
    `Cookie: strata=${noise(40)}; strata-9824=%E0%A4%A; =; ;;`,
    `Origin: ${pick(["null", "http://[", `http://${noise(10)}`, "http://evil.example"])}`,
    `Host: ${pick(["evil.example", "", noise(10), "a".repeat(5_000), "[::1", "localhost:99999999"])}`,
    `Content-Length: ${pick(SIZES)}`,
    `Transfer-Encoding: ${pick(["chunked, chunked", "gzip", "chunked"])}`,
    "Expect: 100-continue",
    "Upgrade: websocket\r\nConnection: Upgrade",
    `Content-Type: ${pick(["application/json", ";;", "multipart/form-data; boundary=", noise(30)])}`,
    `X-Long: ${"a".repeat(chance(30_000))}`,
    ` folded: ${noise(4)}`,
    "Sec-Fetch-Site: cross-site",
    "no colon at all",
    "\u0000: \u0000",
  ];
  /** With `faults`, headers that only the server's own checks can refuse are among others that its parser refuses. */
  const write = (method: string, path: string, version: string, faults: number): string =>
    [
      `${method} ${path} ${version}`,
      `Host: ${host}`,
      ...(chance(2) === 0 ? [`X-API-Key: ${key}`] : []),
      ...Array.from({ length: faults }, () => pick(odd)),
      ...(method === "GET" ? ["", ""] : [`Content-Length: ${body.length}`, "", body]),
    ].join("\r\n");
  const readable = PATHS.filter((name) => /^\/[!-~]*$/.test(name));
  const request = write(pick(METHODS), pick(PATHS), pick(VERSIONS), chance(3));
  const kinds = [
    ...Array.from(
      { length: 4 },
      () => () => write(pick(["GET", "POST"]), pick(readable), "HTTP/1.1", chance(2)),
    ),
    () => request,
    () => request,
    () => request.slice(0, chance(request.length)),
    () => request.replaceAll("\r\n", "\n"),
    () => `${request}${request}`,
    () => noise(chance(400)),
    () => "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
    () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    () => "\r\n".repeat(chance(1_000)),
  ];
  return Buffer.from(pick(kinds)(), "latin1");
}
