import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../errors.ts';
import { openApiDocument } from '../openapi/openapi.ts';
import type { ApiSettings } from '../operation.ts';
import { pageHeaders } from '../page-headers.ts';
import { builtDirectory, ENCODINGS, type ServedFile, sendFile, servedFile, TYPES } from '../served-file.ts';

/** The icon is an empty `data:` URL. Pages are asked for again after an upgrade. */
const PAGE_HEADERS = { ...pageHeaders(['data:']), 'Cache-Control': 'no-cache' };

/** The names of assets have the hash of their content. */
const ASSET_HEADERS = { ...PAGE_HEADERS, 'Cache-Control': 'public, max-age=31536000, immutable' };

/** Segments that do not begin with a dot: no path leaves the directory. */
const PATH = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/;

/** Pages whose addresses are shorter than their places. */
const REDIRECTS = new Map([
  ['errors', 'reference/errors'],
  ['findings', 'reference/findings'],
]);

/**
 * Serves the OpenAPI document with the URL of this API, and the documents that the build made. They need no key. The files are read when they
 * are asked for: most servers never are.
 */
export function serveDocumentation(
  app: FastifyInstance,
  { publicUrl }: Pick<ApiSettings, 'publicUrl'>,
  directory: string | null = builtDirectory('docs'),
): void {
  let openapi: string | undefined;
  app.get('/openapi.json', { config: { operation: 'openapi' } }, (_request, reply) => {
    openapi ??= `${JSON.stringify(openApiDocument(publicUrl), null, 2)}\n`;
    return reply.type('application/json').send(openapi);
  });

  async function serve(path: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const page = path.endsWith('/') ? path.slice(0, -1) : path;
    const redirect = REDIRECTS.get(page);
    if (redirect !== undefined) return reply.redirect(`/docs/${redirect}`);
    const name = page === '' ? 'index' : page;
    const found = await findFile(directory, name);
    if (found) return sendFile(request, reply, found, name.startsWith('assets/') ? ASSET_HEADERS : PAGE_HEADERS);
    const missing = await findFile(directory, '404');
    if (missing === null) throw new Problem('request/page_not_built');
    if (!isBrowser(request)) throw new Problem('request/route_not_found');
    return sendFile(request, reply.code(404), missing, PAGE_HEADERS);
  }

  const config = { operation: 'docs' };
  app.get('/', { config }, (request, reply) => {
    reply.header('Vary', 'Accept');
    if (!isBrowser(request)) throw new Problem('request/route_not_found');
    return reply.redirect('/docs');
  });
  app.get('/docs', { config }, (request, reply) => serve('', request, reply));
  app.get('/llms.txt', { config }, (request, reply) => serve('llms.txt', request, reply));
  app.get<{ Params: { '*': string } }>('/docs/*', { config }, (request, reply) =>
    serve(request.params['*'], request, reply),
  );
  // The type of an error names the service, whose name the operator chooses.
  app.get<{ Params: Record<'category' | 'name', string> }>(
    '/docs/errors/:service/:category/:name',
    { config },
    (request, reply) => serve(`errors/${request.params.category}/${request.params.name}`, request, reply),
  );
}

/** A page by its path without `.html`, or any other file by its path. */
async function findFile(directory: string | null, path: string): Promise<ServedFile | null> {
  if (directory === null || !PATH.test(path)) return null;
  const name = extname(path) === '' ? `${path}.html` : path;
  const type = TYPES[extname(name)];
  const read = (file: string) => readFile(join(directory, file)).catch(() => null);
  const plain = type === undefined ? null : await read(name);
  if (type === undefined || plain === null) return null;
  const encoded = new Map<string, Buffer>();
  for (const { name: encoding, extension } of ENCODINGS) {
    const content = await read(name + extension);
    if (content !== null) encoded.set(encoding, content);
  }
  return servedFile(type, plain, encoded);
}

/** Programs get their errors as JSON. */
function isBrowser({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') ?? false;
}
