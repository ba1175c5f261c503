import type { Browser } from 'playwright-core';

/** Quality of a picture, in percent. */
const QUALITY = 60;
const GAP = 8;

interface BesideOptions {
  /** Widths of the pictures, in pixels before they are scaled. */
  widths: readonly number[];
  height: number;
  scale: number;
}

/** Pictures (PNG) beside each other, as one WebP. */
export async function beside(
  browser: Browser,
  shots: readonly Buffer[],
  { widths, height, scale }: BesideOptions,
): Promise<Buffer> {
  const images = shots.map((shot, at) => {
    const width = (widths[at] ?? 0) * scale;
    return `<img width="${width}" src="data:image/png;base64,${shot.toString('base64')}">`;
  });
  const total = widths.reduce((sum, width) => sum + Math.ceil(width * scale) + GAP, GAP);
  const page = await browser.newPage({ viewport: { width: total, height: Math.ceil(height * scale) + 2 * GAP } });
  await page.setContent(
    `<body style="margin:${GAP}px;display:flex;align-items:flex-start;gap:${GAP}px;background:#8a9099">${images.join('')}`,
  );
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  await page.close();
  return Buffer.from(data, 'base64');
}
