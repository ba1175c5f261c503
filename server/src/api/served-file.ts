import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** By the extension of the file. */
export const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** In order of preference. */
export const ENCODINGS = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
];

/** A file that the build made, with what it is compressed to. */
export interface ServedFile {
  type: string;
  etag: string;
  plain: Buffer;
  /** By the name of the encoding. */
  encoded: Map<string, Buffer>;
}

/** `encoded`: by the name of the encoding. The encodings share the tag, so it is weak. */
export function servedFile(type: string, plain: Buffer, encoded: Map<string, Buffer>): ServedFile {
  return { type, plain, encoded, etag: `W/"${hash('sha256', plain, 'base64url').slice(0, 22)}"` };
}

/** Sends the file in the encoding that the client prefers, or 304. */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ServedFile,
  headers: Record<string, string>,
): FastifyReply {
  const { type, etag, plain, encoded } = file;
  const accepted = acceptedEncodings(request.headers['accept-encoding']);
  const encoding = ENCODINGS.find(({ name }) => accepted.has(name) && encoded.has(name))?.name;
  reply.headers(headers).header('Vary', 'Accept-Encoding').header('ETag', etag);
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  reply.type(type);
  if (encoding === undefined) return reply.send(plain);
  return reply.header('Content-Encoding', encoding).send(encoded.get(encoding));
}

/** RFC 9110 section 12.5.3, without weights but 0. */
function acceptedEncodings(header: string | string[] | undefined): Set<string> {
  const items = String(header ?? '').split(',');
  const accepted = items.filter((item) => !/;\s*q=0(\.0*)?\s*$/.test(item));
  return new Set(accepted.map((item) => item.split(';')[0]?.trim().toLowerCase() ?? ''));
}

/** A directory in `dist/` of this program, wherever in it this code lies: in its sources or in its bundle. */
export function builtDirectory(name: string): string | null {
  for (let directory = import.meta.dirname; ; directory = dirname(directory)) {
    if (existsSync(join(directory, 'bin', 'stacks.mjs'))) return join(directory, 'dist', name);
    if (directory === dirname(directory)) return null;
  }
}
