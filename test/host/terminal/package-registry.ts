/** A package registry on a local port that has one package, from its archive, and no other. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface PackageRegistry extends AsyncDisposable {
  readonly url: string;
  /** Requests, such as `GET /opencode-strata`. */
  readonly asked: readonly string[];
}

export async function startPackageRegistry(archive: string): Promise<PackageRegistry> {
  const bytes = readFileSync(archive);
  const text = execFileSync("tar", ["-xzOf", archive, "package/package.json"], { encoding: "utf8" });
  const manifest = JSON.parse(text) as { name: string; version: string };
  const { name, version } = manifest;
  const path = `/${name}/-/${name}-${version}.tgz`;
  const asked: string[] = [];
  const server = createServer(({ headers, method, url = "" }, response) => {
    asked.push(`${method} ${url}`);
    if (url === path) return void response.end(bytes);
    if (url !== `/${name}`) return void response.writeHead(404).end("{}");
    const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
    const dist = { tarball: `http://${headers.host}${path}`, integrity };
    const versions = { [version]: { ...manifest, dist } };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
