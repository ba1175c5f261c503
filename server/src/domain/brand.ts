/** How a platform appears on the set-up page of its customers' domains. */
export interface Brand {
  name?: string;
  /** A `data:` URL of an image. */
  logo?: string;
  /** `#rrggbb`, for light and dark backgrounds. */
  accent?: string;
  accentDark?: string;
  /** Where customers get help: a `mailto:` or `https:` URL. */
  support?: string;
}

export type BrandProperty = keyof Brand;

export const MAX_BRAND_NAME = 80;
/** Largest image, bytes. */
export const MAX_LOGO_BYTES = 64 * 1024;
/** Longest `data:` URL of an image: base64 has 4 characters for 3 bytes. */
export const MAX_LOGO_LENGTH = 'data:image/svg+xml;base64,'.length + Math.ceil(MAX_LOGO_BYTES / 3) * 4;
export const MAX_SUPPORT_LENGTH = 512;

/** A mistake in a brand: one for each property at most. `message` completes "<property> …". */
export interface BrandViolation {
  property: BrandProperty;
  message: string;
}

/** Pages show these values as text, as the source of an image, as colours and as the target of a link: each must be nothing else. */
export function brandViolations(brand: Brand): BrandViolation[] {
  const found: BrandViolation[] = [];
  const check = (property: BrandProperty, message: string, isValid: (value: string) => boolean) => {
    const value = brand[property];
    if (value !== undefined && !isValid(value)) found.push({ property, message });
  };
  check('name', `must have 1 to ${MAX_BRAND_NAME} characters, and no control characters`, isName);
  check('logo', `must be a data: URL of a PNG, WebP, JPEG or SVG image in base64, of at most 64 KiB`, isLogo);
  check('accent', 'must be a colour such as #1d5fd1', isColour);
  check('accentDark', 'must be a colour such as #7fb0ff', isColour);
  check('support', 'must be a mailto: or https: URL', isSupport);
  return found;
}

/** Control characters, and those that reorder the text around them. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

function isName(text: string): boolean {
  return text.trim() !== '' && [...text].length <= MAX_BRAND_NAME && !UNPRINTABLE.test(text);
}

function isColour(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

function isSupport(text: string): boolean {
  if (text.length > MAX_SUPPORT_LENGTH || /[\s\p{Cc}\\<>"]/u.test(text)) return false;
  const url = URL.parse(text);
  if (url?.protocol === 'mailto:') return /^mailto:[^@?]+@[^@?]+(\?|$)/.test(text);
  return url?.protocol === 'https:' && /^https:\/\//.test(text) && url.username === '' && url.password === '';
}

/** How the bytes of an image begin, at these offsets. */
const SIGNATURES: Record<string, [offset: number, bytes: number[]][]> = {
  png: [[0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]]],
  jpeg: [[0, [0xff, 0xd8, 0xff]]],
  webp: [
    [0, [0x52, 0x49, 0x46, 0x46]],
    [8, [0x57, 0x45, 0x42, 0x50]],
  ],
};

const LOGO = /^data:image\/(png|jpeg|webp|svg\+xml);base64,([A-Za-z0-9+/]+={0,2})$/;

function isLogo(text: string): boolean {
  if (text.length > MAX_LOGO_LENGTH) return false;
  const [, type = '', base64 = ''] = LOGO.exec(text) ?? [];
  if (type === '' || base64.length % 4 !== 0) return false;
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  if (bytes.length > MAX_LOGO_BYTES) return false;
  if (type === 'svg+xml') return isSvg(bytes);
  return SIGNATURES[type]?.every(([at, signature]) => signature.every((byte, i) => bytes[at + i] === byte)) ?? false;
}

/** Whether it may be one: an image element shows nothing where it is not, and neither runs scripts nor loads anything, whatever is in it. */
function isSvg(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trimStart();
    return text.startsWith('<') && text.includes('<svg');
  } catch {
    return false;
  }
}

export const MAX_ORIGINS = 50;

/** An origin as browsers send it (RFC 6454), of a page that may embed the component: https, or http on loopback. */
export function isWebOrigin(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || text !== url.origin || text.length > 300) return false;
  // The parser lets others pass, such as the asterisk of a pattern.
  if (!/^([a-z0-9._-]+|\[[0-9a-f:]+\])$/.test(url.hostname)) return false;
  if (url.protocol === 'https:') return true;
  return url.protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
}
