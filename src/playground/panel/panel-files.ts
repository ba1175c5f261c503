import { readFile } from 'node:fs/promises';

/** A file of the DNS panel's page. */
export interface PanelFile {
  headers: Record<string, string>;
  content: Buffer;
}

/** Nothing but the page's own files is loaded, run or asked. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

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
    const file = { headers: { ...HEADERS, 'content-type': type }, content: await readFile(url) };
    return [path, file] as const;
  });
  return new Map(await Promise.all(files));
}
