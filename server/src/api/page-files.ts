import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from './errors.ts';
import { pageHeaders } from './page-headers.ts';
import { builtDirectory, ENCODINGS, type ServedFile, sendFile, servedFile, TYPES } from './served-file.ts';

/** Paths of what the build leaves in `dist/page/`. */
const PAGE = 'index.html';
const COMPONENT = 'nameplate-domain.js';
const DASHBOARD = 'dashboard/index.html';
const ASSETS = 'assets';

/** Others in the directory are not served. */
const EXTENSIONS = new Set(['.html', '.js', '.css']);

/** The logo of a brand is a `data:` URL. */
const PAGE_HEADERS = pageHeaders(['data:']);

/** The names of assets have the hash of their content. */
const ASSET_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'public, max-age=31536000, immutable',
};

/** The component in pages of other origins imports some of them. */
const SHARED_ASSET_HEADERS = {
  ...ASSET_HEADERS,
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Access-Control-Allow-Origin': '*',
};

/** A script for pages of other origins. */
const COMPONENT_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Access-Control-Allow-Origin': '*',
  'Cache-Control': 'public, max-age=300',
};

/** Serves the set-up page with its component, and the dashboard. They are the same for everybody, and hold nothing of anybody. */
export function servePageFiles(app: FastifyInstance, directory: string | null = builtDirectory('page')): void {
  let loading: Promise<Map<string, ServedFile>> | undefined;

  /** The first of these that there is. Caches files that were found. After a miss, the next request reads the directory again. */
  async function find(...paths: string[]): Promise<ServedFile | undefined> {
    loading ??= load(directory);
    const current = loading;
    try {
      const files = await current;
      if (files.has(PAGE)) return files.get(paths.find((path) => files.has(path)) ?? '');
      throw new Problem('request/page_not_built');
    } catch (error) {
      if (loading === current) loading = undefined;
      throw error;
    }
  }

  function serve(url: string, operation: string, path: string, headers: Record<string, string>): void {
    app.get(url, { config: { operation } }, async (request, reply) =>
      send(request, reply, await find(...(path.endsWith('.html') ? inLanguages(path, request) : [path])), headers),
    );
  }

  serve('/setup', 'setup', PAGE, PAGE_HEADERS);
  serve(`/setup/${COMPONENT}`, 'setup', COMPONENT, COMPONENT_HEADERS);
  // Its pages are paths below it.
  for (const url of ['/dashboard', '/dashboard/*']) serve(url, 'dashboard', DASHBOARD, PAGE_HEADERS);
  for (const [url, operation, folder, headers] of [
    [`/setup/${ASSETS}/:name`, 'setup', ASSETS, SHARED_ASSET_HEADERS],
    [`/dashboard/${ASSETS}/:name`, 'dashboard', `dashboard/${ASSETS}`, ASSET_HEADERS],
  ] as const) {
    app.get<{ Params: { name: string } }>(url, { config: { operation } }, async (request, reply) =>
      // Only names that the directory lists are read, so no other path in the file system is.
      send(request, reply, await find(`${folder}/${request.params.name}`), headers),
    );
  }
}

/** The language that somebody chose in the dashboard (`page/dashboard/languages/choose-texts.ts`). */
const CHOSEN = /(?:^|; )nameplate-language=(\w+)/;

/**
 * The files of a page in the languages that are wanted, the first first, as its script chooses among them (`page/languages/choose.ts`): so
 * nobody reads another language until it runs. The page itself is in English.
 */
export function inLanguages(path: string, { query, headers }: Pick<FastifyRequest, 'query' | 'headers'>): string[] {
  const { lang } = query as { lang?: unknown };
  const [, chosen] = CHOSEN.exec(headers.cookie ?? '') ?? [];
  const tags = [lang, chosen, ...(headers['accept-language'] ?? '').split(',')];
  const ids = tags.map((tag) => /^\s*([a-z]+)/i.exec(String(tag))?.[1]?.toLowerCase());
  return [...ids.map((id) => (id === 'en' ? path : path.replace('.html', `.${id}.html`))), path];
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ServedFile | undefined,
  headers: Record<string, string>,
): FastifyReply {
  if (file === undefined) throw new Problem('request/route_not_found');
  return sendFile(request, reply, file, headers);
}

/** The files by their paths; none where there is no directory. */
async function load(directory: string | null): Promise<Map<string, ServedFile>> {
  const files = new Map<string, ServedFile>();
  if (directory === null) return files;
  const names = await readdir(directory, { recursive: true }).catch(() => []);
  const contents = new Map<string, Buffer>();
  for (const name of names.map((each) => each.replaceAll('\\', '/'))) {
    const isEncoded = ENCODINGS.some(({ extension }) => name.endsWith(extension));
    if (EXTENSIONS.has(extname(name)) || isEncoded) contents.set(name, await readFile(join(directory, name)));
  }
  for (const [name, plain] of contents) {
    const type = TYPES[extname(name)];
    if (type === undefined || !EXTENSIONS.has(extname(name))) continue;
    const encoded = new Map<string, Buffer>();
    for (const { name: encoding, extension } of ENCODINGS) {
      const content = contents.get(name + extension);
      if (content !== undefined) encoded.set(encoding, content);
    }
    files.set(name, servedFile(type, plain, encoded));
  }
  return files;
}
