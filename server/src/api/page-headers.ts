/** Browser features that no page of ours needs. */
const DENIED_FEATURES = ['camera', 'display-capture', 'geolocation', 'microphone', 'payment', 'usb'];

/**
 * Header fields of pages with scripts: nothing but what comes from their own origin runs, is loaded, is framed or gets
 * anything, and there are no inline scripts or styles. `images`: further sources of images.
 */
export function pageHeaders(images: readonly string[] = []): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self'", ...images].join(' '),
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  const features = ['clipboard-write=(self)', ...DENIED_FEATURES.map((name) => `${name}=()`)];
  return {
    'Content-Security-Policy': policy.join('; '),
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': features.join(', '),
    'Cache-Control': 'no-store',
  };
}
