import type { Context, MiddlewareHandler } from "hono";

/** Much larger than any memory. */
export const MOST_BODY_BYTES = 1_000_000;

type Refuse = (context: Context, status: 400 | 413, error: string) => Response;

/** Reads the whole body before it calls the handler, which does not run if the body is too long or incomplete. */
export function limitBody(refuse: Refuse): MiddlewareHandler {
  return async (context, next) => {
    const { raw } = context.req;
    if (raw.method === "GET" || raw.method === "HEAD") return next();
    const announced = Number(context.req.header("content-length") ?? 0);
    const body = announced > MOST_BODY_BYTES ? "too long" : await readBody(raw);
    if (body === "too long")
      return refuse(context, 413, `expected a body of at most ${MOST_BODY_BYTES} bytes`);
    if (body === "broken") return refuse(context, 400, "the body ended before it was complete");
    const { headers, method, signal, url } = raw;
    context.req.raw = new Request(url, { method, headers, signal, ...(body.byteLength > 0 && { body }) });
    return next();
  };
}

async function readBody({ body }: Request): Promise<Uint8Array<ArrayBuffer> | "too long" | "broken"> {
  const chunks: Uint8Array[] = [];
  const reader = body?.getReader();
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) return Buffer.concat(chunks);
      bytes += value.byteLength;
      if (bytes > MOST_BODY_BYTES) {
        void reader?.cancel().catch(() => {});
        return "too long";
      }
      chunks.push(value);
    }
  } catch {
    return "broken";
  }
}
