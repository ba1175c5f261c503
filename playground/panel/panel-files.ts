import { readFile } from 'node:fs/promises';
import { pageHeaders } from '../../server/src/api/page-headers.ts';

/** A file of the DNS panel's page. */
export interface PanelFile {
  headers: Record<string, string>;
  content: Buffer;
}

/** The bundle has these files too: see `scripts/bundle.ts`. */
const FILES = [
  { path: '/', type: 'text/html; charset=utf-8', url: new URL('./panel.html', import.meta.url) },
  { path: '/panel.css', type: 'text/css; charset=utf-8', url: new URL('./panel.css', import.meta.url) },
  { path: '/panel.js', type: 'text/javascript; charset=utf-8', url: new URL('./panel.js', import.meta.url) },
  { path: '/panel.svg', type: 'image/svg+xml', url: new URL('./panel.svg', import.meta.url) },
];

/** The files by their paths. */
export async function loadPanelFiles(): Promise<Map<string, PanelFile>> {
  const files = FILES.map(async ({ path, type, url }) => {
    const file = { headers: { ...pageHeaders(), 'Content-Type': type }, content: await readFile(url) };
    return [path, file] as const;
  });
  return new Map(await Promise.all(files));
}
